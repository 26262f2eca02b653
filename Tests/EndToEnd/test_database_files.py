"""SQLite's files of client and server: read-only, locked, replaced, removed. Reported in plain words, and nothing lost.

A damaged cache may be refused with exit code 7, or set aside and rebuilt automatically; the tests accept both.
"""

import os
import re
import shutil
import sqlite3
import threading
from contextlib import contextmanager

import pytest

from harness import ReadOnly, in_step
from harness.device import PASSWORD
from harness.environment import PATIENCE

DAMAGED, FAILED, REFUSED, UNREACHABLE = 7, 1, 6, 5
PARTS = ("", "-wal", "-shm")


def cache(device):
    return device.home / "satchel.db"


def remove_cache(device):
    for part in PARTS:
        (device.home / f"satchel.db{part}").unlink(missing_ok=True)


def replace_cache(device, other):
    """Replaces this home's cache with another one's."""
    remove_cache(device)
    for part in PARTS:
        if (other.home / f"satchel.db{part}").exists():
            shutil.copy(other.home / f"satchel.db{part}", device.home)


@contextmanager
def locked(path):
    """Another program holds the write lock of a database within this context."""
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        database.execute("BEGIN EXCLUSIVE")
        yield database
    finally:
        database.close()


def on_server(server, name="ada"):
    return sorted(record["fields"]["title"] for record in server.api.log_in(name, PASSWORD).records())


@pytest.fixture
def synced(laptop, desktop):
    """The laptop, with a record that the desktop and the server have, too."""
    laptop.run("add", "On the server")
    in_step(laptop, desktop)
    return laptop


# Read-only


def test_a_cache_that_is_read_only_refuses_edits_and_keeps_everything(synced, desktop):
    synced.run("add", "Unsent")
    desktop.run("add", "News")
    desktop.sync()
    with ReadOnly(cache(synced)):
        for words in [("add", "Refused"), ("sync",)]:
            result = synced.try_(*words)
            assert result.code == DAMAGED and str(cache(synced)) in result.err, str(result)
    in_step(synced, desktop)
    assert synced.titles() == ["News", "On the server", "Unsent"]


# Locked


def test_a_cache_that_is_locked_for_a_moment_is_waited_for(synced):
    with locked(cache(synced)) as other:
        release = threading.Timer(1, other.rollback)
        release.start()
        synced.run("add", "After the wait")
        release.join(PATIENCE)
    assert "After the wait" in synced.titles()


def test_a_cache_that_is_locked_for_long_is_reported_and_nothing_is_changed(synced, desktop):
    synced.run("add", "Unsent")
    with locked(cache(synced)):
        processes = [synced.start(*words) for words in [("add", "Refused"), ("sync",)]]
        for process in processes:
            result = synced.finish(process)
            assert result.code == FAILED and "process" in result.err and str(cache(synced)) in result.err, str(result)
    in_step(synced, desktop)
    assert synced.titles() == ["On the server", "Unsent"]


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_reading_continues_while_another_program_writes_to_a_cache(synced, is_open):
    session = synced.json_lines() if is_open else None
    with locked(cache(synced)):
        assert synced.titles() == ["On the server"]
    assert session is None or session.finish() == 0


# Replaced


def test_another_accounts_cache_in_this_home_sends_nothing_to_the_wrong_account(synced, server, make_device):
    stranger = make_device().register(server, "bob")
    stranger.run("add", "Secret of bob")
    stranger.sync()
    stranger.run("add", "Unsent of bob")
    own = {part: (synced.home / f"satchel.db{part}") for part in PARTS}
    kept = {part: path.read_bytes() for part, path in own.items() if path.exists()}
    replace_cache(synced, stranger)
    result = synced.try_("sync")
    assert result.code == REFUSED and "belongs to the account bob" in result.err and "--home" in result.err, str(result)
    assert on_server(server) == ["On the server"]
    # With the right file in its place, everything continues.
    remove_cache(synced)
    for part, content in kept.items():
        own[part].write_bytes(content)
    synced.run("add", "Goes on")
    synced.sync()
    stranger.sync()
    assert on_server(server) == ["Goes on", "On the server"]
    assert on_server(server, "bob") == ["Secret of bob", "Unsent of bob"]


def test_a_copy_of_another_devices_cache_loses_and_doubles_nothing(synced, desktop, server):
    desktop.run("add", "Unsent of the desktop")
    replace_cache(synced, desktop)
    synced.run("add", "From the laptop")
    for device in (synced, desktop, synced, desktop):
        device.sync()
    expected = ["From the laptop", "On the server", "Unsent of the desktop"]
    assert synced.titles() == desktop.titles() == on_server(server) == expected
    assert synced.export() == desktop.export()
    assert synced.records("conflicts") == []


def way_on(device, server):
    """A device whose cache was damaged or lost restores everything: automatically, or by what its message says."""
    result = device.try_("sync")
    if result.code == 0:
        return
    assert result.err, str(result)
    if result.code == DAMAGED:
        for part in PARTS:
            damaged = device.home / f"satchel.db{part}"
            if damaged.exists():
                damaged.rename(device.home / f"damaged.db{part}")
    device.log_in(server).sync()


