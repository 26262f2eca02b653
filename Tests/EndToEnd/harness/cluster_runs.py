"""Runs of clients, servers and PostgreSQL in which one of these, or none, is killed again and again: what `Tests/cluster` does.

Each run returns a report, or raises an AssertionError that says what was lost. A kill is SIGKILL, which ends processes and not
the machine: what PostgreSQL has written and not fsynced survives it.
"""

import contextlib
import itertools
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from .clients import Clients, faults_of
from .environment import wait_until
from .haproxy import EXAMPLE, HAProxy
from .postgres import Cluster, ClusterDatabase, server_program
from .programs import program
from .server import Server

# The number of writes that are acknowledged between two faults is a random one of these.
WRITES = range(20, 60)
SLOT = "satcheld"


def settings(text):
    """The settings of a file of PostgreSQL, as NAME=VALUE."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if line)
    return [f"{name.strip()}={value.strip().strip(chr(39))}" for name, _, value in pairs]


# Those of the example, with which each PostgreSQL runs. It listens on loopback only.
SETTINGS = [
    setting for setting in settings((EXAMPLE / "postgresql.conf").read_text(encoding="utf-8"))
    if not setting.startswith("listen_addresses=")]


@dataclass
class Report:
    """What happened in a run in which no acknowledged write is missing at the end; otherwise `Run.finish` raises."""

    name: str
    kills: int = 0
    acknowledged: int = 0
    # Acknowledged writes that PostgreSQL lost, and that their clients sent again after they had noticed.
    sent_again: int = 0
    # Requests that were answered with 503, and those without an answer.
    refused: int = 0
    broken: int = 0
    # Time from the beginning of each kill to the first answer to a write that was sent after its end, in seconds; and the part
    # until what was killed is back, or its standby was promoted.
    pauses: list = field(default_factory=list)
    repairs: list = field(default_factory=list)

    def __str__(self):
        pauses = ", ".join(f"{pause:.2f}" for pause in self.pauses)
        repairs = ", ".join(f"{repair:.2f}" for repair in self.repairs)
        until = f" ({repairs} of them until PostgreSQL answers again)" if repairs else ""
        times = f"; seconds from a kill to the next acknowledged write: {pauses}{until}" if pauses else ""
        return (
            f"{self.name}: {self.kills} kills, {self.acknowledged} writes acknowledged, {self.sent_again} lost by PostgreSQL and "
            f"sent again by their clients; {self.refused} requests refused with 503, {self.broken} without an answer{times}")


@dataclass(frozen=True)
class Outage:
    """A kill: when it began, when all processes had ended, and when others replaced them; on the monotonic clock, in seconds."""

    began: float
    ended: float
    repaired: float | None = None


class Pair:
    """A primary with a streaming standby that uses a physical slot. After a failover, the old primary is replaced."""

    def __init__(self, directory, is_synchronous):
        self.is_synchronous = is_synchronous
        # The logs stay in the run's directory, also those of what was replaced.
        self.logs = (directory / f"postgresql-{number}.log" for number in itertools.count(1))
        self.primary = Cluster(log=next(self.logs))
        self.standby = None
        try:
            self.primary.start(*SETTINGS)
            self.join()
        except BaseException:
            self.close()
            raise
        # Their ports stay the same.
        self.database = ClusterDatabase(self.primary, self.standby)

    def join(self, port=None):
        """Adds a standby."""
        self.primary.sql(f"SELECT pg_create_physical_replication_slot('{SLOT}', true)")
        self.standby = Cluster(self.primary, log=next(self.logs))
        self.standby.port = port or self.standby.port
        self.standby.start(*SETTINGS, f"primary_slot_name={SLOT}")
        state = "async"
        if self.is_synchronous:
            # Set after the copy, so that the standby doesn't wait for one of its own once it is promoted.
            self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
            self.primary.sql("SELECT pg_reload_conf()")
            state = "sync"
        wait_until(
            lambda: self.primary.sql("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'") == [state],
            "the standby receives everything")

    def stop_replication(self):
        """Ends the standby's WAL receiver: what is committed from now on is on the primary alone."""
        self.standby.sql("ALTER SYSTEM SET primary_conninfo = ''")
        self.standby.sql("SELECT pg_reload_conf()")
        wait_until(lambda: not self.standby.sql("SELECT pid FROM pg_stat_wal_receiver"), "the standby receives nothing")

    def fail_over(self):
        """Kills the primary, and promotes the standby."""
        began = self.primary.kill()
        ended = time.monotonic()
        self.standby.promote()
        return Outage(began, ended, time.monotonic())

    def replace(self):
        """Removes the failed primary; a new standby has its port."""
        failed, self.primary, self.standby = self.primary, self.standby, None
        failed.close()
        self.join(failed.port)

    def close(self):
        for cluster in (self.primary, self.standby):
            if cluster:
                cluster.close()


