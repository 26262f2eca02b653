"""How the time and the memory of the same work grow with the number of records and of accounts: `Tests/bench --growth`.

Rows are those of the benchmark at several sizes. Written are `growth.md`, a table with Satchel's medians and the ratios to the
yardsticks, and `growth.svg`, a plot of the times.
"""

import sys
import tempfile
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
    # Takes minutes with 1,000,000 records, so that it is then measured once, without a warm-up.
    is_slow: bool = False


BY_RECORDS = [
    Work("start, to print a record", everyday.show_record),
    Work("add", everyday.add_record),
    Work("list", everyday.list_records, ("time", "memory")),
    Work("list of a rare tag", everyday.list_tag),
    Work("search", everyday.search_records),
    Work("first search after a sync", everyday.first_search, is_slow=True),
    Work("import", lambda place, count: imports.taskwarrior_import(place, count, imports.goals(None)), ("time", "memory"), is_slow=True),
    Work("first sync", downloads.first_sync, ("time", "memory"), is_slow=True),
    Work("upload", uploads.upload, ("time", "memory", "the server's memory"), is_slow=True),
    Work("sync with nothing to do", downloads.nothing_to_do),
    Work("push of one record", lambda place, count: uploads.push_into(place, count, SMALLEST, 1)),
    Work("push of 100 records", lambda place, count: uploads.push_into(place, count, SMALLEST)),
    Work("write, to the last event at 25 streams", streams.event_with),
]


def by_accounts():
    """Requests to a server with many accounts, which send them in turns. A session may have 8 requests under way, so there
    are fewer connections: with one account, they share one session."""
    if not wrk.is_installed():
        print(f"left out: the rows by accounts; {wrk.MISSING}", file=sys.stderr)
        return []
    return [
        Work(f"reads of one record, {CONNECTIONS} connections", lambda place, count: serving.reads(place, CONNECTIONS, count)),
        Work(f"durable writes, {CONNECTIONS} connections",
             lambda place, count: serving.writes(place, CONNECTIONS, {"time": Goal()}, count)),
        Work("log-in", serving.log_in),
    ]


def measure(directory, target, rounds, is_large, machine, only=""):
    """Measures all work whose name contains `only`, and writes the table and the plot into `target`, after each one, so that a
    call that is ended early leaves them."""
    target.mkdir(parents=True, exist_ok=True)
    records = [*RECORDS, *([LARGE] if is_large else [])]
    parts = [("records", records, []), ("accounts", ACCOUNTS, [])]
    failures = []
    for works, (_, sizes, every) in zip((BY_RECORDS, by_accounts()), parts):
        for work in works:
            if only in work.name:
                every += series(work, sizes, directory, rounds, failures)
                write(target, machine, [part for part in parts if part[2]])
    if failures:
        raise SystemExit("\nNot measured:\n" + "\n".join(failures))


def write(target, machine, parts):
    text = page(machine, parts)
    (target / "growth.md").write_text(text, encoding="utf-8")
    panels = [chart.Panel(one.name, f"{unit} stored", one.points()) for unit, _, every in parts for one in every if one.unit == "s"]
    (target / "growth.svg").write_text(chart.svg(panels), encoding="utf-8")
    print(f"written: {target / 'growth.md'}, {target / 'growth.svg'}", file=sys.stderr)


class Series:
    """The results of one quantity by size."""

    def __init__(self, name, unit):
        self.name = name
        self.unit = unit
        self.results = {}

    def points(self):
        """For each size: Satchel's median and the yardstick's."""
        return {size: (found["satchel"]["median"], found["yardstick"]["median"] if found["yardstick"] else None)
                for size, found in self.results.items()}


def series(work, sizes, directory, rounds, failures):
    """The results of one work; what couldn't be measured is added to `failures`."""
    every = {}
    for size in sizes:
        print(f"measuring: {work.name}, {size:,} …", file=sys.stderr)
        try:
            row = measured(work, size, directory, rounds)
        except FAILURES as error:
            failures.append(f"{work.name}, {size:,}: {error}")
            print(failures[-1], file=sys.stderr)
            continue
        for found in row.results():
            one = every.setdefault(found["name"], Series(found["name"], found["unit"]))
            one.results[size] = found
    return list(every.values())


def measured(work, size, directory, rounds):
    with tempfile.TemporaryDirectory(dir=directory) as place, work.make(Path(place), size) as row:
        row.name = work.name
        row.quantities = {name: goal for name, goal in row.quantities.items() if name in work.quantities}
        return row.measure(1, warm_ups=0) if size == LARGE and work.is_slow else row.measure(rounds)


def page(machine, parts):
    text = f"{machine}. Medians; in parentheses the ratio to the yardstick.\n"
    for unit, sizes, every in parts:
        lines = [["work", *(f"{size:,} {unit if size > 1 else unit.removesuffix('s')}" for size in sizes), "the yardstick"]]
        for one in every:
            lines.append([one.name, *(cell(one.results.get(size)) for size in sizes), last(one)["yardstick_name"]])
        text += "\n" + results.markdown(lines) + "\n"
    return text


def last(one):
    return list(one.results.values())[-1]


def cell(found):
    if found is None:
        return "–"
    median = results.shown(found["satchel"]["median"], found["unit"])
    return f"{median} ({results.number(found['ratio'])})" if found["yardstick"] else median
