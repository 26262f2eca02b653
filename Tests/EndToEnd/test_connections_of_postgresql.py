"""A PostgreSQL whose connections are used up by others: a clear message, and everything works again afterwards."""

import contextlib
import itertools
import subprocess
import uuid

import pytest

from harness import Cluster, ClusterDatabase, Server, program, wait_until
from harness.api import task
from harness.environment import PATIENCE

END_SERVERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'satcheld';\n"


class Sessions:
    """Sessions of psql that are kept open."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.open = []

    def take_all(self):
        """Opens as many as PostgreSQL accepts."""
        while (session := self._connected()) is not None:
            self.open.append(session)

    def _connected(self):
        session = subprocess.Popen(
            [program("psql"), "-X", "-q", "-d", self.cluster.address], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        # One that was refused may have ended already.
        with contextlib.suppress(BrokenPipeError):
            session.stdin.write("\\warn connected\n")
            session.stdin.flush()
        line = session.stderr.readline()
        if line == "connected\n":
            return session
        assert "too many clients" in line, line
        self._end(session)
        return None

    def run(self, statement):
        """Sends a statement with one of the sessions."""
        self.open[0].stdin.write(statement)
        self.open[0].stdin.flush()

    def close(self):
        """Ends them, and waits until PostgreSQL has noticed it."""
        if not self.open:
            return
        for session in self.open:
            self._end(session)
        self.open = []
        self.cluster.wait_until_it_answers()
        count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'psql'"
        wait_until(lambda: self.cluster.sql(count) == ["1"], "PostgreSQL has no session but the one that asks")

    @staticmethod
    def _end(session):
        with contextlib.suppress(BrokenPipeError):
            session.stdin.close()
        session.stderr.close()
        session.wait(PATIENCE)


@pytest.fixture
def cluster():
    cluster = Cluster()
    yield cluster.start("max_connections=20")
    cluster.close()


@pytest.fixture
def sessions(cluster):
    sessions = Sessions(cluster)
    yield sessions
    sessions.close()


@pytest.fixture
def server(cluster, tmp_path):
    """A server that isn't started yet."""
    server = Server(tmp_path / "server", ClusterDatabase(cluster))
    yield server
    server.close()


def test_a_server_that_gets_no_connection_at_its_start_ends_with_what_to_do(server, sessions):
    sessions.take_all()
    process = server.spawn("--port", "0", "--data", str(server.data))
    assert process.wait(PATIENCE) == 1
    process.stdout.close()
    log = server.log.read_text(encoding="utf-8")
    assert "has no free connection" in log and "max_connections" in log and "--store-connections" in log, log
    sessions.close()
    server.start().api.register()


def test_a_server_that_gets_no_connection_later_answers_503_until_there_is_one(server, sessions):
    ada = server.start().api.register()
    sessions.take_all()

    def is_refused():
        # Those that the server has lost meanwhile.
        sessions.take_all()
        answer = ada.pull()
        if answer.status == 200:
            sessions.run(END_SERVERS)
            return False
        assert (answer.status, answer.code) == (503, "unavailable") and "retry-after" in answer.headers, answer
        return True

    wait_until(is_refused, "the server has no connection for reads")
    assert server.api.request("GET", "/healthz").status == 200
    sessions.close()
    wait_until(lambda: ada.pull().status == 200, "the server has a connection again")


def test_a_push_that_gets_no_connection_is_stored_once_when_it_is_sent_again(server, sessions):
    ada = server.start().api.register()
    numbers, kept = itertools.count(), []

    def push(name, key):
        return ada.push({"mutations": [task(name)]}, key=key)

    def is_refused():
        sessions.take_all()
        name = f"before-{next(numbers)}"
        answer = push(name, str(uuid.uuid4()))
        if answer.status == 200:
            kept.append(name)
            sessions.run(END_SERVERS)
            return False
        assert answer.status == 503, answer
        return True

    sessions.take_all()
    wait_until(is_refused, "the server has no connection for writes")
    key = str(uuid.uuid4())
    answer = push("one", key)
    assert (answer.status, answer.code) == (503, "unavailable") and "retry-after" in answer.headers, answer
    sessions.close()
    wait_until(lambda: push("one", key).status == 200, "the same push is carried out")
    first, second = push("one", key), push("one", key)
    assert first.status == second.status == 200 and first.json["results"] == second.json["results"]
    records = ada.records()
    assert sorted(record["id"] for record in records) == sorted([*kept, "one"])
    assert sorted(record["version"] for record in records) == list(range(1, len(records) + 1)), "each was written once"
