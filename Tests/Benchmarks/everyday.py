"""Everyday commands on a cache with 10,000 records, each in a new process."""

import contextlib
import json
import shutil

import setting
from harness import binary, taskwarrior
from measuring import Row, timed

COUNT = 10_000


@contextlib.contextmanager
def list_records(place):
    """`list`: the first 100 open records and their total number, with their numbers stored."""
    device, file = home_and_copy(place)

    def product(_):
        return timed(device.command("list"), setting.environment(device))

    def yardstick(_):
        return timed([binary("Yardstick"), "list", str(file)])

    yield Row(f"list, {COUNT:,} records", "a bare process with GRDB", product, yardstick)


@contextlib.contextmanager
def add_record(place):
    """`add`: one record, durable."""
    device, file = home_and_copy(place)

    def product(_):
        return timed(device.command("add", "Buy milk"), setting.environment(device))

    def yardstick(_):
        return timed([binary("Yardstick"), "add", str(file), "Buy milk"])

    yield Row(f"add, {COUNT:,} records", "a bare process with GRDB", product, yardstick)


@contextlib.contextmanager
def list_dependencies(place):
    """`list sort:urgency` of records of which every third one depends on another one, against the plain `list`."""
    plain = setting.device_with(place / "plain", COUNT)
    tasks = taskwarrior.export(COUNT)
    # Only on later tasks, so that there are no cycles.
    for number in range(0, COUNT - 1, 3):
        tasks[number]["depends"] = [tasks[number + 1]["uuid"]]
    linked = setting.device_with(place / "linked", COUNT, tasks)

    def product(_):
        return timed(linked.command("list", "sort:urgency"), setting.environment(linked))

    def yardstick(_):
        return timed(plain.command("list"), setting.environment(plain))

    found = json.loads(linked.run("list", "blocked", "limit:1", "--json").out)["total"]
    assert found > COUNT // 10, f"only {found} records are blocked"
    yield Row(f"list by urgency, {COUNT:,} records with dependencies", "`list` without dependencies", product, yardstick)


@contextlib.contextmanager
def search_records(place):
    """`search`: the best 100 matches of a word."""
    device, file = home_and_copy(place)

    def product(_):
        return timed(device.command("search", "plan"), setting.environment(device))

    def yardstick(_):
        return timed([binary("Yardstick"), "list", str(file)])

    yield Row(f"search, {COUNT:,} records", "a bare process with GRDB that lists", product, yardstick)


def home_and_copy(place):
    """A home, and a copy of its cache for the yardstick, so that neither sees the other's changes."""
    device = setting.device_with(place, COUNT)
    file = place / "yardstick.db"
    shutil.copy(device.home / "satchel.db", file)
    return device, file
