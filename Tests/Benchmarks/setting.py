"""The setting of the rows: servers and homes with many records."""

import contextlib
import subprocess

from harness import Device, Server, plain_environment, taskwarrior


@contextlib.contextmanager
def server(place):
    """A server with the log level of production."""
    server = Server(place / "server").start("--log-level", "warning")
    try:
        yield server
    finally:
        server.close()


def device_with(place, count, tasks=None):
    """A device with this many imported, unsynced tasks, or with these ones; never signed in."""
    device = Device(place / "origin")
    text = taskwarrior.text(tasks or taskwarrior.export(count))
    device.run("import", "taskwarrior", device.write("tasks.json", text))
    checkpoint(device.home / "satchel.db")
    return device


def environment(device):
    return plain_environment(device.directory)


def sqlite(file, script):
    """Runs a script in the sqlite3 shell, untimed; returns its output."""
    done = subprocess.run(["sqlite3", "-bail", str(file)], input=script, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        raise SystemExit(f"sqlite3 {file}: {done.stderr}\n{script[:500]}")
    return done.stdout.strip()


def copy(source, target):
    """A copy of a database, including its write-ahead log."""
    sqlite(source, f".backup '{target}'\n")


def checkpoint(file):
    sqlite(file, "PRAGMA wal_checkpoint(TRUNCATE);")


def expect(count, file, where="1"):
    """Checks after each round, outside the measured time, that a side did its work."""
    found = sqlite(file, f"SELECT count(*) FROM records WHERE {where};")
    if found != str(count):
        raise SystemExit(f"{file} holds {found} records, not {count}")
