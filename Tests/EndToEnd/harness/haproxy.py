"""haproxy in front of several servers, with the configuration of the deployment example, or that of the page ManyServers."""

import re
import subprocess
import textwrap
from pathlib import Path

from .api import API
from .environment import PATIENCE, free_port, wait_until
from .programs import program

TOP = Path(__file__).resolve().parents[3]
EXAMPLE = TOP / "Server" / "cluster"
CONFIGURATION = EXAMPLE / "haproxy.cfg"
PAGE = TOP / "Sources" / "ServerCore" / "ServerCore.docc" / "ManyServers.md"
# The block of code of a page that has the configuration.
BLOCK = re.compile(r"(?m)^    defaults\n(?:    .*\n)+")
# The addresses of a configuration's servers, in their order.
SERVER = re.compile(r"(?m)^(    server \S+) (\S+:\d+)")
BIND = re.compile(r"(?m)^    bind .*$")
# Those of the process, which need root or more open files than a test may have.
OF_THE_SYSTEM = re.compile(r"(?m)^    (?:user|group|log|option httplog|option dontlognull|maxconn)\b.*\n")


def configuration(text, port, servers):
    """A configuration with another port, and other ports of its servers on loopback."""
    ports = iter(servers)
    text = SERVER.sub(lambda match: f"{match[1]} 127.0.0.1:{next(ports)}", OF_THE_SYSTEM.sub("", text))
    return BIND.sub(f"    bind 127.0.0.1:{port}", text, count=1)


def published(file):
    """The configuration in a file, which may be a page."""
    text = file.read_text(encoding="utf-8")
    return textwrap.dedent(BLOCK.search(text)[0]) if file.suffix == ".md" else text


class HAProxy:
    """haproxy with a published configuration."""

    def __init__(self, directory: Path, servers, source=CONFIGURATION):
        """`servers`: the ports of its servers, as many as the configuration has. `source`: the file with the configuration."""
        self.port = free_port()
        self.file = directory / "haproxy.cfg"
        self.log = directory / "haproxy.log"
        self.file.write_text(configuration(published(source), self.port, servers), encoding="utf-8")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [program("haproxy"), "-db", "-f", str(self.file)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=directory)
        try:
            wait_until(self._answers, "haproxy has a server")
        except BaseException:
            self.close()
            raise

    def _answers(self):
        assert self.process.poll() is None, self.log.read_text(encoding="utf-8")
        try:
            return API(self.port).request("GET", "/healthz").status == 200
        except OSError:
            return False

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
