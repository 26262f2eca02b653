"""Accepts connections for a proxy of a test."""

import socket
import threading


class Listener:
    """A port of its own, on loopback."""

    def __init__(self, accepted):
        """`accepted` is called with each new connection, one after the other, and must return soon: it may `start` work."""
        self.accepted = accepted
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        start(self._accept)

    def close(self):
        """Accepts no more connections; those that it has accepted go on."""
        self.socket.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            self.accepted(client)


def start(work, *arguments):
    """Begins work in a thread that doesn't keep the process from ending."""
    threading.Thread(target=work, args=arguments, daemon=True).start()
