"""A satchel for a test: a home directory, and the commands run on it."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .environment import PATIENCE, binary, launcher, plain_environment
from .json_lines import JSONLines

PASSWORD = "correct horse battery"


@dataclass
class Result:
    """A command's output and exit code."""

    arguments: tuple
    code: int
    out: str
    err: str

    def __str__(self):
        return f"satchel {' '.join(self.arguments)}\nexit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


class Device:
    """A device: commands are run to their end, unless started."""

    def __init__(self, directory: Path, environment=None):
        self.directory = directory
        self.home = directory / "satchel"
        self.environment = environment or {}
        self.started = []
        directory.mkdir(parents=True, exist_ok=True)

    # Commands

    def command(self, *arguments):
        return [binary("satchel"), "--home", str(self.home), *map(str, arguments)]

    def start(self, *arguments, stdin=subprocess.PIPE, environment=None):
        """Starts a command and returns its process."""
        environment = plain_environment(self.directory, **{**self.environment, **(environment or {})})
        process = subprocess.Popen(
            [*launcher(environment), *self.command(*arguments)], stdin=stdin, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=self.directory, env=environment)
        self.started.append(process)
        return process

    def try_(self, *arguments, stdin="", environment=None):
        """Runs a command, with any exit code."""
        process = self.start(*arguments, environment=environment)
        return self.finish(process, arguments, stdin)

    def run(self, *arguments, stdin="", environment=None):
        """Runs a command that must succeed."""
        result = self.try_(*arguments, stdin=stdin, environment=environment)
        assert result.code == 0, str(result)
        return result

    @staticmethod
    def finish(process, arguments=(), stdin=""):
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        out, err = process.communicate(data, timeout=PATIENCE)
        return Result(tuple(map(str, arguments)), process.returncode, out.decode(), err.decode())

    def json_lines(self):
        return JSONLines(self.start("--view", "json"))

    def close(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait(timeout=PATIENCE)
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()
        self.started = []

    # Frequent commands of tests

    def password_file(self, password=PASSWORD):
        path = self.directory / "password"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(password + "\n")
        return path

    def register(self, server, name="ada", password=PASSWORD):
        self.run("register", name, "--server", server.url, "--password-file", self.password_file(password))
        return self

    def log_in(self, server, name="ada", password=PASSWORD):
        self.run("login", name, "--server", server.url, "--password-file", self.password_file(password))
        return self

    def sync(self):
        return self.run("sync")

    def export(self):
        """The export's bytes."""
        return self.run("export").out

    def records(self, collection=None):
        records = json.loads(self.export())["records"]
        return [record for record in records if collection in (None, record["collection"])]

    def titles(self, collection="tasks"):
        return sorted(record["fields"]["title"] for record in self.records(collection))

    def record(self, title):
        """The one record with this title."""
        found = [record for record in self.records() if record["fields"].get("title") == title]
        assert len(found) == 1, f"{len(found)} records are called {title!r}: {self.titles()}"
        return found[0]

    def add(self, *words):
        """Adds a task, and returns its id."""
        before = {record["id"] for record in self.records()}
        self.run("add", *words)
        [added] = {record["id"] for record in self.records()} - before
        return added

    def fields(self, id):
        """The fields of the record with this id."""
        [record] = [record for record in self.records() if record["id"] == id]
        return record["fields"]

    def write(self, name, text):
        """Creates a file next to the home, and returns its path."""
        path = self.directory / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


def meet(*devices):
    """All sync until there is nothing new. Then they must hold the same records."""
    for _ in range(2):
        for device in devices:
            device.sync()
    exports = [device.export() for device in devices]
    assert all(export == exports[0] for export in exports)
