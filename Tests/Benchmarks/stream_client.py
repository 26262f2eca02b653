"""Many event streams, and writers, on raw sockets: stream_client.py PORT. A line of JSON is a command; each is answered.

{"open": [[NAME, TOKEN], …]}: opens a stream for each, and waits for the first event of each.
{"write": [[NAME, HEAD, BODY], …]}: sends all requests at once, each on a kept connection of its name, and waits for their
answers and, on each stream of these names, for one event. The answer has the seconds from the sending until the last of both,
those from the last answer to the last event, and the status lines.
"""

import asyncio
import json
import sys
import time

EVENT = b"event: changes"
PATIENCE = 60


class Stream(asyncio.Protocol):
    """Counts the events of one stream, of which the name may be split between two pieces."""

    def __init__(self, tally, request):
        self.tally = tally
        self.request = request
        self.tail = b""
        self.events = 0

    def connection_made(self, transport):
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data):
        data = self.tail + data
        found = data.count(EVENT)
        self.tail = data[data.rfind(EVENT) + len(EVENT) if found else 0:][-len(EVENT) + 1:]
        self.events += found
        if found:
            self.tally.arrived(found)
        if data.startswith(b"HTTP/1.1 ") and not data.startswith(b"HTTP/1.1 200"):
            self.tally.fail(data.splitlines()[0].decode())

    def connection_lost(self, _):
        self.tally.fail("a stream ended")


class Writer(asyncio.Protocol):
    """Sends one request at a time, and notes when its answer was complete. That is done as the bytes arrive: a task that waits
    for them would go on only after the events that arrived meanwhile."""

    def __init__(self):
        self.status = None

    def connection_made(self, transport):
        self.transport = transport

    def send(self, request):
        self.answer = b""
        self.status = asyncio.get_running_loop().create_future()
        self.transport.write(request)

    def data_received(self, data):
        self.answer += data
        head, end, body = self.answer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        lengths = [line.split(":")[1] for line in lines if line.lower().startswith("content-length:")]
        if end and len(body) >= int(lengths[0] if lengths else 0) and not self.status.done():
            self.time = time.perf_counter()
            self.status.set_result(lines[0])

    def connection_lost(self, _):
        if self.status and not self.status.done():
            self.status.set_exception(ConnectionError("a writer's connection ended"))


class Tally:
    """Waits for a number of events."""

    def __init__(self):
        self.count = 0
        self.last = 0.0
        self.wanted = 0
        self.changed = asyncio.Event()
        self.failure = None

    def arrived(self, count):
        self.count += count
        self.last = time.perf_counter()
        if self.count >= self.wanted:
            self.changed.set()

    def fail(self, why):
        self.failure = self.failure or why
        self.changed.set()

    def want(self, more):
        self.wanted = self.count + more
        self.changed.clear()

    async def wait(self):
        if self.count < self.wanted:
            await asyncio.wait_for(self.changed.wait(), PATIENCE)
        if self.failure:
            raise RuntimeError(self.failure)


class Client:
    def __init__(self, port):
        self.port = port
        self.tally = Tally()
        self.streams = {}
        self.writers = {}

    async def open(self, wanted):
        loop = asyncio.get_running_loop()
        self.tally.want(len(wanted))
        for name, token in wanted:
            request = f"GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
            _, stream = await loop.create_connection(lambda: Stream(self.tally, request), "127.0.0.1", self.port)
            self.streams.setdefault(name, []).append(stream)
        await self.tally.wait()
        return {"streams": sum(map(len, self.streams.values()))}

    async def write(self, requests):
        loop = asyncio.get_running_loop()
        for name, _, _ in requests:
            if name not in self.writers:
                _, self.writers[name] = await loop.create_connection(Writer, "127.0.0.1", self.port)
        writers = [self.writers[name] for name, _, _ in requests]
        expected = sum(len(self.streams.get(name, [])) for name, _, _ in requests)
        self.tally.want(expected)
        began = time.perf_counter()
        for writer, (_, head, body) in zip(writers, requests):
            writer.send((head + body).encode())
        statuses = await asyncio.wait_for(asyncio.gather(*(writer.status for writer in writers)), PATIENCE)
        await self.tally.wait()
        answered, last = max(writer.time for writer in writers), self.tally.last
        # The last event may arrive before the answer.
        return {"answers": answered - began, "events": last - began if expected else None,
                "after": max(0.0, last - answered) if expected else None, "statuses": statuses}


async def main():
    client = Client(int(sys.argv[1]))
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command = json.loads(line)
        try:
            done = await (client.open(command["open"]) if "open" in command else client.write(command["write"]))
        except (OSError, RuntimeError, asyncio.TimeoutError) as error:
            done = {"error": f"{type(error).__name__} {error}"}
        print(json.dumps(done), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
