"""Several servers over one PostgreSQL while these are killed: the short form of Tests/cluster, and its own checks."""

import contextlib
import os
import subprocess
import time
import types

import pytest

from harness import Cluster, cluster_runs
from harness.clients import Acknowledged, Clients, Space, assigned_twice, faults_of


def perform(name, tmp_path):
    report = cluster_runs.perform(name, tmp_path, seconds=0, seed=1)
    print(report)
    assert report.kills > 0
    return report


def test_eight_readers_on_three_servers_miss_no_version(tmp_path):
    # In seconds; the long form is Tests/cluster --run order.
    seconds = int(os.environ.get("SATCHEL_ORDER_SECONDS", "4"))
    report = cluster_runs.perform("order", tmp_path, seconds=seconds, seed=1)
    print(report)
    assert report.acknowledged > 0 and report.kills == 0


def test_a_postgresql_that_is_killed_and_restarted_loses_no_acknowledged_write(tmp_path):
    report = perform("crash", tmp_path)
    assert report.sent_again == 0
    assert report.refused > 0, "what arrives while PostgreSQL is down is refused with 503"


def test_servers_follow_a_failover_to_a_synchronous_standby_without_loss(tmp_path):
    assert perform("synchronous", tmp_path).sent_again == 0


def test_clients_notice_a_failover_that_lost_commits_and_send_them_again(tmp_path):
    assert perform("asynchronous", tmp_path).sent_again > 0


def test_clients_of_a_proxy_go_on_when_one_of_three_servers_is_killed(tmp_path):
    perform("one-of-three", tmp_path)


# The report of a run


def test_a_pause_begins_with_the_kill_and_ends_with_a_write_that_was_sent_after_it():
    clients = Clients.__new__(Clients)
    clients.faults, space = [], Space(types.SimpleNamespace(space="s", token="t"), readers=0)
    # The first by a process that wasn't killed yet, the second by what replaced it.
    space.acknowledged = [Acknowledged("a", 1, 100.01, 100.02), Acknowledged("b", 2, 100.5, 102.0)]
    clients.spaces = [space]
    run = cluster_runs.Run.__new__(cluster_runs.Run)
    run.report, run.clients = cluster_runs.Report("a run"), clients
    run.survived(cluster_runs.Outage(began=100.0, ended=100.25, repaired=101.5))
    assert (run.report.kills, run.report.pauses, run.report.repairs) == (1, [2.0], [1.5])


def test_a_run_in_which_an_acknowledged_write_is_missing_has_no_report():
    space = Space(types.SimpleNamespace(space="s", token="t"), readers=1)
    space.acknowledged = [Acknowledged("a", 1, 0, 0), Acknowledged("b", 2, 0, 0)]
    space.readers[0].seen = stored = {"a": 1, "b": 2}
    run = cluster_runs.Run.__new__(cluster_runs.Run)
    run.report, run.servers = cluster_runs.Report("a run"), []
    run.clients = types.SimpleNamespace(
        spaces=[space], count=2, refused=[], broken=[], stop=lambda: None, stored=lambda _: stored)
    assert run.finish().acknowledged == 2
    del stored["b"]
    with pytest.raises(AssertionError, match="b, version 2, is lost"):
        run.finish()


class FakeCluster:
    """What the runs do with a PostgreSQL, without one: it writes a line to its log."""

    port = 1

    def __init__(self, source=None, log=None):
        self.log_file = log

    def start(self, *_):
        self.log_file.write_text("started\n")
        return self

    def sql(self, _):
        return ["async"]

    def close(self):
        pass


def test_the_logs_of_postgresql_stay_in_the_directory_of_a_run(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_runs, "Cluster", FakeCluster)
    with contextlib.ExitStack() as closing:
        cluster_runs.start_cluster(tmp_path, closing)
    pair = cluster_runs.Pair(tmp_path, is_synchronous=False)
    pair.replace()
    pair.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "postgresql-1.log", "postgresql-2.log", "postgresql-3.log", "postgresql.log"]


def test_a_log_of_its_own_stays_when_postgresql_is_closed(tmp_path):
    log = tmp_path / "postgresql.log"
    cluster = Cluster(log=log)
    cluster.start().close()
    assert not cluster.directory.exists() and "ready to accept connections" in log.read_text(encoding="utf-8")


def test_a_kill_of_postgresql_begins_when_it_accepts_no_connection(monkeypatch):
    moments, run = [], subprocess.run

    def found_processes(*words, **options):
        moments.append(time.monotonic())
        return run(*words, **options)

    monkeypatch.setattr(subprocess, "run", found_processes)
    cluster = Cluster.__new__(Cluster)
    cluster.process = subprocess.Popen(["sleep", "1000"])
    before = time.monotonic()
    began = cluster.kill()
    assert before <= began <= moments[0]


# The checks of the runs


@pytest.mark.parametrize("acknowledged, stored, seen, fault", [
    ([("a", 1), ("b", 2)], {"a": 1}, {"a": 1}, "b, version 2, is lost"),
    ([("a", 1)], {"a": 2, "b": 1}, {"a": 2, "b": 1}, "a has version 2, not 1"),
    ([("a", 1), ("b", 2)], {"a": 1, "b": 2}, {"a": 1}, "the reader missed b"),
    ([("a", 1), ("b", 3)], {"a": 1, "b": 3}, {"a": 1, "b": 3}, "versions have gaps: [(1, 3)]"),
    ([("a", 1)], {"a": 1, "b": 1}, {"a": 1, "b": 1}, "version 1 was assigned to ['a', 'b']"),
])
def test_a_loss_a_gap_and_a_version_that_two_records_have_are_found(acknowledged, stored, seen, fault):
    assert fault in faults_of(acknowledged, stored, seen)


def test_a_write_that_was_stored_and_not_acknowledged_is_no_fault():
    assert faults_of([("a", 1)], {"a": 1, "b": 2}, {"a": 1, "b": 2}) == []


def test_versions_may_have_one_gap_for_each_failover():
    versions = {"a": 1, "b": 1000, "c": 1001}
    assert faults_of(versions.items(), versions, versions, histories=2) == []
    assert faults_of(versions.items(), versions, versions) == ["versions have gaps: [(1, 1000)]"]


def test_a_version_of_a_lost_write_must_not_be_assigned_again():
    acknowledged = [("a", 1), ("lost", 2), ("lost", 4)]
    assert assigned_twice(acknowledged, {"a": 1, "lost": 4}) == {}
    assert assigned_twice(acknowledged, {"a": 1, "lost": 4, "b": 2}) == {2: ["b", "lost"]}
