"""Imports of a Taskwarrior file into a home with one record."""

import contextlib
import shutil

import peers
import setting
from harness import Device
from measuring import Goal, Row, in_sequence, timed


@contextlib.contextmanager
def taskwarrior_import(place, count, goals):
    """`import taskwarrior` of a file (of several, if it would be larger than the client accepts), in a home that was used once, so that its cache exists.

    The yardstick is the sqlite3 shell, which inserts the same rows of `records`, `outbox` and the journal into a copy of
    the same cache, with its triggers, in one durable transaction. It gets the rows as JSON in Satchel's form: it converts,
    checks and compares nothing.
    """
    files = setting.taskwarrior_files(count)
    rows = place / "rows.json"
    setting.sqlite(setting.prepared_home(count) / "satchel.db", written_rows(rows))
    fresh = Device(place / "fresh")
    fresh.run("add", "Read the manual")
    empty = place / "empty.db"
    setting.copy(fresh.home / "satchel.db", empty)

    def product(number):
        device = Device(place / f"device-{number}")
        shutil.copytree(fresh.home, device.home)
        sample = in_sequence(
            *(timed(device.command("import", "taskwarrior", file), setting.environment(device)) for file in files))
        setting.expect(count + 1, device.home / "satchel.db")
        shutil.rmtree(device.directory)
        return sample

    def yardstick(number):
        copy = place / f"yardstick-{number}.db"
        shutil.copy(empty, copy)
        script = place / "insert.sql"
        script.write_text(inserted_rows(rows))
        sample = timed(["sqlite3", "-bail", copy, f".read {script}"])
        setting.expect(count + 1, copy)
        setting.remove(place, "yardstick-*")
        return sample

    def task(number):
        directory = place / f"task-{number}"
        sample = peers.Taskwarrior(directory).import_(files[0], count)
        shutil.rmtree(directory)
        return sample

    sides = {"task": task} if peers.Peers.task and count <= peers.TASKWARRIOR_LIMIT else {}
    yield Row(product, yardstick, "sqlite3 with the same rows", goals, sides)


def goals(seconds):
    return {"time": Goal(value=seconds), "memory": Goal(value=80e6, unit="B")}


def written_rows(file):
    """Writes the rows of an imported home."""
    return f"""
        SELECT writefile('{file}', json_group_array(json_array(collection, id, json(fields), json(clock))))
        FROM (SELECT * FROM records ORDER BY number);
        """


def inserted_rows(file):
    return f"""
        PRAGMA synchronous = FULL;
        BEGIN IMMEDIATE;
        CREATE TEMP TABLE rows AS
            SELECT key, value ->> 0 AS collection, value ->> 1 AS id, value -> 2 AS fields, value -> 3 AS clock
            FROM json_each(CAST(readfile('{file}') AS TEXT));
        INSERT INTO records (space, collection, id, version, deleted, modified_at, modified_by, fields, clock)
            SELECT 1, collection, id, 0, 0, '', '', fields, clock FROM rows ORDER BY key;
        INSERT INTO outbox (record, at, edits) SELECT number, clock ->> '*', 1 FROM records WHERE number > 1;
        INSERT INTO journal (number, command, at) VALUES (2, 'import', 0);
        INSERT INTO journal_changes (entry, space, collection, id, was_live, is_live, before, after)
            SELECT 2, 1, collection, id, 0, 1, '{{}}', fields FROM rows ORDER BY key;
        COMMIT;
        """
