"""The setting of the rows: homes and servers with many records, prepared once in a call and copied for each row."""

import contextlib
import functools
import shutil
import subprocess
from pathlib import Path

from harness import Device, Server, plain_environment, taskwarrior
from harness.device import PASSWORD
from measuring import Failure

# The tag that 20 open records of each home have.
RARE = "rare"
RARE_COUNT = 20
# The number of tasks in a file; 256 MiB are accepted.
LARGEST_FILE = 250_000


class Setting:
    """The directory of what is prepared; bench.py sets it."""

    directory: Path


# Homes


def tasks(count):
    """The tasks of an export of Taskwarrior, of which a few open ones have the rare tag."""
    made = taskwarrior.export(count)
    pending = [task for task in made if task["status"] == "pending"]
    for task in pending[:: max(1, len(pending) // RARE_COUNT)][:RARE_COUNT]:
        task["tags"] = [*task.get("tags", []), RARE]
    return made


def taskwarrior_file(count):
    """A file with the tasks, as Taskwarrior exports them."""
    file = Setting.directory / f"tasks-{count}.json"
    if not file.exists():
        file.write_bytes(taskwarrior.text(tasks(count)))
    return file


def taskwarrior_files(count):
    """Files with the tasks, none of which is larger than the client accepts."""
    if count <= LARGEST_FILE:
        return [taskwarrior_file(count)]
    made = tasks(count)
    files = []
    for first in range(0, count, LARGEST_FILE):
        files.append(Setting.directory / f"tasks-{count}-from-{first}.json")
        files[-1].write_bytes(taskwarrior.text(made[first:first + LARGEST_FILE]))
    return files


def device_importing(place, files):
    """A device with the tasks of files, unsynced and never signed in."""
    device = Device(place)
    for file in files:
        device.run("import", "taskwarrior", file)
    checkpoint(device.home / "satchel.db")
    return device


@functools.cache
def prepared_home(count):
    return device_importing(Setting.directory / f"home-{count}", taskwarrior_files(count)).home


def device_with(place, count):
    """A device with this many imported, unsynced tasks; never signed in."""
    device = Device(place / "origin")
    shutil.copytree(prepared_home(count), device.home)
    return device


def environment(device):
    return plain_environment(device.directory)


# Servers


@contextlib.contextmanager
def server(place, data=None, *flags):
    """A server at its defaults, on a copy of a data directory if one is given. It writes a line for each request to its
    standard error, which is a file."""
    server = Server(place / "server")
    if data:
        shutil.copytree(data, server.data)
    # A million records and what is pushed on top of them are more than an account may have by default.
    server.start("--quota-records", "unlimited", "--quota-bytes", "unlimited", *flags)
    try:
        yield server
    finally:
        server.close()


@functools.cache
def prepared_data(count):
    """The data directory of a server with the account `ada` and her records, which a device uploaded."""
    place = Setting.directory / f"server-{count}"
    with server(place) as running:
        device_with(place, count).register(running).sync()
        shutil.rmtree(place / "origin")
        expect(count, running.data / "satchel.sqlite")
        running.stop()
    return place / "server" / "data"


@contextlib.contextmanager
def filled_server(place, count):
    """A server with the account `ada` and this many records of hers."""
    with server(place, prepared_data(count)) as running:
        yield running


def signed_in(place, server):
    """A device that receives everything of the account `ada`."""
    device = Device(place).log_in(server)
    device.sync()
    return device


def api(server):
    """A session of the account `ada`."""
    return server.api.log_in(password=PASSWORD)


# Databases


def sqlite(file, script):
    """Runs a script in the sqlite3 shell, untimed; returns its output."""
    # A program may have locked the database for a moment.
    done = subprocess.run(["sqlite3", "-bail", "-cmd", ".timeout 60000", str(file)], input=script, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        raise Failure(f"sqlite3 {file}: {done.stderr}\n{script[:500]}")
    return done.stdout.strip()


def copy(source, target):
    """A copy of a database, including its write-ahead log."""
    sqlite(source, f".backup '{target}'\n")


def checkpoint(file):
    sqlite(file, "PRAGMA wal_checkpoint(TRUNCATE);")


def counted(file, table="records", where="1"):
    return int(sqlite(file, f"SELECT count(*) FROM {table} WHERE {where};"))


def expect(count, file, where="1"):
    """Checks after each round, outside the measured time, that a side did its work."""
    found = counted(file, where=where)
    if found != count:
        raise Failure(f"{file} holds {found} records, not {count}")


def remove(place, pattern):
    """Removes the files that a round created."""
    for made in place.glob(pattern):
        if made.is_dir():
            shutil.rmtree(made)
        else:
            made.unlink()
