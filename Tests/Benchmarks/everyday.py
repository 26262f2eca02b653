"""Everyday commands on a cache with 10,000 records, each in a new process."""

import contextlib
import shutil

import setting
from harness import binary
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


def home_and_copy(place):
    """A home, and a copy of its cache for the yardstick, so that neither sees the other's changes."""
    device = setting.device_with(place, COUNT)
    file = place / "yardstick.db"
    shutil.copy(device.home / "satchel.db", file)
    return device, file
