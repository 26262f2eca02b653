"""What may be between servers and PostgreSQL: haproxy that forwards connections, and PgBouncer."""

import os
import subprocess
import tempfile
from pathlib import Path

from .environment import PATIENCE, free_port, wait_until
from .postgres import Cluster
from .programs import program

HAPROXY = """
defaults
    mode tcp
    timeout connect 5s
    timeout client 1h
    timeout server 1h
listen postgresql
    bind 127.0.0.1:{port}
    server primary 127.0.0.1:{target}
"""

PGBOUNCER = """
[databases]
* = host=127.0.0.1 port={target} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
server_round_robin = {round_robin}
default_pool_size = 40
"""


class Pooler:
    """A proxy in front of a PostgreSQL; its `port` is the one to use."""

    def __init__(self, kind, cluster, round_robin=False):
        """`kind`: haproxy, or the mode of PgBouncer: session, transaction or statement. `round_robin`: whether PgBouncer uses the
        connection that was idle for the longest time first, and not the last one."""
        self.port = free_port()
        # Not in pytest's directory, which other users can't enter.
        self.directory = tempfile.TemporaryDirectory(prefix="satchel-pooler-")
        place = Path(self.directory.name)
        os.chmod(place, 0o755)
        file, log = place / "configuration", place / "log"
        form = HAPROXY if kind == "haproxy" else PGBOUNCER
        file.write_text(form.format(port=self.port, target=cluster.port, mode=kind, round_robin=int(round_robin)), encoding="utf-8")
        command = [program("haproxy"), "-db", "-f", file] if kind == "haproxy" else [program("pgbouncer"), file]
        # PgBouncer refuses root.
        user = Cluster.USER if kind != "haproxy" else {}
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=place, **user)
        try:
            wait_until(self._answers, f"{kind} forwards connections")
        except BaseException:
            self.close()
            raise

    def _answers(self):
        assert self.process.poll() is None, (Path(self.directory.name) / "log").read_text(encoding="utf-8")
        done = subprocess.run(
            [program("psql"), "-X", "-d", f"postgres://postgres@127.0.0.1:{self.port}/postgres", "-c", "SELECT 1"],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
        return done.returncode == 0

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        self.directory.cleanup()
