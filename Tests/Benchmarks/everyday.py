"""Everyday commands on a cache with many records, each in a new process."""

import contextlib
import json
import shutil

import peers
import setting
from harness import binary, wait_until
from measuring import Goal, Row, timed
from setting import RARE, RARE_COUNT

BARE = "a bare process with GRDB"
# The yardsticks of a list.
SCANNING, INDEXED = "a bare process with GRDB that sorts all open records", "a bare process with GRDB that reads the same index"


@contextlib.contextmanager
def start(_):
    """`satchel --version`; the yardstick is a program with Foundation and GRDB that ends at once."""
    task = peers.Peers.task
    yield Row(
        lambda _: timed([binary("satchel"), "--version"]), lambda _: timed([binary("Yardstick"), "--version"]),
        "a program with GRDB that ends at once", {"time": Goal(value=0.007), "memory": Goal(unit="B")},
        {"task --version": lambda _: timed([task, "--version"])} if task else {})


@contextlib.contextmanager
def add_record(place, count):
    """`add`: one record, durable. The yardstick inserts it into the same tables, without grammar, journal or report."""
    device, file = home_and_copy(place, count)
    with peers.taskwarrior(place, count) as task:

        def product(number):
            return adding(device.home / "satchel.db", device.command("add", f"Buy milk {number}"), setting.environment(device))

        def yardstick(number):
            return adding(file, [binary("Yardstick"), "add", file, f"Buy milk {number}"])

        sides = {"task": lambda number: task.add(f"Buy milk {number}")} if task else {}
        yield Row(product, yardstick, BARE, {"time": Goal(ratio=1.5, peer="task")}, sides)


def index(device):
    """Indexes all records, so that no background process does it while commands are measured."""
    device.run("search", "plan")
    device.run("list")
    check_index(device)
    file = device.home / "satchel.db"
    stale = setting.counted(file, "list_stale") + setting.counted(file, "search_stale")
    assert stale == 0, f"{stale} records are not indexed"
    wait_until(lambda: not (device.home / "satchel.db-wal").exists(), "the background process has ended")


def adding(file, command, environment=None):
    """A command that must add one record."""
    before = setting.counted(file)
    sample = timed(command, environment)
    setting.expect(before + 1, file)
    return sample


@contextlib.contextmanager
def list_records(place, count):
    """`list`: the first 100 open records and their total number, with their numbers stored. The yardstick executes queries
    with the same result, without filters, settings or layout; it sorts all open records, as `list` did before it had an index."""
    device, file = home_and_copy(place, count)
    check_list(device, count)
    with peers.taskwarrior(place, count) as task:
        yield Row(
            lambda _: timed(device.command("list"), setting.environment(device)),
            lambda _: timed([binary("Yardstick"), "list", file]), SCANNING,
            {"time": Goal(ratio=1.3, peer="task"), "memory": Goal(unit="B")}, {"task": lambda _: task.list()} if task else {})


@contextlib.contextmanager
def list_by_index(place, count):
    """`list`, against a bare process that reads the same rows by the same index."""
    device, file = home_and_copy(place, count)
    check_list(device, count)
    yield Row(
        lambda _: timed(device.command("list"), setting.environment(device)),
        lambda _: timed([binary("Yardstick"), "list-indexed", file]), INDEXED, {"time": Goal()})


@contextlib.contextmanager
def list_grown(place, count, smaller):
    """`list` of many records; the yardstick is `list` of fewer: both show the first 100."""
    many = setting.device_with(place / "many", count)
    few = setting.device_with(place / "few", smaller)
    check_list(many, count)
    yield Row(
        lambda _: timed(many.command("list"), setting.environment(many)),
        lambda _: timed(few.command("list"), setting.environment(few)), f"`list` of {smaller:,} records",
        {"time": Goal(ratio=1.5), "memory": Goal(ratio=1.5, unit="B")})


@contextlib.contextmanager
def list_tag(place, count):
    """`list` of a tag that 20 open records have; the yardstick is the plain `list` of the same home."""
    device = setting.device_with(place, count)
    found = total(device, f"+{RARE}")
    assert found == RARE_COUNT, f"`list +{RARE}` found {found} records, not {RARE_COUNT}"
    yield Row(
        lambda _: timed(device.command("list", f"+{RARE}"), setting.environment(device)),
        lambda _: timed(device.command("list"), setting.environment(device)), "`list` without a filter",
        {"time": Goal(value=0.05)})


