"""What Tests/bench does with its numbers; the measurements themselves are not tests."""

import collections
import contextlib
import json
import os
import resource
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Benchmarks"))

import budget
import chart
import growth
import profiles
import results
import rows
import streams
import wrk
from accounts import Account
from budget import Budget
from growth import Work
from measuring import Goal, Row
from processes import Process


def row(product, yardstick=None, goal=Goal()):
    """The result of a row with these times of a command."""
    made = Row(
        lambda number: {"time": product[number]}, (lambda number: {"time": yardstick[number]}) if yardstick else None,
        "a yardstick", {"time": goal}, name="work")
    return made.measure(len(product) - 1).results()


def test_the_first_round_does_not_count_and_the_ratio_is_that_of_the_medians():
    [result] = row([90, 1, 9, 2], [90, 4, 3, 4])
    assert result["satchel"]["median"] == 2
    assert result["yardstick"]["median"] == 4
    assert result["ratio"] == 0.5


def test_without_a_yardstick_the_ratio_is_that_to_the_goal():
    [result] = row([9, 3, 3], goal=Goal(value=2))
    assert result["ratio"] == 1.5
    assert result["yardstick_name"] == "the goal"
    assert results.missed_goals(result) == ["value"]


def test_a_result_is_named_after_its_row_and_its_quantity():
    made = Row(lambda _: {"time": 1, "memory": 2}, None, "", {"time": Goal(), "memory": Goal(unit="B")}, name="list")
    assert [result["name"] for result in made.measure(1).results()] == ["list", "list: memory"]


def test_rows_have_unique_names():
    names = [plan.name for plan in rows.PLANS]
    assert len(set(names)) == len(names)


def test_a_budget_has_a_name_a_ratio_and_the_goals_that_are_met_in_each_line():
    text = "# a comment\n\nfirst sync of 10,000 records   1.2\nlist, 10,000 records: memory\t-\nadd 3 value peer\n"
    assert budget.parse(text) == {
        "first sync of 10,000 records": Budget(1.2), "list, 10,000 records: memory": Budget(None),
        "add": Budget(3, ("value", "peer"))}


@pytest.mark.parametrize("text, message", [
    ("add 1.5\nadd 1.6", "line 2: “add” has a budget already"),
    ("add, 10,000 records", "line 1: “records” is neither a number nor -"),
    ("1.5", "line 1: a name and a ratio are needed, not “1.5”"),
    ("peer", "line 1: a name and a ratio are needed, not “peer”"),
    ("add 0", "line 1: the ratio must be positive and finite"),
    ("add nan", "line 1: the ratio must be positive and finite"),
])
def test_a_budget_that_can_not_be_read_is_refused_with_its_line(text, message):
    with pytest.raises(budget.BudgetError) as problem:
        budget.parse(text)
    assert str(problem.value) == message


def test_the_budget_of_the_project_names_rows_that_exist():
    budgets = budget.parse(budget.FILE.read_text(encoding="utf-8"))
    assert budget.unknown(budgets, {plan.name for plan in rows.PLANS}) == []
    assert budget.unknown({"a row that was renamed: memory": 1.0}, {"list"}) == ["a row that was renamed: memory"]


def test_a_ratio_beyond_its_budget_is_reported_with_both():
    found = row([2, 2], [1, 1])
    assert budget.exceeded({"work": Budget(1.5)}, found) == ["work: the ratio 2.00 exceeds the budget 1.5"]
    assert budget.exceeded({"work": Budget(2.0)}, found) == []
    assert budget.exceeded({"work": Budget(None)}, found) == []
    assert budget.missing({"another": Budget(1.0)}, found) == ["work"]
    assert budget.missing({}, row([2, 2])) == [], "without a ratio"


