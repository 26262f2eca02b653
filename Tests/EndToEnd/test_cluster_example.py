"""The deployment example of several servers (Server/cluster): each file is read by the program that it is for."""

import re
import subprocess
from pathlib import Path

import pytest

from harness import Cluster, program
from harness.cluster_runs import settings
from harness.environment import PATIENCE
from harness.haproxy import EXAMPLE

TOP = Path(__file__).resolve().parents[2]
OPERATING = TOP / "Sources" / "ServerCore" / "ServerCore.docc" / "Operating.md"


def text(name):
    return (EXAMPLE / name).read_text(encoding="utf-8")


def variables():
    """The variables of satcheld.default."""
    return dict(re.findall(r"(?m)^(\w+)=(.*)$", text("satcheld.default")))


@pytest.fixture(scope="module")
def cluster():
    cluster = Cluster()
    yield cluster.start(*(one for one in settings(text("postgresql.conf")) if not one.startswith("listen_addresses=")))
    cluster.close()


def test_haproxy_accepts_its_file(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "satchel.pem"
    subprocess.run(
        [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=satchel", "-keyout", key, "-out",
         certificate], check=True, capture_output=True, timeout=PATIENCE)
    certificate.write_bytes(certificate.read_bytes() + key.read_bytes())
    file = tmp_path / "haproxy.cfg"
    file.write_text(text("haproxy.cfg").replace("/etc/haproxy/satchel.pem", str(certificate)), encoding="utf-8")
    done = subprocess.run([program("haproxy"), "-c", "-f", file], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[WARNING]" not in done.stdout + done.stderr


def test_postgresql_accepts_its_settings(cluster):
    names = [one.partition("=")[0] for one in settings(text("postgresql.conf"))]
    assert "max_connections" in names
    assert cluster.sql("SHOW max_pred_locks_per_transaction") == ["256"]


def test_postgresql_accepts_the_rules_of_who_may_connect(cluster):
    file = cluster.data / "pg_hba.conf"
    before = file.read_text(encoding="utf-8")
    # Not loaded: the view reads the file. This PostgreSQL has no certificate, so it would report that no TLS can arrive.
    file.write_text(text("pg_hba.conf").replace("hostssl", "host"), encoding="utf-8")
    try:
        rules = cluster.sql("SELECT type, auth_method, error FROM pg_hba_file_rules ORDER BY line_number")
    finally:
        file.write_text(before, encoding="utf-8")
    assert rules == ["local|peer|", "host|scram-sha-256|", "host|scram-sha-256|"]


def test_each_variable_of_the_servers_is_one_that_they_read():
    known = set(re.findall(r"`(SATCHELD_\w+)", OPERATING.read_text(encoding="utf-8"))) | {"PGPASSFILE"}
    assert set(variables()) - known == set()


def test_a_server_starts_with_the_variables_as_the_owner_of_the_database(cluster, make_server):
    cluster.sql("CREATE ROLE satchel LOGIN")
    cluster.sql("CREATE DATABASE satchel OWNER satchel ENCODING 'UTF8' TEMPLATE template0")
    chosen = {name: value for name, value in variables().items() if name not in ("SATCHELD_HOST", "PGPASSFILE")}
    # The first address doesn't answer, as that of a primary that has failed.
    chosen["SATCHELD_STORE"] = (
        chosen["SATCHELD_STORE"].replace("10.0.0.21", "127.0.0.1:1").replace("10.0.0.22", f"127.0.0.1:{cluster.port}")
        .replace("sslmode=verify-full", "sslmode=disable"))
    server = make_server().start(environment=chosen)
    assert server.api.request("GET", "/readyz").status == 200
    assert server.api.request("POST", "/v1/accounts", {
        "username": "ada", "password": "correct horse", "device": {"name": "curl"}}).code == "registration-closed"


def test_the_connections_of_all_servers_fit_into_postgresql(cluster):
    servers = len(re.findall(r"(?m)^    server ", text("haproxy.cfg")))
    needed = servers * (int(variables()["SATCHELD_STORE_CONNECTIONS"]) + 1)
    assert servers == 3
    assert needed <= int(dict(one.split("=") for one in settings(text("postgresql.conf")))["max_connections"]) - 10
