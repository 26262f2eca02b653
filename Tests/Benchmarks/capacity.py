"""What a service for many accounts needs: requests, bytes, storage, connections, processes and cost. `Tests/capacity` starts it.

A model, not a measurement: each assumption is a field of `Assumptions` and an option with the same name. ServerCore.docc/Capacity.md
says which were measured.
"""

import argparse
import dataclasses
import json
import math
import sys
from dataclasses import dataclass

DAY, MONTH = 86_400, 30.4
GB = 1e9


def assumption(default, about):
    return dataclasses.field(default=default, metadata={"about": about})


@dataclass(frozen=True)
class Assumptions:
    """What accounts do, what a process and a database hold, and what things cost. Numbers of a day are means."""

    # Habits
    accounts: int = assumption(10_000, "accounts in use")
    devices: float = assumption(2.5, "devices of an account")
    edits: float = assumption(20, "edits of an account a day")
    edits_per_push: float = assumption(2, "edits that a device sends together")
    online_hours: float = assumption(6, "hours a day that a device has its event stream open")
    starts: float = assumption(6, "times a day that a device starts or returns, and reads what is new")
    refreshes: float = assumption(1, "token refreshes of a device in an hour online, at most 4: only requests need them")
    online_peak: float = assumption(0.5, "part of the devices whose streams are open at once, in the busiest minute")
    peak: float = assumption(5, "load of the busiest minute, relative to the mean of a day")

    # Data
    records: int = assumption(1_000, "records of an account, tombstones included")
    record_bytes: int = assumption(400, "bytes of a record's fields and clocks")
    states: float = assumption(3, "stored states of a record: the present one and its revisions")
    row_bytes: int = assumption(350, "bytes that a stored state needs in PostgreSQL besides its fields and clocks, with indexes")
    account_bytes: int = assumption(20_000, "bytes of an account's other rows: sessions, tokens, results of requests")
    copies: int = assumption(2, "copies of the database: the primary and its standbys")
    backups: float = assumption(3, "size of the backups and logs that are kept, relative to the database")

    # Traffic
    request_bytes: int = assumption(1_500, "bytes of a request and its answer without records, with TLS")
    event_bytes: int = assumption(300, "bytes of an event, with TLS")
    heartbeat_bytes: int = assumption(100, "bytes of a heartbeat, every 20 seconds, with TLS and TCP")

    # Capacity
    process_reads: float = assumption(2_800, "reads a second of one satcheld")
    process_writes: float = assumption(1_000, "writes a second of one satcheld")
    database_reads: float = assumption(7_700, "reads a second of one PostgreSQL")
    database_writes: float = assumption(1_400, "writes a second of one PostgreSQL")
    sqlite_reads: float = assumption(3_500, "reads a second of one satcheld with SQLite")
    sqlite_writes: float = assumption(1_800, "writes a second of one satcheld with SQLite")
    use: float = assumption(0.5, "part of a capacity that the peak may use")
    process_streams: int = assumption(2_048, "event streams of one satcheld, half of its connections")
    stream_bytes: int = assumption(33_792, "memory of an idle event stream")
    process_bytes: int = assumption(100_000_000, "memory of a satcheld without streams")
    process_connections: int = assumption(17, "connections of one satcheld to PostgreSQL, with the one for events")
    least_processes: int = assumption(3, "processes at least, so that one may fail")

    # Prices of a month, in any currency
    process_price: float = assumption(10, "price of a machine for one satcheld")
    database_price: float = assumption(60, "price of a machine for one copy of the database")
    proxy_price: float = assumption(10, "price of a machine for haproxy")
    proxies: int = assumption(2, "number of these")
    storage_price: float = assumption(0.1, "price of a GB of the database's disk")
    backup_price: float = assumption(0.02, "price of a GB of backups")
    traffic_price: float = assumption(0.02, "price of a GB sent")


@dataclass(frozen=True)
class Need:
    """What follows from assumptions. Rates are those of the peak, unless they are of a day or a month."""

    reads: float
    writes: float
    events: float
    streams: int
    traffic: float
    storage: float
    backup: float
    processes: int
    connections: int
    memory: float
    databases: int
    # What one process with SQLite would have to do, relative to what it may: more than 1 is too much.
    sqlite_load: float
    sqlite_streams: float
    cost: float


