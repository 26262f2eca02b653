"""The server under load: reads, durable writes, a flood of log-ins, and its memory without requests."""

import contextlib
import http.client
import json
import sqlite3
import statistics
import subprocess
import sys
import time
from pathlib import Path

import accounts
import peers
import setting
import wrk
from harness import binary
from measuring import Goal, Row, stopwatch
from processes import Process

# The time of one sample of wrk, in seconds.
SAMPLE = 2

# More than the log-ins of a sample.
LOG_INS = 10_000

# About the number of accounts that read, if there are very many.
READERS = 100

# For the server of the yardstick, which reads no token; about as long as those of the accounts.
TOKEN = "t" * 50

FIELDS = {
    "title": "Write the report of a longer meeting", "status": "pending", "entry": "2026-03-04T05:06:07Z",
    "project": "work.reports", "tags": ["phone", "next"]}
BODY = json.dumps({"fields": FIELDS}).encode()


# Reads


@contextlib.contextmanager
def reads(place, connections, count=None):
    """Reads of one record over kept connections, each with a token; unless their number is given, an account for each
    connection, so that no session has more requests under way than a session may."""
    with accounts.server(place, count or connections) as (server, users):
        requests = []
        for user in users[:: max(1, len(users) // READERS)]:
            size = create(server, user, "one")
            requests.append(wrk.get(user.record("one"), user.token))
        with against_constant(place, server, requests, size, connections) as row:
            yield row


@contextlib.contextmanager
def reads_among(place, connections, count):
    """The same of one account that has this many records, of which about a hundred are read in turns."""
    with accounts.server_with_records(place, count) as (server, [user]):
        ids = setting.sqlite(
            server.data / "satchel.sqlite",
            f"SELECT id FROM records WHERE collection = 'tasks' AND version % {max(1, count // READERS)} = 0;").split()
        size = round(statistics.median(len(read(server, user, id).body) for id in ids))
        requests = [wrk.get(user.record(id), user.token) for id in ids]
        with against_constant(place, server, requests, size, connections) as row:
            yield row


@contextlib.contextmanager
def against_constant(place, server, requests, size, connections):
    """The yardstick is a Hummingbird server with one route, which sends a constant of the same size: it reads no token and
    opens no database."""
    with constant_server() as constant, peers.pocketbase(place) as peer:
        port, path, name = constant(size)
        sides = {}
        if peer:
            created = peer.request("POST", peer.records, FIELDS)
            peer_requests = [wrk.get(f"{peer.records}/{created['id']}", peer.token, "")]
            sides["PocketBase"] = lambda _: wrk.load(place, peer.port, peer_requests, connections, SAMPLE)
        yield Row(
            lambda _: wrk.load(place, server.port, requests, connections, SAMPLE),
            lambda _: wrk.load(place, port, [wrk.get(path, TOKEN)], connections, SAMPLE), name,
            # At least 0.7 times the requests in the same time.
            {"time": Goal(ratio=1 / 0.7), "p50": Goal(), "p99": Goal()}, sides)


def create(server, user, id):
    """Creates a record; returns the size of the answer to its read."""
    api = server.api
    api.token = user.token
    answer = api.request("PUT", user.record(id), {"fields": FIELDS}, If_None_Match="*")
    assert answer.status == 201, answer
    answer = read(server, user, id)
    assert answer.json["fields"] == FIELDS, answer
    return len(answer.body)


def read(server, user, id):
    """The answer to the read of a record."""
    api = server.api
    api.token = user.token
    answer = api.request("GET", user.record(id))
    assert answer.status == 200, answer
    return answer


@contextlib.contextmanager
def constant_server():
    """A function that returns port, path and name of the yardstick for a size."""
    with contextlib.ExitStack() as stack:

        def start(size):
            _, port = stack.enter_context(constant_process(size))
            read_constant(port, size)
            return port, "/constant", "a Hummingbird route that sends a constant"

        yield start


@contextlib.contextmanager
def constant_process(size):
    """A YardstickServer: its process id and its port."""
    with subprocess.Popen(
            [binary("YardstickServer"), str(size)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.pid, int(process.stdout.readline())
        finally:
            process.kill()


def read_constant(port, size):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/constant")
    answer = connection.getresponse()
    length = len(answer.read())
    connection.close()
    assert (answer.status, length) == (200, size), f"YardstickServer answered {answer.status}, {length} bytes"


# Durable writes


@contextlib.contextmanager
def writes(place, connections, goals, count=None):
    """Writes of one new record each, durable before the answer, over kept connections; unless their number is given, an
    account for each connection."""
    with accounts.server(place, count or connections) as (server, users):
        with against_raw_commits(place, server, users, connections, goals) as row:
            yield row


@contextlib.contextmanager
def writes_among(place, connections, count):
    """The same of one account that has this many records."""
    with accounts.server_with_records(place, count) as (server, users):
        with against_raw_commits(place, server, users, connections, {"time": Goal()}) as row:
            yield row


@contextlib.contextmanager
def against_raw_commits(place, server, users, connections, goals):
    """The yardstick is SQLite: one transaction for each row, one after the other, with `synchronous = FULL` in WAL mode, in a
    copy of the server's file in the same directory. Its three quantities are the same time of a commit. It checks no
    token, decides no precondition, and maintains no version or digest.
    """
    raw = RawCommits(server.data, users[0])
    store = server.data / "satchel.sqlite"
    requests = [wrk.put(user.record("new-"), user.token, BODY) for user in users]
    numbers = Numbers()

    def product(_):
        before = setting.counted(store)
        sample = wrk.load(place, server.port, requests, connections, SAMPLE, numbers.next())
        stored(setting.counted(store) - before, sample["requests"], connections)
        return sample

    with peers.pocketbase(place) as peer:
        sides = {}
        if peer:
            request = wrk.post(peer.records, peer.token, json.dumps(FIELDS).encode())

            def pocketbase(_):
                before = peer.count()
                sample = wrk.load(place, peer.port, [request], connections, SAMPLE)
                stored(peer.count() - before, sample["requests"], connections)
                return sample

            sides["PocketBase (synchronous = NORMAL)"] = pocketbase
        with contextlib.closing(raw):
            yield Row(product, lambda _: raw.sample(), "raw commits of SQLite, one after the other", goals, sides)


def stored(count, answered, connections):
    """Requests that wrk gave up at its end may have been done, too: those under way, and those that followed them."""
    assert answered <= count <= answered + 2 * connections, f"{answered} writes were answered, and {count} were stored"


class Numbers:
    """The first number of each sample, so that no two samples create the same record."""

    def __init__(self):
        self.last = 0

    def next(self):
        self.last += 10_000_000
        return self.last


class RawCommits:
    """One-row transactions in a copy of the server's file."""

    SECONDS = 1

    def __init__(self, data, user):
        file = data / "raw.sqlite"
        setting.copy(data / "satchel.sqlite", file)
        self.database = sqlite3.connect(file, isolation_level=None)
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA synchronous = FULL")
        self.space, self.version = self.database.execute("SELECT number, version FROM spaces WHERE id = ?", [user.space]).fetchone()

    def close(self):
        self.database.close()

    def sample(self):
        [before] = self.database.execute("SELECT count(*) FROM records").fetchone()
        began, count, fields = time.perf_counter(), 0, json.dumps(FIELDS)
        while time.perf_counter() - began < self.SECONDS:
            self.version += 1
            count += 1
            self.database.execute(
                """
                INSERT INTO records (space, collection, id, version, deleted, modified_at, modified_by, clock, fields)
                VALUES (?, 'tasks', ?, ?, 0, '2026-01-01T00:00:00.000Z', 'device', '{"*":"019a00000000-0000-device"}', ?)
                """, [self.space, f"raw-{self.version}", self.version, fields])
        seconds = (time.perf_counter() - began) / count
        [after] = self.database.execute("SELECT count(*) FROM records").fetchone()
        assert after - before == count, f"SQLite stored {after - before} rows, not {count}"
        return {"time": seconds, "p50": seconds, "p99": seconds}


# Log-ins


@contextlib.contextmanager
def log_in(place, count):
    """One log-in, on a server with this many accounts. The yardstick is a log-in with one account."""
    with accounts.server(place / "many", count) as (server, users), accounts.server(place / "one", 1) as (alone, _):
        name = users[-1].name
        yield Row(
            lambda _: stopwatch(lambda: server.api.log_in(name, accounts.PASSWORD)),
            lambda _: stopwatch(lambda: alone.api.log_in("user-0", accounts.PASSWORD)), "a log-in with one account",
            {"time": Goal()})


@contextlib.contextmanager
def log_ins(place, is_writing=False):
    """Reads, or durable writes of new records, over 8 kept connections while 8 others log in without a pause, half of them
    with a wrong password, as if from many addresses; the yardstick is the same without log-ins."""
    connections = 8
    with accounts.server(place, 64, "--trusted-proxy", "127.0.0.1") as (server, users):
        requests = []
        for user in users[:connections]:
            create(server, user, "one")
            requests.append(
                wrk.put(user.record("new-"), user.token, BODY) if is_writing else wrk.get(user.record("one"), user.token))
        numbers = Numbers()

        def load():
            before = setting.counted(server.data / "satchel.sqlite")
            sample = wrk.load(place, server.port, requests, connections, SAMPLE, numbers.next())
            if is_writing:
                stored(setting.counted(server.data / "satchel.sqlite") - before, sample["requests"], connections)
            return sample

        def product(number):
            with flood(server, users[connections:], number * LOG_INS):
                return load()

        yield Row(
            product, lambda _: load(), "the same without log-ins",
            {"p99": Goal(ratio=3), "p50": Goal(), "time": Goal()})


@contextlib.contextmanager
def flood(server, users, first):
    """Log-ins from the given number on, from a process of their own. At the end, both kinds must have been answered."""
    command = [sys.executable, "-I", str(Path(__file__).with_name("flood.py")), str(server.port), str(first), accounts.PASSWORD]
    process = subprocess.Popen(
        [*command, *(user.name for user in users)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "began\n", "the flood of log-ins did not begin"
        yield
        answer, _ = process.communicate("end\n", timeout=60)
    finally:
        process.kill()
        process.wait()
    statuses = json.loads(answer)
    checked = statuses.get("201", 0) + statuses.get("401", 0)
    # A refused log-in costs nothing, so it would be no flood.
    assert statuses.get("201") and statuses.get("401") and checked >= 0.8 * sum(statuses.values()), \
        f"the log-ins were answered {statuses}"
    print(f" {checked} log-ins …", end="", file=sys.stderr)


# Memory


@contextlib.contextmanager
def idle(place, data=None, sign_in=lambda server: server.api.register()):
    """The memory of a server that has answered a few requests of one account, with an empty store or a copy of a data directory;
    the yardstick is a Hummingbird server with one route, which sends a constant."""

    def product(number):
        with setting.server(place / f"round-{number}", data) as server:
            api = sign_in(server)
            for _ in range(10):
                assert api.pull().status == 200
            process = Process(server.process.pid)
            process.settle()
            sample = {"memory": process.memory(), "peak memory": process.peak_memory()}
        setting.remove(place, f"round-{number}")
        return sample

    def yardstick(_):
        with constant_process(1_000) as (pid, port):
            for _ in range(10):
                read_constant(port, 1_000)
            process = Process(pid)
            process.settle()
            return {"memory": process.memory(), "peak memory": process.peak_memory()}

    with peers.pocketbase(place) as peer:
        sides = {}
        if peer:
            sides["PocketBase"] = lambda _: {"memory": Process(peer.process.pid).memory()}
        yield Row(
            product, yardstick, "a Hummingbird server with one route",
            {"memory": Goal(ratio=1.2, unit="B"), "peak memory": Goal(unit="B")}, sides)


def idle_with_records(place, count):
    """The same of an account that has this many records."""
    return idle(place, setting.prepared_data(count), setting.api)


def idle_with_accounts(place, count):
    """The same with this many accounts."""
    return idle(place, accounts.prepared(count)[0], lambda server: server.api.log_in("user-0", accounts.PASSWORD))
