"""A server that only receives: the lower bound of any upload."""

import socket
import threading


class Sink:
    """Answers each HTTP/1.1 request with an empty 200 when its body has arrived. One connection after the other."""

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def _serve(self):
        buffer = bytearray(1 << 20)
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as stream:
                while length := self._content_length(stream):
                    while length > 0:
                        length -= stream.readinto(memoryview(buffer)[: min(length, len(buffer))])
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    @staticmethod
    def _content_length(stream):
        """The length of the next request's body; None at the end of the connection."""
        length = None
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return length