class Run:
    """Servers, their clients and a report; the faults are injected by its user."""

    def __init__(self, name, directory, database, seed, servers, proxy=False, **clients):
        self.report = Report(name)
        self.random = random.Random(seed)
        self.servers = [Server(directory / f"server-{number + 1}", database) for number in range(servers)]
        with contextlib.ExitStack() as opening:
            for server in self.servers:
                opening.callback(server.close)
                server.start(*(["--trusted-proxy", "127.0.0.1"] if proxy else []))
            ports = [server.port for server in self.servers]
            if proxy:
                self.proxy = HAProxy(directory, ports)
                opening.callback(self.proxy.close)
                ports = [self.proxy.port]
            self.clients = Clients(ports, **clients)
            self.closing = opening.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            # The first fault is the one to report.
            self.clients.end()
        self.closing.close()

    def write(self):
        """Lets clients write for a random while."""
        self.clients.wait_for(self.random.choice(WRITES))

    def survived(self, outage):
        """Counts a kill, and waits for a write that was sent after it. One that was sent during the kill doesn't count: a
        process that still ran may have carried it out."""
        self.report.kills += 1
        if outage.repaired:
            self.report.repairs.append(outage.repaired - outage.began)
        first = wait_until(
            lambda: self.clients.faults or self.clients.first_after(outage.ended), "a write is acknowledged after the kill")
        self.clients.check_faults()
        self.report.pauses.append(first - outage.began)

    def finish(self, histories=1):
        """Stops the clients, checks all that they know, and returns the report."""
        self.clients.stop()
        faults = []
        for space in self.clients.spaces:
            pairs = [(one.id, one.version) for one in space.acknowledged]
            stored = self.clients.stored(space)
            for reader in space.readers:
                faults += faults_of(pairs, stored, reader.seen, histories)
        assert not faults, "\n".join([str(self.report), *faults[:20]])
        assert [server.process.poll() for server in self.servers] == [None] * len(self.servers), "a server has ended"
        self.report.acknowledged = self.clients.count - self.report.sent_again
        self.report.refused, self.report.broken = len(self.clients.refused), len(self.clients.broken)
        return self.report


def rounds(seconds, least):
    """Counts rounds until the time is over."""
    end, number = time.monotonic() + seconds, 0
    while number < least or time.monotonic() < end:
        number += 1
        yield number


def start_cluster(directory, closing):
    """Starts a PostgreSQL whose log stays in the run's directory."""
    cluster = Cluster(log=directory / "postgresql.log")
    closing.callback(cluster.close)
    return cluster.start(*SETTINGS)


def crash(directory, seconds, seed):
    """One PostgreSQL is killed and started again, with two servers."""
    with contextlib.ExitStack() as closing:
        cluster = start_cluster(directory, closing)
        with Run("PostgreSQL killed and restarted", directory, ClusterDatabase(cluster), seed, servers=2) as run:
            for _ in rounds(seconds, least=2):
                run.write()
                began = cluster.kill()
                ended = time.monotonic()
                cluster.start(*SETTINGS)
                run.survived(Outage(began, ended, time.monotonic()))
            return run.finish()


