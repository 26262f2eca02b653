"""A network with different faults for each connection: a TCP proxy in front of one server."""

import random
import socket
import struct
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass

from .listener import Listener, start


@dataclass
class Fate:
    """The fate of a connection."""

    # This many bytes pass in this direction, then the connection is cut; None: all do.
    request_bytes: int | None = None
    answer_bytes: int | None = None
    # In seconds, before each piece that passes.
    delay: float = 0
    # Cut by a reset instead of a proper end.
    reset: bool = False
    # The server receives everything twice, as if it was sent again on the way; the second answer is discarded.
    twice: bool = False
    # Everything is discarded and never answered.
    silent: bool = False


CALM = Fate()


def mischief(random):
    """A random fate; about every third connection has no faults."""
    fate = Fate(delay=random.choice([0, 0, 0.02]), reset=random.random() < 0.5, twice=random.random() < 0.2)
    match random.randrange(6):
        case 0: fate.request_bytes = 0
        case 1: fate.request_bytes = random.randrange(1, 1_500)
        case 2 | 3: fate.answer_bytes = random.randrange(0, 600)
    return fate


class BadNetwork:
    """Listens on a separate port; `url` is the server's address as devices see it."""

    def __init__(self, target, seed):
        self.target = target
        self.random = random.Random(seed)
        self.choose = lambda: CALM
        self.cuts = 0
        self.listener = Listener(self._accepted)
        self.url = f"http://127.0.0.1:{self.listener.port}"

    def be(self, fate):
        """All new connections have this fate."""
        self.choose = lambda: fate

    def be_bad(self):
        """Each new connection has a random fate."""
        self.choose = lambda: mischief(self.random)

    def close(self):
        self.listener.close()

    def _accepted(self, client):
        # The fate is chosen here and not in the connection's own thread, so that the seed gives the same fates in the same order.
        start(self._serve, client, self.choose())

    def _serve(self, client, fate):
        with client:
            if fate.silent:
                drain(client)
                return
            with ExitStack() as closing:
                servers = [closing.enter_context(socket.create_connection(("127.0.0.1", self.target)))
                           for _ in range(2 if fate.twice else 1)]
                for unanswered in servers[1:]:
                    start(drain, unanswered)
                ends, is_cut = [client, *servers], threading.Event()
                back = threading.Thread(
                    target=self._carry, args=(servers[0], [client], fate.answer_bytes, fate, ends, is_cut), daemon=True)
                back.start()
                self._carry(client, servers, fate.request_bytes, fate, ends, is_cut)
                back.join()

    def _carry(self, source, sinks, left, fate, ends, is_cut):
        """Passes bytes in one direction until the source ends, or as many as may pass."""
        while piece := receive(source):
            time.sleep(fate.delay)
            may_pass = piece if left is None else piece[:left]
            for sink in sinks:
                attempt(lambda: sink.sendall(may_pass))
            if len(may_pass) < len(piece):
                self.cuts += 1
                is_cut.set()
                for end in ends:
                    cut(end, fate.reset)
                return
            left = None if left is None else left - len(piece)
        if not is_cut.is_set():
            for sink in sinks:
                attempt(lambda: sink.shutdown(socket.SHUT_WR))


def receive(connection):
    """The next bytes; empty at the end, however it ended."""
    return attempt(lambda: connection.recv(65_536)) or b""


def drain(connection):
    while receive(connection):
        pass


def cut(connection, reset):
    """Wakes the reader of a connection, which is then closed: by a reset, or after an orderly end."""
    if reset:
        attempt(lambda: connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)))
    attempt(lambda: connection.shutdown(socket.SHUT_RD if reset else socket.SHUT_RDWR))


def attempt(action):
    """Calls a function on a connection that the other end may have closed; None if it has."""
    try:
        return action()
    except OSError:
        return None
