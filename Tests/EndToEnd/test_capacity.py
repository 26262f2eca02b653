"""The model of Tests/capacity."""

import dataclasses
import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Benchmarks"))

import capacity
from capacity import Assumptions, need

TOP = Path(__file__).resolve().parents[2]
PAGE = TOP / "Sources" / "ServerCore" / "ServerCore.docc" / "Capacity.md"
PERFORMANCE = TOP / "Sources" / "Controllers" / "Controllers.docc" / "Performance.md"
EXAMPLE = TOP / "Server" / "cluster" / "postgresql.conf"
DAY = 86_400


def plain(**changes):
    """Assumptions under which everything can be counted by hand: one account with two devices that are always online."""
    chosen = {
        "accounts": DAY, "devices": 2, "edits": 2, "edits_per_push": 1, "online_hours": 24, "starts": 1, "refreshes": 0, "peak": 1,
        "online_peak": 1}
    return Assumptions(**(chosen | changes))


def test_requests_are_counted_from_habits():
    found = need(plain())
    # A second: 2 pushes, an event of each at the other device, which reads; and a start of each device.
    assert (found.writes, found.events, found.reads) == pytest.approx((2, 2, 4))
    assert found.streams == 2 * DAY


def test_edits_that_are_sent_together_are_one_write():
    assert need(plain(edits_per_push=2)).writes == pytest.approx(1)


def test_a_refresh_is_a_write():
    assert need(plain(edits=0, refreshes=1)).writes == pytest.approx(2 * 24)


def test_one_device_alone_has_no_events():
    assert need(plain(devices=1)).events == 0


def test_all_is_proportional_to_the_accounts_except_what_is_rounded_up():
    one, ten = need(Assumptions(accounts=10_000)), need(Assumptions(accounts=100_000))
    for name in ("reads", "writes", "events", "traffic", "storage", "backup"):
        assert getattr(ten, name) == pytest.approx(10 * getattr(one, name)), name


def test_storage_is_that_of_all_states_and_of_the_account():
    a = plain(accounts=1, records=10, states=2, record_bytes=100, row_bytes=50, account_bytes=7)
    assert need(a).storage == 10 * 2 * 150 + 7


@pytest.mark.parametrize("changes, processes", [
    ({}, 3),
    ({"least_processes": 1, "process_streams": 10**6}, 1),
    # 4 reads and 2 writes a second, half of the capacity used.
    ({"process_reads": 4, "process_writes": 2, "process_streams": 10**6}, 4),
    ({"process_streams": DAY // 2}, 4),
])
def test_processes_follow_from_the_load_the_streams_and_the_least_number(changes, processes):
    found = need(plain(**({"process_streams": 10**6} | changes)))
    assert found.processes == processes
    assert found.connections == 17 * processes


def test_a_load_that_one_postgresql_does_not_hold_needs_several():
    a = plain(database_reads=4, database_writes=2)
    assert need(a).databases == 4
    assert "divided among several" in capacity.report(a, need(a))


@pytest.mark.parametrize("changes, words", [
    # 4 reads and 2 writes a second, half of the capacity used.
    ({"sqlite_reads": 16, "sqlite_writes": 8}, "enough: 100% used"),
    ({"sqlite_reads": 4, "sqlite_writes": 2}, "not enough: 4.0 times its requests"),
    ({"process_streams": DAY}, "not enough: 2.0 times its event streams"),
    ({"sqlite_reads": 4, "sqlite_writes": 2, "process_streams": DAY}, "4.0 times its requests and 2.0 times its event streams"),
])
def test_what_one_process_with_sqlite_would_have_to_do_is_shown(changes, words):
    a = plain(**({"process_streams": 10**6} | changes))
    line = next(line for line in capacity.report(a, need(a)).splitlines() if "SQLite" in line)
    assert line.endswith(words)


def test_the_cost_is_the_sum_of_its_parts():
    a = plain(
        accounts=1, edits=0, starts=0, heartbeat_bytes=0, records=0, account_bytes=10**9, process_price=1, proxy_price=10,
        database_price=100, storage_price=1_000, backup_price=10_000, copies=2, backups=3, proxies=2)
    assert need(a).cost == pytest.approx(3 * 1 + 2 * 10 + 2 * 100 + 2 * 1_000 + 3 * 10_000)


def test_each_assumption_is_an_option_with_its_default_in_the_help(capsys):
    with pytest.raises(SystemExit):
        capacity.main(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    for field in dataclasses.fields(Assumptions):
        assert f"--{field.name.replace('_', '-')} N" in text
        assert f"{field.metadata['about']} (default: {field.default})" in text


@pytest.mark.parametrize("words", [["--accounts", "0"], ["--edits", "-1"], ["--use", "nan"], ["--devices", "two"]])
def test_a_number_that_makes_no_sense_is_refused(words, capsys):
    with pytest.raises(SystemExit) as exit:
        capacity.main(words)
    assert exit.value.code == 2 and words[0] in capsys.readouterr().err


def test_json_has_the_assumptions_and_the_need(capsys):
    capacity.main(["--accounts", "5", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["assumptions"]["accounts"] == 5 and found["need"]["processes"] == 3


def test_the_page_shows_what_the_model_computes():
    text = PAGE.read_text(encoding="utf-8")
    for line in capacity.report(Assumptions(), need(Assumptions())).splitlines():
        assert f"    {line}\n" in text


def test_the_page_says_what_the_example_lacks_for_the_connections_of_the_model():
    text = PAGE.read_text(encoding="utf-8")
    found = need(Assumptions())
    example = re.search(r"(?m)^max_connections = (\d+)$", EXAMPLE.read_text(encoding="utf-8"))
    enough = int(re.search(r"raise that to (\d+)", text)[1])
    assert int(example[1]) < found.connections < enough - 10
    assert f"These {found.processes} processes have {found.connections} connections, more than the `{example[0]}`" in text


def test_the_memory_of_an_event_stream_is_the_measured_one():
    kibibytes = int(re.search(r"Of the (\d+) KiB of an idle stream", PERFORMANCE.read_text(encoding="utf-8"))[1])
    assert Assumptions().stream_bytes == kibibytes * 1024
    assert f"an idle event stream ({kibibytes} KiB," in PAGE.read_text(encoding="utf-8")
