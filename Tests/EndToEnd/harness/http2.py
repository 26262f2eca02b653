"""A client of HTTP/2 that may break its rules: one connection with TLS, frame by frame."""

import socket
import ssl

import h2.config
import h2.connection
import h2.events
import h2.exceptions

from .environment import PATIENCE


class HTTP2:
    def __init__(self, server, certificates):
        context = ssl.create_default_context(cafile=certificates.authority)
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self.socket = context.wrap_socket(plain, server_hostname="localhost")
        assert self.socket.selected_alpn_protocol() == "h2"
        self.connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        self.connection.initiate_connection()
        self.events = []
        self.flush()

    def flush(self):
        data = self.connection.data_to_send()
        if data:
            self.socket.sendall(data)

    def request(self, method, path, *, ends=True, headers=()):
        """Begins a request; returns its stream's number."""
        stream = self.connection.get_next_available_stream_id()
        head = [(":method", method), (":path", path), (":scheme", "https"), (":authority", "localhost"), *headers]
        self.connection.send_headers(stream, head, end_stream=ends)
        self.flush()
        return stream

    def send_frame(self, kind, flags, stream, payload=b""):
        """Sends a frame past the library, which would refuse it (RFC 9113 section 4.1)."""
        head = len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big")
        self.socket.sendall(head + payload)

    def wait(self, condition, why):
        """Reads until `condition` is true of the list of all events, or the server closes the connection."""
        while not condition(self.events):
            data = self.socket.recv(65536)
            if not data:
                assert condition(self.events), f"the server closed the connection before {why}: {self.events}"
                return
            self.events += self.connection.receive_data(data)
            self.flush()

    def answer(self, stream):
        """The status of a stream's answer, or the code of its reset."""
        self.wait(lambda events: any(self._decides(event, stream) for event in events), f"an answer on stream {stream}")
        [event, *_] = [event for event in self.events if self._decides(event, stream)]
        if isinstance(event, h2.events.StreamReset):
            return event.error_code
        return int(dict(event.headers)[b":status"])

    @staticmethod
    def _decides(event, stream):
        return isinstance(event, (h2.events.ResponseReceived, h2.events.StreamReset)) and event.stream_id == stream

    def read_to_end(self):
        """Reads until the server has closed the connection."""
        try:
            while data := self.socket.recv(65536):
                try:
                    self.events += self.connection.receive_data(data)
                except h2.exceptions.ProtocolError:  # frames after GOAWAY don't matter
                    pass
        except (ConnectionError, ssl.SSLError):
            pass

    def close(self):
        self.socket.close()
