"""An event stream, byte for byte."""

import json
import socket
import time

from .environment import PATIENCE


class Stream:
    """An open event stream."""

    def __init__(self, api):
        self.connection = socket.create_connection(("127.0.0.1", api.port), timeout=PATIENCE)
        self.connection.sendall(
            f"GET /v1/events HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {api.token}\r\n\r\n".encode())
        self.received = b""
        while b"retry:" not in self.received:
            piece = self.connection.recv(65536)
            assert piece, self.received
            self.received += piece

    @property
    def events(self):
        """The data of the events so far."""
        return [json.loads(line[5:]) for line in self.received.splitlines() if line.startswith(b"data:")]

    def has_event_within(self, seconds, condition):
        """Whether an event with a condition arrives."""
        return self._receives(seconds, lambda: any(condition(event) for event in self.events))

    def has_event_or_ends_within(self, seconds, condition):
        """Whether an event with a condition arrives, or the server ends it."""
        return self._receives(
            seconds, lambda: self.has_ended or any(condition(event) for event in self.events), at_end=True)

    def ends_within(self, seconds):
        """Whether the server ends it."""
        return self._receives(seconds, lambda: self.has_ended, at_end=True)

    @property
    def has_ended(self):
        """Whether the last chunk of an answer in chunks has arrived (RFC 9112 section 7.1)."""
        return self.received.endswith(b"0\r\n\r\n")

    def _receives(self, seconds, condition, at_end=False):
        deadline = time.monotonic() + seconds
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self.connection.settimeout(left)
            try:
                piece = self.connection.recv(65536)
            except TimeoutError:
                return False
            if not piece:
                return at_end
            self.received += piece
        return True
