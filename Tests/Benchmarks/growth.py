"""How the time and the memory of the same work grow with the number of records and of accounts: `Tests/bench --growth`.

Rows are those of the benchmark at several sizes. Written are `growth.json`, the results as JSON lines, `growth.md`, a table with
Satchel's medians and the ratios to the yardsticks, and `growth.svg`, a plot of the times. With `only`, results of an earlier call
that aren't measured again are kept.
"""

import json
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Callable, NamedTuple

import chart
import downloads
import everyday
import imports
import results
import serving
import streams
import uploads
import wrk
from measuring import FAILURES, Goal

RECORDS = [1_000, 10_000, 100_000]
LARGE = 1_000_000
ACCOUNTS = [1, 100, 10_000]
CONNECTIONS = 4
# The space into which is pushed for comparison has this many records.
SMALLEST = RECORDS[0]


class Work(NamedTuple):
    """Work that is measured at several sizes."""

    name: str
    make: Callable
    quantities: tuple[str, ...] = ("time",)
    # What grows: `records` or `accounts`.
    unit: str = "records"
    # With 1,000,000 records it takes less than a second, so that it is measured in as many rounds as at the other sizes.
    is_quick: bool = False
    needs_wrk: bool = False


# A session may have 8 requests under way, so there are fewer connections: with one account, they share one session.
READS, WRITES = f"reads of one record, {CONNECTIONS} connections", f"durable writes, {CONNECTIONS} connections"

WORKS = [
    Work("start, to print a record", everyday.show_record, is_quick=True),
    Work("add", everyday.add_record, is_quick=True),
    Work("list", everyday.list_records, ("time", "memory"), is_quick=True),
    Work("list of a rare tag", everyday.list_tag, is_quick=True),
    Work("search", everyday.search_records, is_quick=True),
    Work("first search after a sync", everyday.first_search, is_quick=True),
    Work("search before the words are indexed", partial(everyday.first_search, is_indexed=False)),
    Work("import", partial(imports.taskwarrior_import, goals=imports.goals(None)), ("time", "memory")),
    Work("first sync", downloads.first_sync, ("time", "memory")),
    Work("upload", uploads.upload, ("time", "memory", "the server's memory")),
    Work("sync with nothing to do", downloads.nothing_to_do, is_quick=True),
    Work("push of one record", partial(uploads.push_into, smaller=SMALLEST, measured=1), is_quick=True),
    Work("push of 100 records", partial(uploads.push_into, smaller=SMALLEST), is_quick=True),
    Work("write, to the last event at 25 streams", streams.event_with, ("time", "after the answer"), is_quick=True),
    Work(READS, partial(serving.reads_among, connections=CONNECTIONS), is_quick=True, needs_wrk=True),
    Work(WRITES, partial(serving.writes_among, connections=CONNECTIONS), is_quick=True, needs_wrk=True),
    Work("idle server", serving.idle_with_records, ("memory",), is_quick=True),
    Work(READS, partial(serving.reads, connections=CONNECTIONS), unit="accounts", needs_wrk=True),
    Work(WRITES, partial(serving.writes, connections=CONNECTIONS, goals={"time": Goal()}), unit="accounts", needs_wrk=True),
    Work("log-in", serving.log_in, unit="accounts"),
    Work("idle server", serving.idle_with_accounts, ("memory",), unit="accounts"),
]


def measure(directory, target, rounds, is_large, machine, only=""):
    """Measures all work whose name contains `only`, and writes the results into `target`, after each one, so that a call that is
    ended early leaves them."""
    target.mkdir(parents=True, exist_ok=True)
    sizes = {"records": [*RECORDS, *([LARGE] if is_large else [])], "accounts": ACCOUNTS}
    found = read(target / "growth.json") if only else {}
    failures = []
    for work in WORKS:
        if only not in work.name:
            continue
        if work.needs_wrk and not wrk.is_installed():
            print(f"left out: {work.name} by {work.unit}; {wrk.MISSING}", file=sys.stderr)
            continue
        for size in sizes[work.unit]:
            print(f"measuring: {work.name}, {size:,} {work.unit} …", file=sys.stderr)
            try:
                measured_results = measured(work, size, directory, rounds).results()
            except FAILURES as error:
                failures.append(f"{work.name}, {size:,} {work.unit}: {error}")
                print(failures[-1], file=sys.stderr)
                continue
            for result in measured_results:
                found[work.unit, result["name"], size] = result
            write(target, machine, found)
    if failures:
        raise SystemExit("\nNot measured:\n" + "\n".join(failures))


def measured(work, size, directory, rounds):
    with tempfile.TemporaryDirectory(dir=directory) as place, work.make(Path(place), count=size) as row:
        row.name = work.name
        row.quantities = {name: goal for name, goal in row.quantities.items() if name in work.quantities}
        # Once if it takes minutes.
        return row.measure(1, warm_ups=0) if size == LARGE and not work.is_quick else row.measure(rounds)


# The results, by what grows, name and size


def write(target, machine, found):
    lines = [result | {"unit of size": unit, "size": size} for (unit, _, size), result in found.items()]
    results.write(target / "growth.json", machine, lines)
    (target / "growth.md").write_text(page(machine, found), encoding="utf-8")
    panels = [
        chart.Panel(name, f"{unit} stored", {size: medians(result) for size, result in by_size.items()})
        for unit in ("records", "accounts") for name, by_size in series(found, unit).items() if is_time(by_size)]
    if panels:
        (target / "growth.svg").write_text(chart.svg(panels), encoding="utf-8")
    print(f"written: {target / 'growth.md'}, {target / 'growth.svg'}", file=sys.stderr)


def read(file):
    """The results of an earlier call; none if there was none."""
    if not file.exists():
        return {}
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return {(line["unit of size"], line["name"], line["size"]): line for line in lines if "name" in line}


def series(found, unit):
    """The results of each quantity, by size, in the order of the works."""
    names = [work.name if quantity == "time" else f"{work.name}: {quantity}"
             for work in WORKS if work.unit == unit for quantity in work.quantities]
    sizes = {name: sorted(size for *key, size in found if key == [unit, name]) for name in names}
    return {name: {size: found[unit, name, size] for size in sizes[name]} for name in names if sizes[name]}


def is_time(by_size):
    # An axis is logarithmic, so it has no place for a time of 0: an event may arrive before the answer.
    return all(result["unit"] == "s" and result["satchel"]["median"] > 0 for result in by_size.values())


def medians(result):
    """Satchel's median and the yardstick's."""
    return result["satchel"]["median"], result["yardstick"]["median"] if result["yardstick"] else None


def page(machine, found):
    text = f"{machine}. Medians; in parentheses the ratio to the yardstick.\n"
    for unit in ("records", "accounts"):
        every = series(found, unit)
        sizes = sorted({size for by_size in every.values() for size in by_size})
        lines = [["work", *(f"{size:,} {unit if size > 1 else unit.removesuffix('s')}" for size in sizes), "the yardstick"]]
        for name, by_size in every.items():
            lines.append([name, *(cell(by_size.get(size)) for size in sizes), by_size[max(by_size)]["yardstick_name"]])
        if every:
            text += "\n" + results.markdown(lines) + "\n"
    return text


def cell(found):
    if found is None:
        return "–"
    median = results.shown(found["satchel"]["median"], found["unit"])
    return f"{median} ({results.number(found['ratio'])})" if found["yardstick"] else median
