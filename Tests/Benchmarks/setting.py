"""What the rows are measured on: servers and homes with many records."""

import contextlib
import subprocess

from harness import Device, Server, plain_environment, taskwarrior


@contextlib.contextmanager
def server(place):
    """A server that logs as little as one in production would be told to."""
    server = Server(place / "server").start("--log-level", "warning")
    try:
        yield server
    finally:
        server.close()


def device_with(place, count):
    """A device that has imported so many tasks and not synced them; never signed in."""
    device = Device(place / "origin")
    device.run("import", "taskwarrior", device.write("tasks.json", taskwarrior.text(taskwarrior.export(count))))
    checkpoint(device.home / "satchel.db")
    return device


def environment(device):
    return plain_environment(device.directory)


def sqlite(file, script):
    """Runs a script in the sqlite3 shell, untimed; returns what it prints."""
    done = subprocess.run(["sqlite3", "-bail", str(file)], input=script, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        raise SystemExit(f"sqlite3 {file}: {done.stderr}\n{script[:500]}")
    return done.stdout.strip()


def copy(source, target):
    """A copy of a database, its write-ahead log included."""
    sqlite(source, f".backup '{target}'\n")


def checkpoint(file):
    sqlite(file, "PRAGMA wal_checkpoint(TRUNCATE);")


def expect(count, file, where="1"):
    """That a side did its work is looked at after each round, outside the time."""
    found = sqlite(file, f"SELECT count(*) FROM records WHERE {where};")
    if found != str(count):
        raise SystemExit(f"{file} holds {found} records, not {count}")