def need(a: Assumptions) -> Need:
    """The need of a service."""
    devices = a.accounts * a.devices
    online = min(1.0, a.online_hours / 24)
    pushes = a.accounts * a.edits / a.edits_per_push
    # Each push is an event for the other devices that are online, and each of these then reads.
    events = pushes * max(0.0, a.devices - 1) * online
    refreshes = devices * a.refreshes * a.online_hours
    starts = devices * a.starts
    # A refresh replaces two tokens, durably.
    reads, writes = events + starts, pushes + refreshes
    streams = math.ceil(devices * min(1.0, a.online_peak))

    # A device that is offline receives an edit with its next start.
    records_sent = a.accounts * a.edits * a.devices * a.record_bytes
    heartbeats = devices * a.online_hours * 3_600 / 20 * a.heartbeat_bytes
    traffic = (reads + writes) * a.request_bytes + events * a.event_bytes + heartbeats + records_sent

    states = a.accounts * a.records * a.states
    storage = states * (a.record_bytes + a.row_bytes) + a.accounts * a.account_bytes

    peak_reads, peak_writes = (count * a.peak / DAY for count in (reads, writes))
    processes = max(
        a.least_processes,
        math.ceil((peak_reads / a.process_reads + peak_writes / a.process_writes) / a.use),
        math.ceil(streams / a.process_streams))
    databases = max(1, math.ceil((peak_reads / a.database_reads + peak_writes / a.database_writes) / a.use))
    sqlite_load = (peak_reads / a.sqlite_reads + peak_writes / a.sqlite_writes) / a.use
    backup = storage * a.backups
    cost = (
        processes * a.process_price + a.proxies * a.proxy_price + databases * a.copies * a.database_price
        + storage * a.copies / GB * a.storage_price + backup / GB * a.backup_price + traffic * MONTH / GB * a.traffic_price)
    return Need(
        reads=peak_reads, writes=peak_writes, events=events * a.peak / DAY, streams=streams, traffic=traffic, storage=storage,
        backup=backup, processes=processes, connections=processes * a.process_connections,
        memory=processes * a.process_bytes + streams * a.stream_bytes, databases=databases, sqlite_load=sqlite_load,
        sqlite_streams=streams / a.process_streams, cost=cost)


def sqlite(n: Need) -> str:
    """Whether one process with SQLite would do, in words."""
    limits = [("requests", n.sqlite_load), ("event streams", n.sqlite_streams)]
    exceeded = [f"{part:,.1f} times its {name}" for name, part in limits if part > 1]
    return f"not enough: {' and '.join(exceeded)}" if exceeded else f"enough: {max(part for _, part in limits):.0%} used"


def report(a: Assumptions, n: Need) -> str:
    """The need as lines."""
    lines = [
        ("accounts", f"{a.accounts:,}"),
        ("reads at the peak", f"{n.reads:,.1f} a second"),
        ("writes at the peak", f"{n.writes:,.1f} a second"),
        ("events at the peak", f"{n.events:,.1f} a second"),
        ("event streams at the peak", f"{n.streams:,}"),
        ("traffic", f"{n.traffic * MONTH / GB:,.1f} GB a month"),
        ("storage of one copy", f"{n.storage / GB:,.1f} GB"),
        ("backups", f"{n.backup / GB:,.1f} GB"),
        ("processes of satcheld", f"{n.processes:,}"),
        ("their memory", f"{n.memory / GB:,.1f} GB"),
        ("connections to PostgreSQL", f"{n.connections:,}"),
        ("PostgreSQL, each with its copies", f"{n.databases:,}"),
        ("instead, one satcheld with SQLite", sqlite(n)),
        ("cost", f"{n.cost:,.0f} a month, {n.cost / a.accounts * 1_000:,.2f} for 1,000 accounts"),
    ]
    text = "\n".join(f"{name:<34}{value}" for name, value in lines)
    if n.databases > 1:
        text += "\n\nMore than one PostgreSQL holds: spaces are to be divided among several, or a larger machine is needed."
    return text


def parse(words):
    parser = argparse.ArgumentParser(
        prog="Tests/capacity", allow_abbrev=False, formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        description="Computes what a service for many accounts needs, from assumptions that are options. It is a model; "
                    "ServerCore.docc/Capacity.md says which defaults were measured.")
    for field in dataclasses.fields(Assumptions):
        parser.add_argument(
            "--" + field.name.replace("_", "-"), type=number(field), default=field.default, metavar="N",
            help=field.metadata["about"].replace("%", "%%"))
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    return parser.parse_args(words)


# Numbers by which the model divides.
DIVISORS = {
    "accounts", "edits_per_push", "process_reads", "process_writes", "database_reads", "database_writes", "sqlite_reads",
    "sqlite_writes", "use", "process_streams"}


def number(field):
    """A reader of an assumption's number."""
    def read(text):
        value = field.type(text)
        if not math.isfinite(value) or value < 0 or (value == 0 and field.name in DIVISORS):
            raise argparse.ArgumentTypeError(f"{text} is too small or too large")
        return value

    read.__name__ = "number"
    return read


def main(words=None):
    options = vars(parse(words))
    is_json = options.pop("json", False)
    assumptions = Assumptions(**options)
    found = need(assumptions)
    if is_json:
        print(json.dumps({"assumptions": dataclasses.asdict(assumptions), "need": dataclasses.asdict(found)}))
    else:
        print(report(assumptions, found))


if __name__ == "__main__":
    sys.exit(main())
