"""Uploads of records that a device created offline."""

import contextlib
import shutil
import uuid

import setting
from harness import Device
from measuring import Row, timed
from sink import Sink

BATCH = 1_000


@contextlib.contextmanager
def upload(place, count):
    """A device with this many unsent records signs in to a new account (untimed) and sends them.

    The yardstick does the same work on both sides without any of our code: the sqlite3 shell creates the same request
    bodies from a copy of the same cache, one curl with one connection sends them to a server that only receives, and
    the sqlite3 shell inserts them into a copy of the server's file, in the same tables, indexes and mode, one durable
    transaction per request. It checks nothing, stores no outcomes and sends no results to the device.
    """
    with setting.server(place) as server, Sink() as sink:
        origin = setting.device_with(place, count)
        empty = place / "server-empty.db"
        server.api.register("someone")
        setting.copy(server.data / "satchel.sqlite", empty)
        space = setting.sqlite(empty, "SELECT max(number) FROM spaces;")

        def product(number):
            device = Device(place / f"device-{number}")
            shutil.copytree(origin.home, device.home)
            device.register(server, f"user{number}")
            seconds = timed(device.command("sync"), setting.environment(device))
            setting.expect(count, device.home / "satchel.db", "version > 0")
            shutil.rmtree(device.directory)
            return seconds

        def yardstick(number):
            cache, store = origin.home / "satchel.db", place / f"server-{number}.db"
            shutil.copy(empty, store)
            bodies = [place / f"body-{index}.json" for index in range(count // BATCH)]
            write, take = place / "write.sql", place / "take.sql"
            write.write_text("".join(write_body(index, body) for index, body in enumerate(bodies)))
            take.write_text("PRAGMA synchronous = FULL;\n" + "".join(take_in(space, body) for body in bodies))
            requests = []
            for body in bodies:
                requests += ["--next"] if requests else []
                requests += ["-sS", "--fail", "-H", "Expect:", "-H", "Content-Type: application/json",
                             "-H", f"Idempotency-Key: {uuid.uuid4()}", "--data-binary", f"@{body}", sink.url]
            seconds = timed(["sqlite3", "-bail", str(cache), f".read {write}"])
            seconds += timed(["curl", *requests])
            seconds += timed(["sqlite3", "-bail", str(store), f".read {take}"])
            setting.expect(count, store)
            for made in place.glob(f"server-{number}.db*"):
                made.unlink()
            return seconds

        yield Row(f"upload of {count:,} records", "sqlite3, curl, then sqlite3", product, yardstick)


def write_body(index, body):
    return f"""
        SELECT writefile('{body}', json_object('mutations', json_group_array(json(mutation)))) FROM (
            SELECT json_object('collection', collection, 'id', id, 'base', 0, 'at', at, 'set', json(fields)) AS mutation
            FROM outbox JOIN records ON number = record ORDER BY record LIMIT {BATCH} OFFSET {index * BATCH});
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