@pytest.mark.parametrize("content", [b"garbage " * 10_000, b"SQLite format 3\x00" + b"\xff" * 50_000, b"short"],
                         ids=["garbage", "a good beginning", "a few bytes"])
def test_a_cache_replaced_by_garbage_is_restored_from_the_server(synced, desktop, server, content):
    remove_cache(synced)
    cache(synced).write_bytes(content)
    for words in [("list",), ("status",)]:
        assert synced.try_(*words).code in (0, DAMAGED)
    way_on(synced, server)
    in_step(synced, desktop)
    assert synced.titles() == ["On the server"]
    # The replaced file is still available.
    assert any(path.read_bytes() == content for path in synced.home.rglob("*") if path.is_file())


def test_a_cache_that_was_removed_is_filled_again_from_the_server(synced, desktop, server):
    remove_cache(synced)
    said = synced.sync()
    assert "although ada has signed in on this home" in said.err and "received 1" in said.err, str(said)
    in_step(synced, desktop)
    assert synced.titles() == ["On the server"]


def test_a_wal_file_of_garbage_loses_nothing_that_the_server_has(synced, desktop, server):
    (synced.home / "satchel.db-wal").write_bytes(os.urandom(50_000))
    assert synced.try_("list").code in (0, DAMAGED)
    way_on(synced, server)
    in_step(synced, desktop)
    assert synced.titles() == ["On the server"]


# During an open session


def test_a_session_whose_cache_turns_into_garbage_reports_it_and_the_server_loses_nothing(synced, desktop, server):
    session = synced.json_lines()
    with cache(synced).open("r+b") as file:
        file.truncate(0)
        file.write(os.urandom(100_000))
    outcomes = [session.ask("sync")[1], session.ask("list")[1]]
    for outcome in outcomes:
        assert outcome["type"] == "done" or outcome["message"], outcome
    session.finish()
    way_on(synced, server)
    in_step(synced, desktop)
    assert synced.titles() == ["On the server"]


@pytest.mark.parametrize("replace", [False, True], ids=["removed", "replaced"])
def test_a_session_without_its_cache_acknowledges_no_edit_that_will_be_lost(synced, desktop, server, replace):
    """An open file that was unlinked accepts writes, and they are lost with the process."""
    session = synced.json_lines()
    if replace:
        replace_cache(synced, desktop)
    else:
        remove_cache(synced)
    outcome = session.ask("add", words=["Said", "to", "be", "kept"])[1]
    session.finish()
    way_on(synced, server)
    in_step(synced, desktop)
    if outcome["type"] == "done":
        assert "Said to be kept" in synced.titles()
    else:
        assert outcome["message"] and synced.titles() == ["On the server"]


# The server's database


@pytest.mark.sqlite
def test_a_server_whose_database_is_locked_for_a_moment_only_takes_longer(synced, server):
    synced.run("add", "Unsent")
    with locked(server.data / "satchel.sqlite") as other:
        release = threading.Timer(1, other.rollback)
        release.start()
        synced.sync()
        release.join(PATIENCE)
    assert on_server(server) == ["On the server", "Unsent"]


@pytest.mark.sqlite
def test_a_server_whose_database_is_locked_for_long_reports_it_and_clients_keep_their_edits(synced, desktop, server):
    synced.run("add", "Unsent")
    api = server.api.log_in(password=PASSWORD)
    with locked(server.data / "satchel.sqlite"):
        result = synced.try_("sync")
        assert result.code == UNREACHABLE and "server" in result.err, str(result)
        assert not re.search("sqlite|database", result.err, re.I), "internals"
        answer = api.request("PUT", f"/v1/spaces/{api.space}/records/tasks/x", {"fields": {}}, If_None_Match="*")
        assert (answer.status, answer.headers.get("retry-after")) == (503, "5"), answer
        assert "another program locks the database" in server.log.read_text()
        # Reads are served meanwhile.
        assert [record["fields"]["title"] for record in api.records()] == ["On the server"]
        assert api.request("GET", "/healthz").status == 200
    in_step(synced, desktop)
    assert on_server(server) == ["On the server", "Unsent"] and synced.records("conflicts") == []


@pytest.mark.sqlite
@pytest.mark.parametrize("part", ["satchel.sqlite", "."], ids=["database", "directory"])
def test_a_server_that_may_not_write_its_data_reports_it_and_does_not_start(synced, desktop, server, part):
    server.stop()
    synced.run("add", "Unsent")
    with ReadOnly(server.data / part):
        process = server.spawn("--port", str(server.port), "--data", str(server.data))
        assert process.wait(timeout=PATIENCE) == 1 and process.stdout.read() == b""
        process.stdout.close()
        said = server.log.read_text().splitlines()[-1]
        assert str(server.data) in said and "can't be written" in said
        assert synced.try_("sync").code == UNREACHABLE
    server.start()
    in_step(synced, desktop)
    assert on_server(server) == ["On the server", "Unsent"]
