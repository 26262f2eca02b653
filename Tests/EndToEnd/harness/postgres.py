"""PostgreSQL for tests: databases on the one that Tests/postgres started, and clusters of a test's own."""

import contextlib
import glob
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from .disk import SmallDisk
from .environment import PATIENCE, free_port
from .programs import program

ADDRESS = os.environ.get("SATCHEL_POSTGRES")


def _run(*words, **options):
    done = subprocess.run(
        [str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, **options)
    assert done.returncode == 0, f"{words}\nexit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Database:
    """An empty database."""

    def __init__(self, server=ADDRESS):
        assert server, "SATCHEL_POSTGRES is not set; start with Tests/postgres, or with Tests/EndToEnd/run --store postgres"
        self.server = server
        self.name = f"test_{uuid.uuid4().hex}"
        self.address = urlunsplit(urlsplit(server)._replace(path=f"/{self.name}"))
        self.create()

    def create(self):
        self._on_server(f"CREATE DATABASE {self.name} TEMPLATE template0")

    def drop(self):
        self._on_server(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")

    def sql(self, statement):
        """The rows of a statement, as lines."""
        return _run(program("psql"), "-X", "-A", "-t", "-q", "-d", self.address, "-c", statement).splitlines()

    def dump(self, file, form="-Fc"):
        _run(program("pg_dump"), form, "-d", self.address, "-f", file)
        os.chmod(file, 0o600)

    def load(self, file):
        """Replaces the content by that of a dump."""
        self.drop()
        self.create()
        _run(program("pg_restore"), "--exit-on-error", "-d", self.address, file)

    def _on_server(self, statement):
        _run(program("psql"), "-X", "-q", "-d", self.server, "-c", statement)


def server_program(name):
    """A program of the server, which Debian doesn't put on the PATH."""
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: int(path.split("/")[4]))
    return found[-1] if found else program(name)


class Cluster:
    """A PostgreSQL of a test's own, with the data of a primary, of a standby or of a copy; its port is the same after restarts."""

    # PostgreSQL refuses root.
    USER = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}

    def __init__(self, source=None, wal=None, is_standby=True, log=None):
        """`source`: the primary that this one is a standby of, or a copy that starts without recovery. `wal`: the size of a disk for
        the write-ahead log alone. `log`: the file of its log, for a log that stays when this is closed."""
        # Not in pytest's directory, which other users can't enter.
        self.directory = Path(tempfile.mkdtemp(prefix="satchel-cluster-"))
        if self.USER:
            shutil.chown(self.directory, "postgres", "postgres")
        self.data = self.directory / "data"
        self.log_file = log or self.directory / "log"
        self.process = None
        self.wal_disk = SmallDisk(self.directory / "wal-disk", wal) if wal else None
        if source:
            follow = ["-R"] if is_standby else []
            self._program(
                "pg_basebackup", "-D", self.data, *follow, "-X", "stream", "-c", "fast", "-d",
                f"host=127.0.0.1 port={source.port} user=postgres application_name=standby")
        else:
            # Segments of 1 MB, so that PostgreSQL soon needs room for another one.
            place = ["-X", self.wal_disk.directory / "wal", "--wal-segsize=1"] if wal else []
            self._program(
                "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", *place)
            (self.data / "pg_hba.conf").write_text(
                "host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n", encoding="ascii")
        # As late as possible: until it listens, another program may take the port.
        self.port = free_port()

    def _program(self, name, *words):
        return _run(server_program(name), *words, cwd=self.directory, **self.USER)

    @property
    def address(self):
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def start(self, *settings):
        """Starts it with settings such as `max_connections=40`, and returns when it answers."""
        settings = [
            "listen_addresses=127.0.0.1", f"port={self.port}", f"unix_socket_directories={self.directory}",
            "max_connections=60", "shared_buffers=32MB", *settings]
        flags = [word for setting in settings for word in ("-c", setting)]
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                [server_program("postgres"), "-D", str(self.data), *flags], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.directory, **self.USER)
        self.wait_until_it_answers()
        return self

    def wait_until_it_answers(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with contextlib.suppress(AssertionError):
                return self.sql("SELECT 1")
            assert self.process.poll() is None, self.log
            time.sleep(0.05)
        raise AssertionError(f"PostgreSQL does not answer; its log:\n{self.log}")

    @property
    def log(self):
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def sql(self, statement):
        return _run(program("psql"), "-X", "-A", "-t", "-q", "-d", self.address, "-c", statement).splitlines()

    def kill(self):
        """Ends all its processes as a power failure does: none can finish anything. Returns when that began, on the monotonic
        clock: from then on, PostgreSQL accepts no connection."""
        os.kill(self.process.pid, signal.SIGSTOP)
        began = time.monotonic()
        children = subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        for child in [*children.stdout.split(), self.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
        self.process.wait(PATIENCE)
        self.process = None
        # PostgreSQL refuses to start while processes of the last run are there.
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and any(Path(f"/proc/{child}").exists() for child in children.stdout.split()):
            time.sleep(0.01)
        return began

    def promote(self):
        """Makes a standby the primary."""
        self._program("pg_ctl", "-D", self.data, "-w", "promote")

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(PATIENCE)
        if self.wal_disk:
            self.wal_disk.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class ClusterDatabase:
    """The database of a cluster and of its standbys, for servers."""

    def __init__(self, *clusters):
        hosts = ",".join(f"127.0.0.1:{cluster.port}" for cluster in clusters)
        self.address = f"postgres://postgres@{hosts}/postgres?target_session_attrs=read-write"

    def drop(self):
        """Nothing: the data goes with the cluster."""