@contextlib.contextmanager
def list_parts(place, count):
    """`list` of records of which one has five parts, against the plain `list` of as many records."""
    plain = setting.device_with(place / "plain", count)
    nested = setting.device_with(place / "nested", count)
    # Due before all others, so that they are in the window, in the same section.
    nested.run("add", "Shelf", "due:1990-01-01")
    nested.run("list")
    for number in range(1, 6):
        nested.run("add", f"Board {number}", "due:1990-01-01", "partof:1")
    assert total(nested) == total(plain) + 6
    rows = json.loads(nested.run("list", "--limit", "10", "--json").out)["rows"]
    assert [row["depth"] for row in rows[:7]] == [0, 1, 1, 1, 1, 1, 0], "the parts are below their task"
    yield Row(
        lambda _: timed(nested.command("list"), setting.environment(nested)),
        lambda _: timed(plain.command("list"), setting.environment(plain)), "`list` without parts",
        {"time": Goal(ratio=1.5), "memory": Goal(ratio=1.5, unit="B")})


@contextlib.contextmanager
def list_dependencies(place, count):
    """`list sort:urgency` of records of which every third one depends on another one, against the plain `list`."""
    plain = setting.device_with(place / "plain", count)
    tasks = setting.taskwarrior.export(count)
    # Only on later tasks, so that there are no cycles.
    for number in range(0, count - 1, 3):
        tasks[number]["depends"] = [tasks[number + 1]["uuid"]]
    file = place / "linked.json"
    file.write_bytes(setting.taskwarrior.text(tasks))
    linked = setting.device_importing(place / "linked", [file])
    found = total(linked, "blocked")
    assert found > count // 10, f"only {found} records are blocked"
    yield Row(
        lambda _: timed(linked.command("list", "sort:urgency"), setting.environment(linked)),
        lambda _: timed(plain.command("list"), setting.environment(plain)), "`list` without dependencies",
        {"time": Goal()})


@contextlib.contextmanager
def show_record(place, count):
    """`show`: one record by its number. The yardstick is a program with GRDB that ends at once."""
    device, _ = home_and_copy(place, count)
    # Numbers the records.
    device.run("list")
    yield Row(
        lambda _: timed(device.command("show", "1"), setting.environment(device)), lambda _: timed([binary("Yardstick"), "--version"]),
        "a program with GRDB that ends at once", {"time": Goal()})


@contextlib.contextmanager
def search_records(place, count):
    """`search`: the best 100 matches of a word in an index that is up to date. The yardstick lists: it searches
    nothing."""
    device, file = home_and_copy(place, count)
    yield Row(
        lambda _: timed(device.command("search", "plan"), setting.environment(device)),
        lambda _: timed([binary("Yardstick"), "list", file]), SCANNING, {"time": Goal()})


@contextlib.contextmanager
def first_search(place, count, is_indexed=True):
    """The first `search` after a device has received all records; the yardstick is the second search.

    The background process of a sync has indexed the records, unless the sync was manual or the search comes too early."""
    with setting.filled_server(place, count) as server:
        origin = setting.signed_in(place / "received", server)
        if is_indexed:
            origin.run("sync", environment={"SATCHEL_SYNC": "auto"})
            wait_until(lambda: setting.counted(origin.home / "satchel.db", "search_stale") == 0, "the records are indexed")
            # The last process that closes the database removes the log.
            wait_until(lambda: not (origin.home / "satchel.db-wal").exists(), "the background process has ended")
    setting.checkpoint(origin.home / "satchel.db")
    device = setting.Device(place / "device")

    def product(_):
        shutil.rmtree(device.home, ignore_errors=True)
        shutil.copytree(origin.home, device.home)
        sample = timed(device.command("search", "plan"), setting.environment(device))
        check_index(device)
        return sample

    def yardstick(_):
        if not device.home.exists():
            shutil.copytree(origin.home, device.home)
            device.run("search", "plan")
        return timed(device.command("search", "plan"), setting.environment(device))

    yield Row(product, yardstick, "the second search", {"time": Goal(ratio=1.5)})


def check_index(device):
    """A search finds what it must find."""
    found = json.loads(device.run("search", "plan", "--limit", "1", "--json").out)["total"]
    like = "fields ->> 'title' LIKE 'Plan %' AND deleted = 0"
    expected = setting.counted(device.home / "satchel.db", where=like)
    assert found == expected, f"`search` found {found} records, not {expected}"


def check_list(device, count):
    """The list shows a hundred rows, and the number of all open records."""
    found = total(device)
    expected = setting.counted(device.home / "satchel.db", where="fields ->> 'status' = 'pending'")
    assert found == expected, f"`list` found {found} of {count} records, not {expected}"


def total(device, *filters):
    return json.loads(device.run("list", *filters, "--limit", "1", "--json").out)["total"]


def home_and_copy(place, count):
    """A home of which all records are indexed, and a copy of its cache for the yardstick, so that neither sees the other's
    changes."""
    device = setting.device_with(place, count)
    index(device)
    file = place / "yardstick.db"
    shutil.copy(device.home / "satchel.db", file)
    return device, file
