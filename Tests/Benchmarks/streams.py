"""Event streams: the memory of idle ones, and events to many."""

import contextlib
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

import accounts
import setting
from measuring import Failure, Goal, Row
from processes import Process
from serving import BODY
from wrk import authorization, head

# An account may have 32 streams.
ACCOUNTS = 40
STREAMS_OF_ACCOUNT = 25
STREAMS = ACCOUNTS * STREAMS_OF_ACCOUNT
# Enough for any row; at most half of the connections may be streams.
UNLIMITED = ("--quota-streams", "unlimited", "--max-connections", "24000")
# What a server keeps for other files than connections (`ConnectionLimits.reserve`), and a few more.
OTHER_DESCRIPTORS = 80 + 4 * os.cpu_count()

# Writes of each account in a sample, if many accounts write at once.
BURSTS = 5
# Writes of a sample, one after the other.
WRITES = 50


@contextlib.contextmanager
def idle(place, count=ACCOUNTS):
    """What the server's resident memory grows by with idle streams, 25 of each account, for each. The first one of each account
    is open before, so that what it allocates isn't counted. Each round has a new server."""
    count = accounts_within_limits(count)
    print(f" {count * STREAMS_OF_ACCOUNT:,} streams …", end="", file=sys.stderr)
    _, users = accounts.prepared(count)

    def product(number):
        with accounts.server(place / f"round-{number}", count, *UNLIMITED) as (server, _), client(server.port) as streams:
            streams.open(users, 1)
            process = Process(server.process.pid)
            process.settle()
            before = process.memory()
            streams.open(users, STREAMS_OF_ACCOUNT - 1)
            process.settle()
            sample = {"memory": (process.memory() - before) / (count * (STREAMS_OF_ACCOUNT - 1))}
        setting.remove(place, f"round-{number}")
        return sample

    yield Row(product, None, "", {"memory": Goal(value=10 * 1024, unit="B")})


