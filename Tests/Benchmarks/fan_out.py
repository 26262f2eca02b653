"""The lower bound of event streams in Python: a server that stores nothing. It prints its port.

A GET opens a stream for its token; any other request is answered 201, then its token's streams receive an event of the size
of satcheld's.
"""

import asyncio

OPENING = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
ANSWER = b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
DATA = b'event: changes\nid: 0123456789012345678901\ndata: {"cursor":"%s","space":"%s"}\n\n' % (b"c" * 40, b"s" * 36)
EVENT = b"%x\r\n%s\r\n" % (len(DATA), DATA)


class Connection(asyncio.Protocol):
    streams = {}

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        token = next(line for line in data.split(b"\r\n") if line.startswith(b"Authorization:"))
        if data.startswith(b"GET"):
            self.transport.write(OPENING + EVENT)
            self.streams.setdefault(token, []).append(self.transport)
            return
        self.transport.write(ANSWER)
        for stream in self.streams.get(token, []):
            stream.write(EVENT)


async def main():
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
