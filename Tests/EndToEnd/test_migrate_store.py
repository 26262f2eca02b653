"""`satcheld migrate-store` moves all data between SQLite and PostgreSQL, and devices notice nothing."""

import contextlib
import subprocess

import pytest

from harness import Server, in_step, program, wait_until
from harness.api import task
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


def command(source, target):
    return [binary("satcheld"), "migrate-store", "--from", source, "--to", target]


def migrate(source, target, directory):
    return subprocess.run(
        command(source, target), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=4 * PATIENCE,
        env=plain_environment(directory))


@contextlib.contextmanager
def held(database, statements):
    """Runs statements in a session that stays open meanwhile, and keeps their locks."""
    session = subprocess.Popen(
        [program("psql"), "-X", "-q", "-d", database.address], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True)
    try:
        session.stdin.write(f"{statements};\n\\warn held\n")
        session.stdin.flush()
        line = session.stderr.readline()
        assert line == "held\n", line
        yield
    finally:
        session.stdin.close()
        session.stderr.close()
        session.wait(PATIENCE)


def killed_move(source, target, database, directory):
    """Kills a move while it waits for a lock of the database."""
    process = subprocess.Popen(
        command(source, target), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=plain_environment(directory))

    def waits():
        assert process.poll() is None, "the move has ended before it was killed"
        return database.sql("SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) "
                            "WHERE datname = current_database() AND NOT granted")

    try:
        wait_until(waits, "the move waits for the lock")
    finally:
        process.kill()
        process.wait(PATIENCE)


def wait_until_alone(database):
    """Waits until no other session is left: PostgreSQL notices only when it answers that a process is gone."""
    others = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    wait_until(lambda: database.sql(others) == [], "PostgreSQL has ended the sessions of the killed move")


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
    body = {"mutations": [task("t")]}
    once = ada.push(body, key="00000000-0000-4000-8000-000000000001")
    cursor = ada.pull().json["cursor"]

    def check():
        page = ada.pull(f"?since={cursor}")
        assert page.status == 200 and page.json["records"] == [] and page.json["cursor"] == cursor
        again = ada.push(body, key="00000000-0000-4000-8000-000000000001")
        assert again.status == 200 and again.json["results"] == once.json["results"]

    first.stop()
    assert migrate(place(first), database.address, tmp_path).returncode == 0
    second = start("second", database, instead_of=first)
    check()
    second.stop()
    assert migrate(database.address, f"sqlite:{tmp_path / 'third' / 'data'}", tmp_path).returncode == 0
    start("third", instead_of=first)
    check()


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
    assert "begin the move again" in second.refused_start()
    done = migrate(place(first), database.address, tmp_path)
    assert done.returncode == 0, done.stderr
    second.port = first.port
    second.start()
    try:
        assert ada.pull().status == 200
        assert database.sql("SELECT name FROM attempts WHERE name = 'a part'") == []
    finally:
        second.close()


COUNT = 3_000


def filled(server):
    """A user with many records, of which each has an earlier state."""
    ada = server.api.register()
    versions = {f"t{number:04}": 0 for number in range(COUNT)}
    since = {}
    for at in ("019350000000-0000-x", "019350000001-0000-x"):
        for first in range(0, COUNT, 1_000):
            mutations = [
                {"collection": "tasks", "id": name, "base": versions[name], "at": at, "set": {"title": at}}
                for name in sorted(versions)[first:first + 1_000]]
            answer = ada.push({"mutations": mutations, **since})
            assert answer.status == 200, answer.body
        page = {"more": True}
        while page["more"]:
            page = ada.pull(f"?since={since['since']}" if since else "").json
            versions |= {record["id"]: record["version"] for record in page["records"]}
            since = {"since": page["cursor"]}
    return ada


# Where the move to PostgreSQL is killed: in the middle of a table, and of a batch.
HOLD = """
CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN IF NEW.id = 't1700' THEN PERFORM pg_advisory_xact_lock(1); END IF; RETURN NEW; END $$;
CREATE TRIGGER hold BEFORE INSERT ON records FOR EACH ROW EXECUTE FUNCTION hold()
"""


def test_a_move_to_postgresql_that_is_killed_begins_again(start, database, tmp_path):
    first = start("first")
    ada = filled(first)
    records = ada.records()
    first.stop()
    start("made", database).stop()
    database.sql(HOLD)
    with held(database, "SELECT pg_advisory_lock(1)"):
        killed_move(place(first), database.address, database, tmp_path)
    wait_until_alone(database)
    assert 0 < int(database.sql("SELECT count(*) FROM records")[0]) < COUNT
    assert "begin the move again" in Server(tmp_path / "second", database).refused_start()
    # The source is unchanged.
    first.start()
    assert ada.records() == records
    first.stop()
    done = migrate(place(first), database.address, tmp_path)
    assert done.returncode == 0, done.stderr
    start("second", database, instead_of=first)
    assert ada.records() == records


def test_a_move_from_postgresql_that_is_killed_begins_again(start, database, tmp_path):
    first = start("first", database)
    ada = filled(first)
    records = ada.records()
    first.stop()
    target = f"sqlite:{tmp_path / 'second' / 'data'}"
    # The move reads this table after that of the records.
    with held(database, "BEGIN; LOCK TABLE revisions IN ACCESS EXCLUSIVE MODE"):
        killed_move(database.address, target, database, tmp_path)
    wait_until_alone(database)
    second = Server(tmp_path / "second", "none")
    second.database = None
    assert "begin the move again" in second.refused_start()
    first.start()
    assert ada.records() == records
    first.stop()
    done = migrate(database.address, target, tmp_path)
    assert done.returncode == 0, done.stderr
    start("second", instead_of=first)
    assert ada.records() == records


def test_the_former_store_is_refused_until_it_is_marked_as_restored(start, database, tmp_path):
    first = start("first")
    first.api.register()
    first.stop()
    assert migrate(place(first), database.address, tmp_path).returncode == 0
    log = first.refused_start()
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