def accounts_within_limits(count):
    """Raises the limits of open files, which the measured programs inherit; with CAP_SYS_RESOURCE also the hard one, up to
    fs.nr_open. Returns how many accounts may have their streams with them, at most `count`."""
    # At most half of a server's connections may be streams.
    each = 2 * STREAMS_OF_ACCOUNT
    needed, hard = each * count + OTHER_DESCRIPTORS, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < needed:
        # Refused without the capability: then the hard limit decides.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, needed))
            hard = needed
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return count if hard == resource.RLIM_INFINITY else min(count, (hard - OTHER_DESCRIPTORS) // each)


@contextlib.contextmanager
def events(place):
    """40 accounts write one record each at once; each has 25 streams, so 1,000 events are sent."""
    with accounts.server(place, ACCOUNTS) as (server, users):
        with against_bare_server(server, users, STREAMS_OF_ACCOUNT, BURSTS) as row:
            yield row


@contextlib.contextmanager
def followers(place, count=STREAMS):
    """One write, of which all streams of the space receive an event."""
    with accounts.server(place, 1, *UNLIMITED) as (server, users), against_bare_server(server, users, count, WRITES) as row:
        yield row


@contextlib.contextmanager
def event_with(place, count):
    """One write into a space that has this many records, and its events at the account's streams."""
    with accounts.server_with_records(place, count) as (server, users):
        with against_bare_server(server, users, STREAMS_OF_ACCOUNT, WRITES) as row:
            yield row


@contextlib.contextmanager
def against_bare_server(server, users, each, writes):
    """Each account writes a record at the same time, some times in a sample, and each of its streams receives an event.

    The time is that from the sending of the writes to the last event at its reader, so it includes the commits. That after the
    answer begins when the last writer has its answer, which the server sends after the commit. The CPU time is what the server
    uses more than for the same writes without streams, for each event. The yardstick is a server of asyncio that stores nothing
    and sends the same bytes; the client is the same.
    """
    with bare_server() as (bare, bare_port), client(server.port) as quiet, client(server.port) as live, \
            client(bare_port) as bare_quiet, client(bare_port) as bare_live:

        def side(process, quiet, live):
            # Without streams first, and once: a server may have work left when streams are closed. The first sample is a warm-up.
            base = [writes_and_answers(process, quiet, users, writes)[0] for _ in range(4)][1:]
            live.open(users, each)

            def sample(_):
                cost, answers = writes_and_answers(process, live, users, writes)
                more = cost - statistics.median(base)
                return {"time": statistics.median(answer["events"] for answer in answers),
                        "after the answer": statistics.median(answer["after"] for answer in answers),
                        "CPU of an event": more / (writes * len(users) * each)}
            return sample

        yield Row(
            side(Process(server.process.pid), quiet, live), side(Process(bare.pid), bare_quiet, bare_live),
            "asyncio that only sends", {"time": Goal(), "after the answer": Goal(), "CPU of an event": Goal(value=0.03e-3)})


def writes_and_answers(process, streams, users, count):
    """The CPU time of a sample's writes, with everything that follows from them; and their answers."""
    process.settle()
    before = process.cpu()
    answers = [streams.write(users) for _ in range(count)]
    process.settle()
    return process.cpu() - before, answers


@contextlib.contextmanager
def write_latency(place, count=ACCOUNTS, each=STREAMS_OF_ACCOUNT):
    """The answer to a write while many streams are open, some of each account; the yardstick is the same on a server without
    streams. The writer is a process of its own, so that its answer doesn't wait for events that are read."""
    with accounts.server(place / "live", count, *UNLIMITED) as (server, users), \
            accounts.server(place / "quiet", count, *UNLIMITED) as (quiet_server, _), \
            client(server.port) as live, client(server.port) as writer, client(quiet_server.port) as quiet:
        live.open(users, each)

        def side(running, streams):
            def sample(_):
                store = running.data / "satchel.sqlite"
                before = setting.counted(store)
                seconds = [streams.write(users[:1])["answers"] for _ in range(WRITES)]
                assert setting.counted(store) == before + WRITES, "not all writes were stored"
                return {"time": statistics.median(seconds), "slowest": max(seconds)}
            return sample

        yield Row(side(server, writer), side(quiet_server, quiet), "without streams", {"time": Goal(ratio=1.3), "slowest": Goal()})


# Clients and the bare server


class StreamClient:
    """A process with streams and writers, see stream_client.py."""

    NAMES = itertools.count()

    def __init__(self, port):
        self.process = subprocess.Popen(
            [sys.executable, "-I", str(Path(__file__).with_name("stream_client.py")), str(port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {"error": "the client ended unexpectedly"}
        if "error" in answer:
            raise Failure(f"event streams: {answer['error']}")
        return answer

    def open(self, users, count):
        """Opens a number of streams for each account, and waits until all are idle."""
        self.ask({"open": [(user.name, user.token) for user in users for _ in range(count)]})

    def write(self, users):
        """Each account writes a new record; returns when all were answered and all events arrived."""
        requests = []
        for user in users:
            path = user.record(f"live-{next(self.NAMES)}")
            headers = authorization(user.token) | {
                "Content-Type": "application/json", "Content-Length": len(BODY), "If-None-Match": "*"}
            requests.append((user.name, head("PUT", path, headers).decode() + "\r\n", BODY.decode()))
        answer = self.ask({"write": requests})
        wrong = [status for status in answer["statuses"] if not status.startswith("HTTP/1.1 201")]
        assert not wrong, f"writes were answered {wrong}"
        return answer

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@contextlib.contextmanager
def client(port):
    made = StreamClient(port)
    try:
        yield made
    finally:
        made.close()


@contextlib.contextmanager
def bare_server():
    process = subprocess.Popen(
        [sys.executable, "-I", str(Path(__file__).with_name("fan_out.py"))], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, text=True)
    try:
        yield process, int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
