"""Several servers over one PostgreSQL, next to pgbench with the same statements and next to a server with SQLite.

What pgbench does isn't written here: it is recorded from PostgreSQL's log while a server carries out one request, so that it
stays the same as what the store does. It sends together what the store does (`statements.batches`). PostgreSQL runs with fsync.
"""

import base64
import contextlib
import os
import re
import shutil
import subprocess
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import accounts
import setting
import statements
import wrk
from harness import API, Cluster, ClusterDatabase, Server, Stream, wait_until
from measuring import Failure, Goal, Row
from processes import Process
from serving import BODY, FIELDS, Numbers, create, stored

# The time of one sample, in seconds.
SAMPLE = 4
USERS = 256
# Records of a page, and accounts that read pages.
PAGE, PAGE_USERS = 1_000, 8
# Streams of one account, and writes of a sample.
STREAMS, WRITES = 24, 20
BUSY = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'satcheld' AND state <> 'idle'"
# Connections of pgbench at most: more are slower, and a server has 16 as well.
CLIENTS = 32
# Requests after which each connection in use has read its settings again.
WARM_UP = 40
# How often a request is recorded at most.
RECORDINGS = 3
# At least 0.6 of pgbench's transactions.
SAME_STATEMENTS = {"time": Goal(ratio=1 / 0.6)}
# The time of a request in which servers and PostgreSQL run, however many cores there are.
SATCHELD_CPU, POSTGRESQL_CPU = "CPU of satcheld", "CPU of PostgreSQL"
CPU = {SATCHELD_CPU: Goal(), POSTGRESQL_CPU: Goal()}
# The peer of most rows.
WITH_SQLITE = "one satcheld with SQLite"
# 32 writers have at least 3 times the writes of one.
SHARED_COMMITS = {"time": Goal(ratio=1 / 3)}


def is_installed():
    return all(map(shutil.which, ("psql", "pgbench")))


MISSING = "PostgreSQL isn't installed; on Debian: apt-get install postgresql"


# PostgreSQL with accounts


class Database:
    """A PostgreSQL with accounts, and servers over it."""

    def __init__(self, place):
        self.place = place
        self.cluster = Cluster().start(
            "max_connections=400", "shared_buffers=256MB", "max_wal_size=2GB", "max_pred_locks_per_transaction=256",
            "log_line_prefix=[%p] ")
        self.servers = []
        try:
            [first] = self.start(1)
            first.api.register("user-0", accounts.PASSWORD)
            self.users = self._users()
        except BaseException:
            self.close()
            raise

    def start(self, count):
        """Starts servers until there are this many."""
        while len(self.servers) < count:
            server = Server(self.place / f"shared-{len(self.servers)}", ClusterDatabase(self.cluster))
            self.servers.append(server)
            server.start("--quota-records", "unlimited", "--quota-bytes", "unlimited")
        return self.servers[:count]

    def _users(self):
        """Adds copies of the first account, which has a session each; the table `bench_users` has their names and keys."""
        def copies(table, condition="n > 0", **columns):
            values = ", ".join(f"'{name}', {value}" for name, value in columns.items())
            return f"""
                INSERT INTO {table} OVERRIDING SYSTEM VALUE
                SELECT (json_populate_record(first, json_build_object({values}))).*
                FROM {table} AS first, bench_users WHERE {condition}"""

        self.cluster.sql(f"""
            CREATE TABLE bench_users AS
              SELECT n, 'user-' || n AS name, token, gen_random_uuid()::text AS account, gen_random_uuid()::text AS session,
                gen_random_uuid()::text AS device, gen_random_uuid()::text AS space, 1000000 + n AS number,
                sha256(token::bytea) AS hash
              FROM (SELECT n, 'token-' || gen_random_uuid() AS token FROM generate_series(0, {USERS - 1}) AS n) AS made;
            UPDATE bench_users SET account = accounts.id, session = sessions.id, device = sessions.device,
              space = spaces.id, number = spaces.number FROM accounts, sessions, spaces WHERE n = 0;
            {copies("accounts", id="bench_users.account", username="bench_users.name", personal_space="bench_users.space")};
            {copies("spaces", id="bench_users.space", number="bench_users.number")};
            {copies("members", account="bench_users.account", space="bench_users.number")};
            {copies("sessions", id="bench_users.session", account="bench_users.account", device="bench_users.device")};
            {copies("tokens", "first.kind = 'access'", hash="bench_users.hash", session="bench_users.session",
                    expires_at="first.expires_at + 86400000")};
            ANALYZE""")
        rows = self.cluster.sql("SELECT name, token, space FROM bench_users ORDER BY n")
        return [accounts.Account(*row.split("|")) for row in rows]

    def count(self):
        return int(self.cluster.sql("SELECT count(*) FROM records")[0])

    def settle(self):
        """Waits until the servers have done what wrk gave up at its end, which holds locks of the same spaces."""
        def is_idle():
            before = self.count()
            time.sleep(0.2)
            return self.cluster.sql(BUSY) == ["0"] and self.count() == before

        wait_until(is_idle, "the servers have no request under way")

    def close(self):
        for server in self.servers:
            server.close()
        self.cluster.close()

    # pgbench

    def script(self, request, waits):
        """The statements of a request of the first account, as a script for pgbench in which each client is another account.
        `waits`: how often a server waits for PostgreSQL during the request."""

        def logs(what):
            self.cluster.sql(f"ALTER SYSTEM SET log_statement = '{what}'")
            self.cluster.sql("SELECT pg_reload_conf()")
            wait_until(lambda: self.cluster.sql("SHOW log_statement") == [what], "PostgreSQL has read its settings")

        logs("all")
        # A connection reads the settings before its next statement, so the first requests may be missing.
        for _ in range(WARM_UP):
            request(self.servers[0])
        (id, version), found = self._recorded(request, waits)
        logs("none")
        script = statements.pgbench_script(found, self._known(id, version))
        assert all(name in script for name in (":hash", ":account", ":space")), script
        return script

    def _recorded(self, request, waits):
        """What a request returned, and its transactions. It is sent again if the log shows others: a transaction of a server's
        maintenance may be among them."""
        for _ in range(RECORDINGS):
            before = len(self.cluster.log)
            returned = request(self.servers[0])
            # The news of a write are sent after its answer, and on another connection outside of a transaction.
            log = self.cluster.log[before:]
            found = statements.transactions(log)
            try:
                groups = [batch for transaction in found for batch in statements.batches(transaction)]
            except AssertionError as error:
                groups = [str(error)]
            if len(groups) == waits:
                return returned, found
        raise Failure(f"a server waits {waits} times during a request, and these are the script's: {groups}\n{log[-2_000:]}")

    def _known(self, id, version):
        """The values in the statements of the first account, and the variables for them."""
        [row] = self.cluster.sql("SELECT account, session, space, number, '\\x' || encode(hash, 'hex') FROM bench_users WHERE n = 0")
        account, session, space, number, hash = row.split("|")
        return {account: "account", session: "session", space: "space", number: "number", hash: "hash",
                str(statements.lock_key(space)): "number", id: "id", str(version): "next"}

    def pgbench(self, script, clients):
        """Runs a script for a sample's time; returns the time per request."""
        file = self.place / "pgbench.sql"
        file.write_text(script, encoding="utf-8")
        done = subprocess.run(
            ["pgbench", "-n", "-M", "prepared", "-c", str(min(clients, CLIENTS)), "-j", str(min(2, clients)), "-T", str(SAMPLE),
             "--max-tries", "12", "-D", "loaded=0", "-f", str(file), "-h", "127.0.0.1", "-p", str(self.cluster.port), "-U",
             "postgres", "postgres"],
            capture_output=True, text=True, env=os.environ | {"PGOPTIONS": "-c enable_seqscan=off -c jit=off"})
        rate = re.search(r"tps = ([\d.]+)", done.stdout)
        if done.returncode != 0 or not rate or "aborted" in done.stderr:
            raise Failure(f"pgbench ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-1500:]}")
        count = re.search(r"number of transactions actually processed: (\d+)", done.stdout)
        return {"time": 1 / float(rate[1]), "requests": int(count[1])}


