"""The rows of the benchmark: their names, which stay the same since budgets and earlier results refer to them."""

from dataclasses import dataclass
from functools import partial
from typing import Callable

import downloads
import everyday
import imports
import many
import serving
import streams
import texts
import uploads
import wrk
from measuring import Goal


@dataclass(frozen=True)
class Plan:
    """How a row is made. Its name is also that of the result for its time."""

    name: str
    make: Callable
    # How many rounds count, relative to the number of the call.
    rounds: float = 1
    # Left out by --quick.
    is_slow: bool = False
    # Only with --large.
    is_large: bool = False
    needs_wrk: bool = False
    # Only with --postgres.
    needs_postgres: bool = False


SMALL, MANY, LARGE = 10_000, 100_000, 1_000_000

# At most twice the time of a commit; from 32 connections on, half of it, since many writers share a commit.
ALONE = {"time": Goal(ratio=2), "p50": Goal(), "p99": Goal()}
SHARED = {"time": Goal(ratio=0.5), "p50": Goal(), "p99": Goal(ratio=20)}
CROWDED = {"time": Goal(ratio=0.5), "p50": Goal(), "p99": Goal()}

PLANS = [
    Plan("process start", everyday.start, 3),
    Plan("add, 3,000 records", partial(everyday.add_record, count=3_000), 3),
    Plan("add, 10,000 records", partial(everyday.add_record, count=SMALL), 3),
    Plan("list, 3,000 records", partial(everyday.list_records, count=3_000), 3),
    Plan("list, 10,000 records", partial(everyday.list_records, count=SMALL), 3),
    Plan("list against the same index, 10,000 records", partial(everyday.list_by_index, count=SMALL), 3),
    Plan("list, 100,000 records", partial(everyday.list_grown, count=MANY, smaller=SMALL), 2, is_slow=True),
    Plan("list of a rare tag, 100,000 records", partial(everyday.list_tag, count=MANY), 2, is_slow=True),
    Plan("list with parts, 100,000 records", partial(everyday.list_parts, count=MANY), 2, is_slow=True),
    Plan("list by urgency, 10,000 records with dependencies", partial(everyday.list_dependencies, count=SMALL), 2),
    Plan("search, 10,000 records", partial(everyday.search_records, count=SMALL), 3),
    Plan("first search after a sync, 10,000 records", partial(everyday.first_search, count=SMALL), 2),
    Plan("first search after a sync, 100,000 records", partial(everyday.first_search, count=MANY), is_slow=True),
    Plan("search before the words are indexed, 10,000 records", partial(everyday.first_search, count=SMALL, is_indexed=False)),
    Plan("search before the words are indexed, 100,000 records", partial(everyday.first_search, count=MANY, is_indexed=False), 0.5,
         is_slow=True),
    Plan("import of 3,000 records", partial(imports.taskwarrior_import, count=3_000, goals=imports.goals(0.1)), 2),
    Plan("import of 10,000 records", partial(imports.taskwarrior_import, count=SMALL, goals=imports.goals(1 / 3))),
    Plan("import of 100,000 records", partial(imports.taskwarrior_import, count=MANY, goals=imports.goals(10 / 3)), 0.5,
         is_slow=True),
    Plan("first sync of 10,000 records", partial(downloads.first_sync, count=SMALL)),
    Plan("first sync of 100,000 records", partial(downloads.first_sync, count=MANY), 0.5, is_slow=True),
    Plan("upload of 10,000 records", partial(uploads.upload, count=SMALL)),
    Plan("upload of 100,000 records", partial(uploads.upload, count=MANY), 0.5, is_slow=True),
    Plan("push into 100,000 stored records", partial(uploads.push_into, count=MANY, smaller=SMALL), 2, is_slow=True),
    Plan("push into 1,000,000 stored records", partial(uploads.push_into, count=LARGE, smaller=SMALL), 2, is_large=True),
    Plan("sync with nothing to do, 10,000 records", partial(downloads.nothing_to_do, count=SMALL), 3),
    Plan("reads of one record, 32 connections", partial(serving.reads, connections=32), needs_wrk=True),
    Plan("durable writes, 1 connection", partial(serving.writes, connections=1, goals=ALONE), needs_wrk=True),
    Plan("durable writes, 32 connections", partial(serving.writes, connections=32, goals=SHARED), needs_wrk=True),
    Plan("durable writes, 256 connections", partial(serving.writes, connections=256, goals=CROWDED), needs_wrk=True),
    Plan("idle event stream", streams.idle, 0.5),
    Plan("idle event stream, one of up to 10,000", partial(streams.idle, count=400), 0.5, is_slow=True),
    Plan("events to 1,000 streams", streams.events),
    Plan("event to 1,000 streams of one space", streams.followers),
    Plan("write with 1,000 event streams", streams.write_latency),
    Plan("write with 1,000 event streams of its space", partial(streams.write_latency, count=1, each=1_000)),
    Plan("reads during a flood of log-ins", serving.log_ins, needs_wrk=True),
    Plan("durable writes during a flood of log-ins", partial(serving.log_ins, is_writing=True), needs_wrk=True),
    Plan("idle server", serving.idle, 0.5),
    Plan("merge of 10,000 lines", texts.friendly, 3),
    Plan("merge of 10,000 rewritten lines", texts.rewritten, 3),
]
PLANS += [
    Plan(f"{what}, PostgreSQL, {number} {'process' if number == 1 else 'processes'}", partial(make, processes=number),
         needs_wrk=make is not many.events, needs_postgres=True)
    for what, make in [
        ("reads of one record, 32 connections", many.reads),
        ("durable writes, 1 connection", partial(many.writes, connections=1)),
        ("durable writes, 32 connections", partial(many.writes, connections=32)),
        ("durable writes, 256 connections", partial(many.writes, connections=256)),
        ("pages of 1,000 records, 8 connections", many.pages),
        ("event to 24 streams of one space", many.events)]
    for number in (1, 2, 3)
    # One connection reaches one process.
    if number == 1 or what != "durable writes, 1 connection"]
PLANS.append(Plan(
    "32 writers and one, PostgreSQL, 1 process", many.group_commit, needs_wrk=True, needs_postgres=True))


def chosen(only="", quick=False, large=False, postgres=False):
    """The rows of a call, and a line for each that is left out because a program is missing."""
    plans = [
        plan for plan in PLANS
        if only in plan.name and not (quick and plan.is_slow) and not (plan.is_large and not large)
        and not (plan.needs_postgres and not postgres)]
    left_out = [] if wrk.is_installed() else [f"left out: {plan.name}; {wrk.MISSING}" for plan in plans if plan.needs_wrk]
    return [plan for plan in plans if wrk.is_installed() or not plan.needs_wrk], left_out
