"""A full disk under PostgreSQL's tables: a clear message, and everything works again afterwards."""

import base64
import contextlib
import random
import shutil

import pytest

from harness import Cluster, Database, Server, SmallDisk, in_step, wait_until
from harness.device import PASSWORD


@pytest.fixture
def cluster():
    """A PostgreSQL with the tablespace `small` on the disk `cluster.disk`. Its write-ahead log is elsewhere: without room for
    that, PostgreSQL ends."""
    with contextlib.ExitStack() as closing:
        made = Cluster()
        closing.callback(made.close)
        # Not in pytest's directory, which other users can't enter.
        made.disk = SmallDisk(made.directory / "disk", "48m")
        closing.callback(made.disk.close)
        place = made.disk.directory / "tablespace"
        place.mkdir()
        if made.USER:
            shutil.chown(place, "postgres", "postgres")
        # Before the disk is unmounted; it may have been killed by the test.
        closing.callback(lambda: made.process and made.kill())
        made.start()
        made.sql(f"CREATE TABLESPACE small LOCATION '{place}'")
        yield made


@pytest.fixture
def server(cluster, tmp_path):
    """A running server whose tables are on the small disk."""
    database = Database(cluster.address)
    cluster.sql(f"ALTER DATABASE {database.name} SET TABLESPACE small")
    server = Server(tmp_path / "server", database)
    yield server.start()
    server.close()


def text(size):
    """A text that can't be compressed, as PostgreSQL would otherwise."""
    return base64.b64encode(random.randbytes(size)).decode()[:size]


def push(api, id, size):
    return api.push({"mutations": [{"collection": "tasks", "id": id, "base": 0, "at": "019350000000-0000-x",
                                    "set": {"title": text(size)}}]})


def ids(api):
    return {record["id"] for record in api.records()}


def test_a_full_disk_of_postgresql_refuses_writes_loses_nothing_and_works_again_afterwards(cluster, server, make_device):
    device = make_device().register(server)
    device.run("add", "Before")
    device.sync()
    api = server.api.log_in(password=PASSWORD)
    kept = ids(api)
    for number in range(5):
        assert push(api, f"before{number}", 50_000).status == 200
        kept.add(f"before{number}")
    cluster.disk.fill()

    refused = push(api, "large", 300_000)
    assert (refused.status, refused.code) == (507, "insufficient-storage"), refused
    assert refused.headers["retry-after"] == "60", refused
    assert "postgres" not in refused.body.decode().lower() and "53100" not in refused.body.decode()
    log = server.log.read_text(encoding="utf-8")
    assert "the disk is full" in log and "53100" in log
    # The files of the tables may have room for some.
    for number in range(20):
        answer = push(api, f"small{number}", 4_000)
        if answer.status == 200:
            kept.add(f"small{number}")
        else:
            assert answer.status in (503, 507) and "retry-after" in answer.headers, answer
    assert ids(api) == kept, "reads are served, and exactly what was acknowledged is stored"
    assert api.request("GET", "/healthz").status == 200
    device.run("note", "Unsent", "--body-file", device.write("body", text(200_000)))
    result = device.try_("sync")
    assert result.code == 5 and "The server's disk is full" in result.err, str(result)

    cluster.disk.make_room()
    assert push(api, "large", 300_000).status == 200
    kept.add("large")
    device.sync()
    assert ids(api) > kept, "the note of the device, too"
    cluster.kill()
    cluster.start()
    wait_until(lambda: api.pull().status == 200, "the server has a connection again")
    assert ids(api) > kept
    in_step(device, make_device().log_in(server))
    assert device.titles("notes") == ["Unsent"] and device.records("conflicts") == []
    assert server.stop() == 0