def test_the_time_of_a_process_includes_its_children_also_those_that_have_ended():
    mine = Process(os.getpid())
    work = "sum(range(10_000_000)); print(flush=True); input()"
    before = mine.cpu_with_children()
    with subprocess.Popen(
            [sys.executable, "-c", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        child.stdout.readline()
        used = Process(child.pid).cpu()
        running = mine.cpu_with_children() - before
        child.communicate("\n")
    ended = mine.cpu_with_children() - before
    # The kernel rounds each number to hundredths of a second.
    assert min(running, ended) > used - 0.05


def test_a_goal_that_was_met_and_is_missed_is_reported_whatever_the_ratio_is():
    found = row([2, 2], [1, 1], Goal(value=1.5))
    [message] = budget.exceeded({"work": Budget(None, ("value",))}, found)
    assert message == "work: 2.000 s misses a goal that was met: ≤ 1.500 s (value)"
    assert budget.exceeded({"work": Budget(None)}, found) == []
    [slower] = row([2, 2], [1, 1], Goal(peer="task"))
    # A peer that wasn't measured has no time to miss.
    assert budget.exceeded({"work": Budget(None, ("peer",))}, [slower]) == []
    slower["peers"] = {"task": {"median": 1}}
    assert budget.exceeded({"work": Budget(None, ("peer",))}, [slower]) == [
        "work: 2.000 s misses a goal that was met: ≤ task (peer)"]


@pytest.mark.parametrize("product, yardstick, goal, limit", [
    (2, 1, Goal(), Budget(2.5)), (2, 1, Goal(ratio=1.3), Budget(2.5)), (1.2, 1, Goal(ratio=1.3), Budget(1.3)),
    (1, 1, Goal(ratio=1.3), Budget(1.25)), (0.9, None, Goal(value=1), Budget(1)), (2, None, Goal(value=1), Budget(2.5)),
    (2, 1, Goal(value=3), Budget(2.5, ("value",))), (2, 1, Goal(value=1), Budget(2.5)), (2, None, Goal(), Budget(None)),
])
def test_a_line_of_the_budget_has_a_margin_but_no_more_than_a_goal_that_is_met(product, yardstick, goal, limit):
    [found] = row([product, product], [yardstick, yardstick] if yardstick else None, goal)
    assert budget.parse(budget.line(found)) == {"work": limit}


def test_results_are_compared_by_the_ratio_of_their_ratios(tmp_path):
    file = tmp_path / "earlier.jsonl"
    results.write(file, "a machine", row([4, 4], [1, 1]))
    earlier = results.read(file)
    assert json.loads(file.read_text().splitlines()[0]) == {"about": "a machine"}
    [now] = row([2, 2], [1, 1])
    assert results.comparison(now, earlier["work"]) == ["4.00", "0.50"]
    assert results.comparison(now, None) == ["–", "–"]
    assert results.comparison(now, earlier["work"] | {"yardstick_name": "another"}) == ["another yardstick", "–"]


@pytest.mark.parametrize("value, unit, text", [
    (1.5, "s", "1.500 s"), (0.0123, "s", "12.3 ms"), (0.00123, "s", "1.23 ms"), (2e-6, "s", "2.00 µs"),
    (45.6e6, "B", "45.6 MB"), (10 * 1024, "B", "10.0 KiB"), (12, "B", "12.0 B"), (None, "s", "–"),
])
def test_quantities_are_shown_with_their_units(value, unit, text):
    assert results.shown(value, unit) == text


def test_a_plot_is_well_formed_xml_with_a_point_for_each_size():
    panel = chart.Panel("add <one>", "records", {1_000: (0.01, 0.02), 100_000: (0.03, None)})
    drawing = xml.etree.ElementTree.fromstring(chart.svg([panel]))
    circles = [element for element in drawing.iter() if element.tag.endswith("circle")]
    assert len(circles) == 2


def test_a_request_of_any_bytes_is_written_as_a_text_of_lua():
    assert wrk.lua_text(b'a"b\\\r\n\xc3') == b'"a\\034b\\092\\013\\010\\195"'


@pytest.mark.parametrize("library, symbol, part", [
    ("[kernel.kallsyms]", "clear_page_erms", "kernel"), ("libsqlite3.so.0.8.6", "0x1234", "SQLite"),
    ("libcurl.so.4.8.0", "0x1234", "curl and TLS"), ("libc.so.6", "malloc", "C library"),
    ("satchel", "swift_retain", "Swift's runtime"), ("satchel", "$s10SyncEngine7SyncRunC3runyyF", "SyncEngine"),
    ("satcheld", "$s8NIOPosix9EventLoopC", "HTTP server"), ("satchel", "$sSS6appendyySSF", "Swift's standard library"),
    ("satchel", "$s20FoundationEssentials4DataV", "Foundation"), ("satchel", "ares_init", "other C code"),
])
def test_a_sample_counts_for_the_file_or_the_module_of_its_symbol(library, symbol, part):
    assert profiles.part(library, symbol) == part


def test_a_profile_shows_the_largest_parts_of_each_program():
    found = {"satchel": {"kernel": 0.003, "SyncEngine": 0.001}}
    plan = next(plan for plan in rows.PLANS if plan.name == "process start")
    text = profiles.page(plan, {program: collections.Counter(parts) for program, parts in found.items()}, 7)
    assert "process start: 7 rounds" in text and "4.00 ms" in text and "kernel 75%, SyncEngine 25%" in text


@pytest.mark.parametrize("may_raise, accounts", [(True, 400), (False, 398)])
def test_there_are_as_many_streams_as_the_limit_of_open_files_allows(monkeypatch, may_raise, accounts):
    limits = [1_024, 20_000]

    def set_limits(_, wanted):
        if wanted[1] > limits[1] and not may_raise:
            raise ValueError("not allowed to raise maximum limit")
        limits[:] = wanted

    monkeypatch.setattr(streams, "OTHER_DESCRIPTORS", 88)
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(limits))
    monkeypatch.setattr(resource, "setrlimit", set_limits)
    assert streams.accounts_within_limits(400) == accounts
    assert limits[0] == limits[1]


def test_an_event_is_measured_from_the_write_and_from_its_answer():
    with streams.bare_server() as (_, port), streams.client(port) as client:
        users = [Account("ada", "a token", "a space")]
        client.open(users, 3)
        answer = client.write(users)
    assert answer["after"] == pytest.approx(max(0, answer["events"] - answer["answers"]))
    assert answer["statuses"] == ["HTTP/1.1 201 Created"]


@contextlib.contextmanager
def sized(place, count):
    """A row that takes a second with 1,000,000."""
    yield Row(lambda _: {"time": count / 1e6, "memory": count}, None, "", {"time": Goal(), "memory": Goal(unit="B")})


def test_growth_with_only_adds_to_the_results_of_an_earlier_call(tmp_path, monkeypatch):
    works = [Work("list", sized, ("time", "memory")), Work("add", sized), Work("list", sized, unit="accounts")]
    monkeypatch.setattr(growth, "WORKS", works)

    def lines(*call):
        growth.measure(tmp_path, tmp_path / "results", 1, *call)
        return [[cell.strip() for cell in line.split("|")[1:-2]]
                for line in (tmp_path / "results" / "growth.md").read_text().splitlines() if line.startswith("| ")]

    first = lines(False, "a machine", "list")
    assert first[:3] == [
        ["work", "1,000 records", "10,000 records", "100,000 records"], ["list", "1.00 ms", "10.0 ms", "100.0 ms"],
        ["list: memory", "1000.0 B", "9.77 KiB", "97.7 KiB"]]
    assert first[3:] == [["work", "1 account", "100 accounts", "10,000 accounts"], ["list", "1.00 µs", "100.0 µs", "10.0 ms"]]
    both = lines(True, "a machine", "add")
    assert both[1] == ["list", "1.00 ms", "10.0 ms", "100.0 ms", "–"]
    assert both[3] == ["add", "1.00 ms", "10.0 ms", "100.0 ms", "1.000 s"]
    assert both[4:] == first[3:]
    assert len(lines(False, "a machine")) == 6


@pytest.mark.parametrize("is_quick, samples", [(True, 3), (False, 1)])
def test_growth_measures_quick_work_with_a_million_records_in_all_rounds(tmp_path, is_quick, samples):
    row = growth.measured(Work("list", sized, is_quick=is_quick), growth.LARGE, tmp_path, 3)
    assert len(row.samples["satchel"]) == samples