# Rows


@contextlib.contextmanager
def database(place, processes):
    """A database with servers, and a server with SQLite."""
    shared = Database(place)
    try:
        shared.start(processes)
        with accounts.server(place / "sqlite", USERS) as (alone, users):
            yield shared, alone, users
    finally:
        shared.close()


def load(place, servers, requests, connections, seconds=SAMPLE, numbers=None):
    """Sends requests to servers at once, each with its part of the connections; returns the time per request of all."""
    parts = [connections // len(servers) + (number < connections % len(servers)) for number in range(len(servers))]

    def part(number):
        directory = place / f"wrk-{number}"
        directory.mkdir(exist_ok=True)
        # Each account belongs to one server, so that a session has no more requests under way than it may.
        own = requests[number::len(servers)]
        return wrk.load(
            directory, servers[number].port, own, parts[number], seconds, numbers.next() if numbers else 0)

    with ThreadPoolExecutor(len(servers)) as pool:
        samples = list(pool.map(part, range(len(servers))))
    return {"time": 1 / sum(1 / sample["time"] for sample in samples), "requests": sum(one["requests"] for one in samples)}


def cpu(servers, cluster=None):
    """The time that servers, and PostgreSQL, have run until now."""
    found = {SATCHELD_CPU: sum(Process(server.process.pid).cpu() for server in servers)}
    if cluster:
        found[POSTGRESQL_CPU] = Process(cluster.process.pid).cpu_with_children()
    return found


def side(place, servers, requests, connections, count=None, shared=None):
    """A side of a row. With `count`, each request stores a record. `shared`: the database of these servers, in which nothing
    of an earlier sample may be under way, since it would count here."""
    place.mkdir()
    numbers = Numbers() if count else None
    cluster = shared.cluster if shared else None

    def sample(_):
        if shared:
            shared.settle()
        before = count() if count else 0
        used = cpu(servers, cluster)
        found = load(place, servers, requests, connections, numbers=numbers)
        spent = {name: (now - used[name]) / found["requests"] for name, now in cpu(servers, cluster).items()}
        if count:
            stored(count() - before, found["requests"], connections)
        return found | spent

    return sample


@contextlib.contextmanager
def reads(place, processes, connections=32):
    """Reads of one record, of another account on each connection."""
    with database(place, processes) as (shared, alone, others):
        for server, users in ((shared.servers[0], shared.users), (alone, others)):
            for user in users[:connections]:
                create(server, user, "one")

        def request(server):
            answer = on(server, shared.users[0]).request("GET", shared.users[0].record("one"))
            assert answer.status == 200, answer
            # The same name for each account.
            return None, None

        script = shared.script(request, waits=2)
        own, theirs = ([wrk.get(user.record("one"), user.token) for user in users[:connections]]
                       for users in (shared.users, others))
        yield Row(
            side(place / "own", shared.servers, own, connections, shared=shared),
            lambda _: shared.pgbench(script, connections), "pgbench", SAME_STATEMENTS | CPU,
            {WITH_SQLITE: side(place / "alone", [alone], theirs, connections)})


@contextlib.contextmanager
def writes(place, processes, connections):
    """Writes of one new record each, durable before the answer, of another account on each connection."""
    with database(place, processes) as (shared, alone, others):
        script = shared.script(lambda server: put(server, shared.users[0]), waits=4)
        own, theirs = ([wrk.put(user.record("new-"), user.token, BODY) for user in users[:connections]]
                       for users in (shared.users, others))
        store = alone.data / "satchel.sqlite"

        def yardstick(_):
            shared.settle()
            before = shared.count()
            sample = shared.pgbench(script, connections)
            stored(shared.count() - before, sample["requests"], CLIENTS)
            return sample

        yield Row(
            side(place / "own", shared.servers, own, connections, shared.count, shared), yardstick, "pgbench",
            SAME_STATEMENTS | CPU,
            {WITH_SQLITE: side(place / "alone", [alone], theirs, connections, lambda: setting.counted(store))})


@contextlib.contextmanager
def group_commit(place, connections=32):
    """The same writes on many connections and on one: how many share a commit."""
    shared = Database(place)
    try:
        requests = [wrk.put(user.record("new-"), user.token, BODY) for user in shared.users]
        yield Row(
            side(place / "many", shared.servers, requests[:connections], connections, shared.count, shared),
            side(place / "one", shared.servers, requests[connections:connections + 1], 1, shared.count, shared),
            "one writer", SHARED_COMMITS)
    finally:
        shared.close()


@contextlib.contextmanager
def pages(place, processes, connections=PAGE_USERS):
    """Pages of 1,000 records."""
    with database(place, processes) as (shared, alone, others):
        for server, users in ((shared.servers[0], shared.users), (alone, others)):
            for user in users[:connections]:
                fill(server, user)

        def request(server):
            answer = on(server, shared.users[0]).pull()
            assert len(answer.json["records"]) == PAGE, answer.status
            return None, None

        shared.cluster.sql("ANALYZE")
        script = shared.script(request, waits=4)
        own, theirs = ([wrk.get(f"/v1/spaces/{user.space}/changes", user.token) for user in users[:connections]]
                       for users in (shared.users, others))
        yield Row(
            side(place / "own", shared.servers, own, connections, shared=shared),
            lambda _: shared.pgbench(script, connections), "pgbench", SAME_STATEMENTS | CPU,
            {WITH_SQLITE: side(place / "alone", [alone], theirs, connections)})


@contextlib.contextmanager
def events(place, processes):
    """The time from a write on one server to its event at the last of 24 streams, which are spread over all servers."""
    with database(place, processes) as (shared, alone, others):
        yield Row(
            event_side(shared.servers, shared.users[0]), event_side([alone], others[0]), WITH_SQLITE, {"time": Goal()})


def event_side(servers, user):
    streams = [Stream(on(servers[number % len(servers)], user)) for number in range(STREAMS)]

    def sample(_):
        spent = 0.0
        for _ in range(WRITES):
            began = time.perf_counter()
            [version] = put(servers[0], user)[1:]
            for stream in streams:
                assert stream.has_event_within(60, lambda event: position(event["cursor"]) >= version), "an event is missing"
            spent += time.perf_counter() - began
        return {"time": spent / WRITES}

    return sample


def position(cursor):
    """The version up to which the owner of a cursor has received everything."""
    return int(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).split(b".")[1])


def on(server, user):
    """A session of an account on a server."""
    api = API(server.port)
    api.token, api.space = user.token, user.space
    return api


def put(server, user):
    """Creates a record; returns its name and its version."""
    name = f"put-{uuid.uuid4()}"
    answer = on(server, user).request("PUT", user.record(name), {"fields": FIELDS}, If_None_Match="*")
    assert answer.status == 201, answer
    return name, answer.json["version"]


def fill(server, user):
    for start in range(0, PAGE, 500):
        answer = on(server, user).push({"mutations": [
            {"collection": "tasks", "id": f"page-{number}", "base": 0, "at": "019350000000-0000-x", "set": FIELDS}
            for number in range(start, start + 500)]})
        assert answer.status == 200, answer