def synchronous(directory, seconds, seed):
    """The primary is killed, and its synchronous standby is promoted: nothing may be lost."""
    with contextlib.ExitStack() as closing:
        pair = Pair(directory, is_synchronous=True)
        closing.callback(pair.close)
        with Run("failover to a synchronous standby", directory, pair.database, seed, servers=2) as run:
            for number in rounds(seconds, least=1):
                if number > 1:
                    pair.replace()
                run.write()
                run.survived(pair.fail_over())
                run.clients.wait_for_readers(number)
            assert not any(run.clients.lost().values()), "a synchronous failover lost acknowledged writes"
            return run.finish(histories=1 + number)


def asynchronous(directory, seconds, seed):
    """The standby lacks the last commits when it is promoted: the clients must notice, and send them again."""
    with contextlib.ExitStack() as closing:
        pair = Pair(directory, is_synchronous=False)
        closing.callback(pair.close)
        with Run("failover that loses commits", directory, pair.database, seed, servers=2) as run:
            for number in rounds(seconds, least=1):
                if number > 1:
                    pair.replace()
                run.write()
                pair.stop_replication()
                run.write()
                run.survived(pair.fail_over())
                run.clients.wait_for_readers(number)
                run.report.sent_again += send_again(run.clients)
            return run.finish(histories=1 + number)


def send_again(clients):
    """Checks what clients learn about what was lost, and sends it again; returns how much it was."""
    lost = clients.lost()
    assert any(lost.values()), "the failover lost nothing, so this run shows nothing"
    for space in clients.spaces:
        if not lost[space.id]:
            continue
        first = min(one.version for one in lost[space.id])
        kept = max((version for version in clients.stored(space).values() if version < first), default=0)
        for reader in space.readers:
            assert reader.shared[-1] == kept, f"the histories share version {kept}, but a client received {reader.shared[-1]}"
        clients.send_again(space, lost[space.id])
    return sum(map(len, lost.values()))


def one_of_three(directory, seconds, seed):
    """One of three servers behind haproxy is killed, and started again later."""
    with contextlib.ExitStack() as closing:
        cluster = start_cluster(directory, closing)
        with Run("one of three servers killed behind haproxy", directory, ClusterDatabase(cluster), seed, 3, True) as run:
            for _ in rounds(seconds, least=2):
                run.write()
                server = run.random.choice(run.servers)
                began = time.monotonic()
                server.kill()
                run.survived(Outage(began, time.monotonic()))
                run.write()
                server.start("--trusted-proxy", "127.0.0.1")
            return run.finish()


def order(directory, seconds, seed):
    """Eight writers and eight readers of one space on three servers, without a kill: no reader may miss a version."""
    with contextlib.ExitStack() as closing:
        cluster = start_cluster(directory, closing)
        many = {"accounts": 1, "writers": 8, "readers": 8}
        with Run("readers and writers on three servers", directory, ClusterDatabase(cluster), seed, 3, **many) as run:
            for _ in rounds(seconds, least=1):
                run.write()
            return run.finish()


RUNS = {"order": order, "crash": crash, "synchronous": synchronous, "asynchronous": asynchronous, "one-of-three": one_of_three}


# The runs with haproxy.
BEHIND_HAPROXY = {"one-of-three"}


def require_programs(names):
    """Raises MissingProgram if a program that these runs need is missing, so that none fails after others have run."""
    program("psql")
    for name in ("initdb", "pg_basebackup", "pg_ctl", "postgres"):
        server_program(name)
    if not BEHIND_HAPROXY.isdisjoint(names):
        program("haproxy")


def perform(name, directory, seconds, seed):
    """Performs a run in a new directory; `directory` is its parent."""
    place = Path(directory) / name
    place.mkdir(parents=True)
    return RUNS[name](place, seconds, seed)
