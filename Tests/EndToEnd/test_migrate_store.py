"""`satcheld migrate-store` moves all data between SQLite and PostgreSQL, and devices notice nothing."""

import subprocess

import pytest

from harness import Server, in_step, wait_until
from harness.environment import PATIENCE, binary, plain_environment


@pytest.fixture
def start(tmp_path):
    """Starts a server on a data directory or on a database, at one address."""
    servers = []

    def start(name, database=None, instead_of=None):
        # Without a database it has SQLite, whatever the other tests use.
        server = Server(tmp_path / name, database or "none")
        server.database = database
        if instead_of:
            server.port = instead_of.port
        servers.append(server)
        return server.start()

    yield start
    for server in servers:
        server.close()


def place(server):
    return server.database.address if server.database else f"sqlite:{server.data}"


def migrate(source, target, directory):
    return subprocess.run(
        [binary("satcheld"), "migrate-store", "--from", source, "--to", target], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=4 * PATIENCE, env=plain_environment(directory))


def refused_start(server):
    """The message of a server that doesn't start."""
    process = server.spawn("--port", "0", "--data", str(server.data))
    assert process.wait(PATIENCE) == 1
    return server.log.read_text(encoding="utf-8")


def test_devices_sync_before_and_after_a_move_in_both_directions(start, database, make_device, tmp_path):
    first = start("first")
    laptop = make_device().register(first)
    desktop = make_device().log_in(first)
    laptop.run("add", "Before")
    in_step(laptop, desktop)
    # Unsent while the data is moved.
    first.stop()
    laptop.run("add", "In between")
    done = migrate(place(first), database.address, tmp_path)
    assert done.returncode == 0, done.stderr
    second = start("second", database, instead_of=first)
    wait_until(lambda: "event=store-moved" in second.log.read_text(), "the move is logged")
    desktop.run("add", "On PostgreSQL")
    in_step(laptop, desktop)
    in_step(desktop, laptop)
    assert laptop.titles() == desktop.titles() == ["Before", "In between", "On PostgreSQL"]
    second.stop()
    done = migrate(database.address, f"sqlite:{tmp_path / 'third' / 'data'}", tmp_path)
    assert done.returncode == 0, done.stderr
    start("third", instead_of=first)
    laptop.run("add", "Back again")
    in_step(laptop, desktop)
    assert laptop.titles() == desktop.titles() == ["Back again", "Before", "In between", "On PostgreSQL"]
    assert laptop.records("conflicts") == desktop.records("conflicts") == []


def test_cursors_tokens_and_results_stay_valid(start, database, tmp_path):
    first = start("first")
    ada = first.api.register()
    body = {"mutations": [{
        "collection": "tasks", "id": "t", "base": 0, "at": "019350000000-0000-x", "set": {"title": "x"}}]}
    once = ada.push(body, key="00000000-0000-4000-8000-000000000001")
    cursor = ada.pull().json["cursor"]
    first.stop()
    assert migrate(place(first), database.address, tmp_path).returncode == 0
    start("second", database, instead_of=first)
    page = ada.pull(f"?since={cursor}")
    assert page.status == 200 and page.json["records"] == [] and page.json["cursor"] == cursor
    again = ada.push(body, key="00000000-0000-4000-8000-000000000001")
    assert again.status == 200 and again.json["results"] == once.json["results"]


def test_a_move_is_refused_while_a_server_runs(start, database, tmp_path):
    first = start("first")
    first.api.register()
    done = migrate(place(first), database.address, tmp_path)
    assert done.returncode == 1 and "another server uses the data directory" in done.stderr
    second = start("second", database)
    second.api.register()
    first.stop()
    done = migrate(place(first), database.address, tmp_path)
    assert done.returncode == 1 and "stop them first" in done.stderr
    second.stop()
    done = migrate(place(first), database.address, tmp_path)
    assert done.returncode == 1 and "has data" in done.stderr and "Nothing was changed" in done.stderr


def test_an_interrupted_move_is_refused_by_servers_and_begins_again(start, database, tmp_path):
    first = start("first")
    ada = first.api.register()
    first.stop()
    # As a killed command leaves it: the target is marked, and has a part of the rows.
    second = Server(tmp_path / "second", database)
    start("made", database).stop()
    database.sql("INSERT INTO meta (name, value) VALUES ('move', 'unfinished sqlite:elsewhere')")
    database.sql("INSERT INTO attempts (name, count, last_at, blocked_until, importance) VALUES ('a part', 1, 1, 1, 1)")
    assert "begin the move again" in refused_start(second)
    done = migrate(place(first), database.address, tmp_path)
    assert done.returncode == 0, done.stderr
    second.port = first.port
    second.start()
    try:
        assert ada.pull().status == 200
        assert database.sql("SELECT name FROM attempts WHERE name = 'a part'") == []
    finally:
        second.close()


def test_the_former_store_is_refused_until_it_is_marked_as_restored(start, database, tmp_path):
    first = start("first")
    first.api.register()
    first.stop()
    assert migrate(place(first), database.address, tmp_path).returncode == 0
    log = refused_start(first)
    assert "was moved to postgres://" in log and "restore this file" in log
    done = first.command("backup", tmp_path / "backup")
    assert done.returncode == 1 and "was moved to postgres://" in done.stderr
    assert not (tmp_path / "backup").exists()
    done = first.command("restore", first.data / "satchel.sqlite")
    assert done.returncode == 0, done.stderr
    first.start()


@pytest.mark.parametrize("source, target, words", [
    ("sqlite:none", "sqlite:other", "there is no database in"),
    ("postgres://127.0.0.1:1/x", "sqlite:other", "can't be used"),
])
def test_a_wrong_place_is_named(tmp_path, source, target, words):
    done = migrate(source.replace(":none", f":{tmp_path}/none"), target.replace(":other", f":{tmp_path}/other"), tmp_path)
    assert done.returncode == 1 and words in done.stderr
    assert not (tmp_path / "other").exists() and not (tmp_path / "none").exists()


def test_a_database_without_tables_is_no_source_and_gets_none(database, tmp_path):
    done = migrate(database.address, f"sqlite:{tmp_path / 'other'}", tmp_path)
    assert done.returncode == 1 and "has no tables of a server" in done.stderr
    assert database.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'") == []
    assert not (tmp_path / "other").exists()
