"""Several servers over one PostgreSQL while these are killed: the short form of Tests/cluster, and its own checks."""

import os

import pytest

from harness import cluster_runs
from harness.clients import assigned_twice, faults_of


def perform(name, tmp_path):
    report = cluster_runs.perform(name, tmp_path, seconds=0, seed=1)
    print(report)
    assert report.kills > 0 and report.lost == 0
    return report


def test_eight_readers_on_three_servers_miss_no_version(tmp_path):
    # In seconds; the long form is Tests/cluster --run order.
    seconds = int(os.environ.get("SATCHEL_ORDER_SECONDS", "4"))
    report = cluster_runs.perform("order", tmp_path, seconds=seconds, seed=1)
    print(report)
    assert report.acknowledged > 0 and report.lost == report.kills == 0


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
