"""A full disk under PostgreSQL's tables or its write-ahead log: a clear message, and everything works again afterwards."""

import base64
import contextlib
import random
import shutil
import uuid

import pytest

from harness import Cluster, Database, Server, SmallDisk, in_step, wait_until
from harness.api import task
from harness.device import PASSWORD


# No checkpoint frees room for the write-ahead log while PostgreSQL runs.
NO_CHECKPOINTS = ["max_wal_size=1GB", "checkpoint_timeout=1h"]


@pytest.fixture
def cluster():
    """A PostgreSQL with the tablespace `small` on the disk `cluster.disk`. Its write-ahead log is elsewhere."""
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


@pytest.fixture
def cluster_with_small_wal():
    """A PostgreSQL whose write-ahead log is on the disk `cluster_with_small_wal.wal_disk`."""
    made = Cluster(wal="48m")
    try:
        yield made.start(*NO_CHECKPOINTS)
    finally:
        made.close()


@pytest.fixture
def server_with_small_wal(cluster_with_small_wal, tmp_path):
    """A running server over it."""
    server = Server(tmp_path / "server", Database(cluster_with_small_wal.address))
    yield server.start()
    server.close()


def answers(cluster):
    """Whether PostgreSQL answers; if it has ended, it is started again, as its owner would."""
    if cluster.process.poll() is not None:
        cluster.start(*NO_CHECKPOINTS)
    with contextlib.suppress(AssertionError):
        return cluster.sql("SELECT 1") == ["1"]
    return False


def text(size):
    """A text that can't be compressed, as PostgreSQL would otherwise."""
    return base64.b64encode(random.randbytes(size)).decode()[:size]


def creation(id, size):
    return {"mutations": [task(id, title=text(size))]}


def push(api, id, size):
    return api.push(creation(id, size))


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


def test_a_full_disk_of_the_write_ahead_log_loses_nothing_and_works_again_afterwards(
        cluster_with_small_wal, server_with_small_wal, make_device):
    cluster, server = cluster_with_small_wal, server_with_small_wal
    device = make_device().register(server)
    device.run("add", "Before")
    device.sync()
    api = server.api.log_in(password=PASSWORD)
    kept, refused = ids(api), {}
    # More than the disk holds. A PostgreSQL that recovers by itself may free segments, which are filled again.
    for number in range(200):
        cluster.wal_disk.fill()
        id, body, key = f"large{number}", creation(f"large{number}", 300_000), str(uuid.uuid4())
        answer = api.push(body, key)
        if answer.status == 200:
            kept.add(id)
        else:
            assert answer.status in (503, 507) and "retry-after" in answer.headers, answer
            assert "postgres" not in answer.body.decode().lower()
            refused[id] = (body, key)
        if len(refused) == 3:
            break
    assert len(refused) == 3, "the disk is full"
    assert "PANIC" in cluster.log and "No space left on device" in cluster.log
    assert api.request("GET", "/healthz").status == 200

    cluster.wal_disk.make_room()
    wait_until(lambda: answers(cluster), "PostgreSQL answers again")
    wait_until(lambda: api.pull().status == 200, "the server has a connection again")
    stored = ids(api)
    assert kept <= stored, "what was acknowledged is stored"
    # A commit whose answer was lost may be stored.
    assert stored - kept <= refused.keys()
    for id, (body, key) in refused.items():
        answer = wait_until(lambda: (sent := api.push(body, key)).status == 200 and sent, f"{id} is stored")
        assert [result["status"] for result in answer.json["results"]] == ["applied"], answer
    kept |= refused.keys()
    assert ids(api) == kept, "each is stored once, sent again with its key"

    cluster.kill()
    cluster.start(*NO_CHECKPOINTS)
    wait_until(lambda: api.pull().status == 200, "the server has a connection again")
    assert ids(api) == kept
    device.run("add", "After")
    in_step(device, make_device().log_in(server))
    assert device.records("conflicts") == []
    assert server.stop() == 0
