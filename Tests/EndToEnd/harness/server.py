"""A satcheld for a test."""

import re
import select
import shutil
import subprocess
import time
from pathlib import Path

from .api import API
from .environment import PATIENCE, binary, free_port, launcher, plain_environment
from .postgres import Database


class Server:
    """A server process with its own data directory; its port is the same after restarts."""

    # Whether each server has a PostgreSQL database instead of SQLite's.
    on_postgres = False

    def __init__(self, directory: Path, database=None):
        """`database`: the PostgreSQL database that it shares with other servers."""
        self.directory = directory
        self.shares = database is not None
        self.database = database or (Database() if self.on_postgres else None)
        self.data = directory / "data"
        self.log = directory / "server.log"
        self.port = free_port()
        self.scheme = "http"
        self.process = None
        directory.mkdir(parents=True, exist_ok=True)

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def api(self):
        return API(self.port)

    def start(self, *flags, environment=None, descriptors=None):
        """Starts it, and returns when it listens. Registration is open, unless the flags say otherwise."""
        if "--trusted-proxy" in flags and "--registration" not in flags:
            flags += ("--registration", "open")
        self.process = self.spawn(
            "--port", str(self.port), "--data", str(self.data), *flags, environment=environment, descriptors=descriptors)
        line = self._first_line()
        match = re.fullmatch(r"satcheld: listening on (?:(https?)://127\.0\.0\.1:(\d+)|unix:/.+)\n", line)
        assert match, f"satcheld said {line!r}; its log:\n{self.log.read_text()}"
        if match.group(1):
            self.scheme, self.port = match.group(1), int(match.group(2))
        return self

    def spawn(self, *flags, environment=None, descriptors=None):
        """Starts a process with only these flags, without waiting. `descriptors`: how many it may have open, as the
        limits that it starts with and may raise the first to: a pair."""
        environment = self.environment(**(environment or {}))
        limit = ["prlimit", f"--nofile={descriptors[0]}:{descriptors[1]}"] if descriptors else []
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*limit, *launcher(environment), binary("satcheld"), "serve", *flags], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log, bufsize=0, cwd=self.directory, env=environment)

    def refused_start(self):
        """Starts the server, which must refuse it; returns its log."""
        process = self.spawn("--port", "0", "--data", str(self.data))
        try:
            assert process.wait(PATIENCE) == 1
        finally:
            process.kill()
            process.wait(PATIENCE)
            process.stdout.close()
        return self.log.read_text(encoding="utf-8")

    def command(self, verb, file, *flags):
        """Runs `satcheld backup` or `restore` on this server's data, with any exit code."""
        return subprocess.run(
            [binary("satcheld"), verb, str(file), "--data", str(self.data), *flags], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE, cwd=self.directory, env=self.environment())

    def environment(self, **more):
        """The environment of its processes, with the address of its store."""
        store = {"SATCHELD_STORE": self.database.address} if self.database else {}
        return plain_environment(self.directory, **(store | more))

    def administer(self, *words):
        """Runs a command of the server's owner on this server's data, with any exit code."""
        return subprocess.run(
            [binary("satcheld"), *words, "--data", str(self.data)], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=PATIENCE, cwd=self.directory, env=self.environment())

    def backup(self, file):
        if self.database:
            self.database.dump(file)
        else:
            self._must_succeed(self.command("backup", file))
        return file

    def restore(self, file):
        """Restores a file and starts; the server must have been stopped. Devices stay signed in with both stores."""
        if self.database:
            self.database.load(file)
            self._must_succeed(self.administer("restore", "--mark", "--backup-access"))
        else:
            self._must_succeed(self.command("restore", file))
        return self.start()

    @staticmethod
    def _must_succeed(done):
        assert done.returncode == 0, f"{done.args}\nexit {done.returncode}\n{done.stdout}\n{done.stderr}"

    def lose_data(self):
        """Removes everything that is stored, as a broken disk does; the server must have been stopped."""
        if self.database:
            self.database.drop()
            self.database.create()
        else:
            shutil.rmtree(self.data)

    def stored_bytes(self):
        """Everything that is stored."""
        if self.database:
            self.database.dump(self.directory / "contents", "-Fp")
            return (self.directory / "contents").read_bytes()
        return b"".join(file.read_bytes() for file in self.data.iterdir())

    def stop(self):
        """SIGTERM; returns the exit code."""
        self.process.terminate()
        return self.wait()

    def kill(self):
        """SIGKILL: the server can't handle it."""
        self.process.kill()
        return self.wait()

    def wait(self):
        code = self.process.wait(timeout=PATIENCE)
        self.process.stdout.close()
        self.process = None
        return code

    def close(self):
        if self.process and self.process.poll() is None:
            self.kill()
        if self.database and not self.shares:
            self.database.drop()

    def _first_line(self):
        deadline = time.monotonic() + PATIENCE
        line = b""
        # Byte by byte and unbuffered, because select sees only what is still in the pipe.
        while not line.endswith(b"\n") and time.monotonic() < deadline:
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                byte = self.process.stdout.read(1)
                if not byte:
                    break
                line += byte
        return line.decode()
