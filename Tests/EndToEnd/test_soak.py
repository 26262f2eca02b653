"""What Tests/soak and Tests/cluster do around their runs."""

import types

import pytest

import cluster
import soak
from harness.book import Edit


class Part:
    """A server, a PostgreSQL or a device of which only the calls count."""

    def __init__(self, *_, **__):
        pass

    def __getattr__(self, name):
        return lambda *_: self


class Rounds:
    """A household whose edits are gone after PostgreSQL was killed for the last time."""

    kills = 0

    def __init__(self, *_):
        self.book = types.SimpleNamespace(edits=[])

    def round(self):
        self.book.edits.append(Edit("title", "a", "b"))

    def check_server(self, sent):
        assert len(sent) < 3, "on the server: an edit is missing"


def options(*words):
    return soak.parse(["--rounds", "3", "--seed", "7", *words])


@pytest.fixture
def without_processes(monkeypatch):
    for name in ("Cluster", "ClusterDatabase", "Device", "Server"):
        monkeypatch.setattr(soak, name, Part)
    monkeypatch.setattr(soak, "Household", Rounds)


def test_what_the_last_kill_of_postgresql_lost_is_found(without_processes, tmp_path):
    with pytest.raises(AssertionError, match="an edit is missing"):
        soak.soak(tmp_path, options("--postgres"))


@pytest.mark.parametrize("words, killed", [
    ([], "killed were 5 commands, the server 3 times; seed 7"),
    (["--postgres"], "killed were 5 commands, the server 3 times and PostgreSQL 3 times; seed 7"),
])
def test_the_last_line_names_all_that_was_killed(words, killed):
    household = types.SimpleNamespace(book=types.SimpleNamespace(edits=[None] * 4), kills=5)
    assert soak.summary(options(*words), household) == f"3 rounds, 4 edits, nothing lost; {killed}"


@pytest.mark.parametrize("parse, words", [(soak.parse, ["--postgres"]), (cluster.parse, []), (cluster.parse, ["--run", "one-of-three"])])
def test_a_missing_haproxy_is_named_before_anything_runs(parse, words, monkeypatch, tmp_path, capsys):
    (tmp_path / "psql").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(cluster.cluster_runs, "server_program", lambda name: name)
    with pytest.raises(SystemExit):
        parse(words)
    assert "the program haproxy is missing; on Debian: apt-get install haproxy" in capsys.readouterr().err


def test_runs_without_haproxy_need_none(monkeypatch, tmp_path):
    (tmp_path / "psql").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(cluster.cluster_runs, "server_program", lambda name: name)
    assert cluster.parse(["--run", "crash"]).names == ["crash"]
    assert not soak.parse([]).postgres
