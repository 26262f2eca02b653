"""A PostgreSQL that servers can't use: of an old version, with another schema, or without the rights. Each message says what to do."""

import re
import socket
import uuid
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from harness import Server, wait_until
from harness.api import task
from harness.listener import Listener, start


class FormerVersion:
    """A TCP proxy in front of PostgreSQL that changes the version that it reports to 12."""

    def __init__(self, target):
        """`target`: the port of PostgreSQL."""
        self.target = target
        self.listener = Listener(self._accepted)
        self.port = self.listener.port

    def close(self):
        self.listener.close()

    def _accepted(self, client):
        server = socket.create_connection(("127.0.0.1", self.target))
        start(self._copy, client, server, bytes)
        start(self._copy, server, client, self._with_former_version)

    @staticmethod
    def _with_former_version(piece):
        # The message ParameterStatus: PostgreSQL sends it with its answer to the log-in, in one piece.
        return re.sub(rb"(?<=server_version\0)\d\d", b"12", piece)

    @staticmethod
    def _copy(source, sink, change):
        with source:
            try:
                while piece := source.recv(65536):
                    sink.sendall(change(piece))
                sink.shutdown(socket.SHUT_WR)
            except OSError:
                pass


@dataclass
class Access:
    """The address of a database, for a `Server`."""

    address: str


@pytest.fixture
def make_server(tmp_path):
    """Creates the server that uses a database; it isn't started yet."""
    servers = []

    def make(database):
        servers.append(Server(tmp_path / "server", database))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture
def role(database):
    """A new role, without any right to the database."""
    name = f"role_{uuid.uuid4().hex}"
    database.sql(f"CREATE ROLE {name} LOGIN")
    yield name
    database.sql(f"REASSIGN OWNED BY {name} TO CURRENT_USER; DROP OWNED BY {name}; DROP ROLE {name}")


def access(database, user=None, port=None):
    """The database as another user, or through another port."""
    parts = urlsplit(database.address)
    place = f"{user or parts.username}@{parts.hostname}:{port or parts.port}"
    return Access(parts._replace(netloc=place).geturl())


def tables(database):
    return database.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")


def test_a_postgresql_that_is_too_old_is_refused_at_the_start_and_unchanged(make_server, database):
    proxy = FormerVersion(urlsplit(database.address).port)
    try:
        log = make_server(access(database, port=proxy.port)).refused_start()
    finally:
        proxy.close()
    assert "has version 12; version 13 or newer is needed" in log, log
    assert tables(database) == []


def test_tables_that_a_newer_server_has_changed_are_refused_at_the_start(make_server, database):
    server = make_server(database).start()
    assert server.stop() == 0
    database.sql("INSERT INTO migrations (name) VALUES ('99: later')")
    log = server.refused_start()
    assert "a newer version of the server has changed the tables" in log and "install that version" in log, log


def test_a_role_that_may_not_create_tables_is_refused_at_the_start(make_server, database, role):
    # Up to PostgreSQL 14, everyone may create tables there.
    database.sql("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    server = make_server(access(database, user=role))
    log = server.refused_start()
    assert "the user may not use the database" in log and "ALTER DATABASE NAME OWNER TO USER" in log, log
    assert tables(database) == []


def test_a_role_that_loses_its_rights_gets_503_until_it_has_them_again(make_server, database, role):
    database.sql(f"ALTER DATABASE {database.name} OWNER TO {role}; GRANT CREATE ON SCHEMA public TO {role}")
    server = make_server(access(database, user=role)).start()
    ada = server.api.register()
    body = {"mutations": [task("one")]}
    key = str(uuid.uuid4())
    database.sql(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}")
    for answer in (ada.pull(), ada.push(body, key=key)):
        assert (answer.status, answer.code) == (503, "unavailable") and "retry-after" in answer.headers, answer
    assert server.api.request("GET", "/readyz").status == 503
    log = server.log.read_text(encoding="utf-8")
    assert "lacks a privilege" in log and "ALTER DATABASE" in log, log
    database.sql(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}")
    wait_until(lambda: ada.push(body, key=key).status == 200, "the server can write again")
    assert [record["id"] for record in ada.records()] == ["one"]
