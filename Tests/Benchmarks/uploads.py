"""Uploads of records that a device created offline, and pushes into a store that has grown."""

import contextlib
import http.client
import itertools
import json
import shutil
import uuid

import peers
import setting
from harness import Device
from measuring import Goal, Row, in_sequence, stopwatch, timed
from processes import Process
from sink import Sink

BATCH = 1_000
# The records of a push that is measured: so few that the store does not grow much during the rounds.
MEASURED = 100


@contextlib.contextmanager
def upload(place, count):
    """A device with this many unsent records signs in to a new account (untimed) and sends them.

    The yardstick does the same work on both sides without any of our code: the sqlite3 shell creates the same request
    bodies from a copy of the same cache, one curl with one connection sends them to a server that only receives, and
    the sqlite3 shell inserts them into a copy of the server's file, in the same tables, indexes and mode, one durable
    transaction per request. It checks nothing, stores no outcomes and sends no results to the device.

    The server's memory is its peak, and what it holds when the upload is done; each round has a new server.
    """
    origin = setting.device_with(place, count)
    empty = place / "server-empty.db"
    with setting.server(place / "empty") as server:
        server.api.register("someone")
        setting.copy(server.data / "satchel.sqlite", empty)
        space = setting.sqlite(empty, "SELECT max(number) FROM spaces;")

    def product(number):
        device = Device(place / f"device-{number}")
        shutil.copytree(origin.home, device.home)
        with setting.server(place / f"round-{number}") as server:
            device.register(server)
            sample = timed(device.command("sync"), setting.environment(device))
            process = Process(server.process.pid)
            sample |= {"the server's peak memory": process.peak_memory(), "the server's memory": process.memory()}
        setting.expect(count, device.home / "satchel.db", "version > 0")
        setting.expect(count, server.data / "satchel.sqlite")
        setting.remove(place, f"round-{number}")
        shutil.rmtree(device.directory)
        return sample

    with Sink() as sink:

        def yardstick(number):
            cache, store = origin.home / "satchel.db", place / f"server-{number}.db"
            shutil.copy(empty, store)
            bodies = [place / f"body-{index}.json" for index in range(-(-count // BATCH))]
            write, take = place / "write.sql", place / "take.sql"
            write.write_text("".join(write_body(index, body) for index, body in enumerate(bodies)))
            take.write_text("PRAGMA synchronous = FULL;\nPRAGMA cache_size = -16384;\n" + "".join(take_in(space, body) for body in bodies))
            requests = []
            for body in bodies:
                requests += ["--next"] if requests else []
                requests += ["-sS", "--fail", "-H", "Expect:", "-H", "Content-Type: application/json",
                             "-H", f"Idempotency-Key: {uuid.uuid4()}", "--data-binary", f"@{body}", sink.url]
            sample = in_sequence(
                timed(["sqlite3", "-bail", cache, f".read {write}"]), timed(["curl", *requests]),
                timed(["sqlite3", "-bail", store, f".read {take}"]))
            setting.expect(count, store)
            setting.remove(place, f"server-{number}.db*")
            return sample

        yield Row(
            product, yardstick, "sqlite3, curl, then sqlite3",
            {"time": Goal(ratio=2.5), "memory": Goal(unit="B"), "the server's memory": Goal(value=80e6, unit="B"),
             "the server's peak memory": Goal(unit="B")}, peers.uploading(place, count))


def write_body(index, body):
    return f"""
        SELECT writefile('{body}', json_object('mutations', json_group_array(json(mutation)))) FROM (
            SELECT json_object('collection', collection, 'id', id, 'base', 0, 'at', at, 'set', json(fields)) AS mutation
            FROM outbox JOIN records ON number = record WHERE record > {index * BATCH} ORDER BY record LIMIT {BATCH});
        """


def take_in(space, body):
    return f"""
        BEGIN IMMEDIATE;
        INSERT INTO records (space, collection, id, version, deleted, modified_at, modified_by, clock, fields)
        SELECT {space}, value ->> 'collection', value ->> 'id',
            (SELECT version FROM spaces WHERE number = {space}) + key + 1, 0, '2026-01-01T00:00:00.000Z', 'device',
            json_object('*', value ->> 'at'), value -> 'set'
        FROM json_each(CAST(readfile('{body}') AS TEXT), '$.mutations');
        UPDATE spaces SET version = version + {BATCH}, records = records + {BATCH} WHERE number = {space};
        COMMIT;
        """


@contextlib.contextmanager
def push_into(place, count, smaller, measured=MEASURED):
    """A push of a few new records into a space that has this many, against one that has fewer; two servers."""
    with contextlib.ExitStack() as stack:
        grown = stack.enter_context(store_with(place / "grown", count))
        small = stack.enter_context(store_with(place / "small", smaller))
        yield Row(
            lambda _: grown.timed_push(measured), lambda _: small.timed_push(measured), f"a push into {smaller:,} stored records",
            {"time": Goal(ratio=1.3)})


@contextlib.contextmanager
def store_with(place, count):
    """A server with this many records in one space, pushed by a client of a few lines; with its pusher."""
    with setting.server(place) as server:
        pusher = Pusher(server)
        for pushed in range(0, count, BATCH):
            pusher.push(pusher.body(min(BATCH, count - pushed)))
        pusher.expect(count)
        yield pusher


class Pusher:
    """A client that pushes invented tasks."""

    NAMES = itertools.count()
    # The access token lives for a quarter of an hour; a new session is opened well before.
    PUSHES_OF_A_SESSION = 500

    def __init__(self, server):
        self.server = server
        self.api = server.api.register()
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
        self.clock = f"{0x19a_0000_0000:012x}-0000-bench"
        self.pushes = 0
        self.stored = 0
        self.path = f"/v1/spaces/{self.api.space}/changes"

    def body(self, count):
        """New tasks, of the size of those of an export."""
        mutations = []
        for _ in range(count):
            number = next(self.NAMES)
            fields = {
                "title": f"Write the report of a longer meeting (#{number})", "status": "pending",
                "entry": "2026-03-04T05:06:07Z", "modified": "2026-03-04T05:06:07Z", "project": "work.reports",
                "tags": ["phone", "next"]}
            id = str(uuid.UUID(int=number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128), version=4))
            mutations.append({"collection": "tasks", "id": id, "base": 0, "at": self.clock, "set": fields})
        return json.dumps({"mutations": mutations}).encode()

    def push(self, body):
        if self.pushes % self.PUSHES_OF_A_SESSION == self.PUSHES_OF_A_SESSION - 1:
            self.api.log_in()
        self.pushes += 1
        headers = {
            "Authorization": f"Bearer {self.api.token}", "Content-Type": "application/json",
            "Idempotency-Key": str(uuid.uuid4())}
        self.connection.request("POST", self.path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status == 200, f"a push was answered {answer.status}: {text[:500]}"
        self.stored += text.count(b'"status":"applied"')

    def timed_push(self, count):
        self.connection.close()
        self.api.log_in()
        body = self.body(count)
        expected = self.stored + count
        sample = stopwatch(lambda: self.push(body))
        self.expect(expected)
        return sample

    def expect(self, count):
        assert self.stored == count, f"the server applied {self.stored} records, not {count}"
        setting.expect(count, self.server.data / "satchel.sqlite")
