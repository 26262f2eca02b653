"""Several satcheld over one PostgreSQL: they share everything, and follow PostgreSQL through crashes and failovers."""

import base64
import http.client
import itertools
import statistics
import threading
import time
import uuid

import pytest

from harness import API, ClusterDatabase, Server, Stream, in_step, wait_until
from harness.api import task
from harness.environment import PATIENCE
from harness.haproxy import PAGE, HAProxy

# Time for news of another server. Without them, a server notices what the others did at its next heartbeat, every 20 seconds: of
# two tries after one another, at most one can be due to a heartbeat, so news have arrived if both take less. On an idle machine,
# they need milliseconds.
NOTIFIED = 5
TRIES = 5


def position(cursor):
    """The version up to which the owner of a cursor has received everything."""
    return int(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).split(b".")[1])


def on(server, api):
    """The same session on another server."""
    other = API(server.port)
    other.token, other.session, other.space = api.token, api.session, api.space
    return other


class Writers:
    """Threads that write records through several servers until they are stopped."""

    def __init__(self, api, servers, count):
        self.acknowledged, self.refused, self.unanswered, self.wrong = [], [], [], []
        self.done = threading.Event()
        self.threads = [
            threading.Thread(target=self._run, args=([on(server, api) for server in servers], number))
            for number in range(count)]
        for thread in self.threads:
            thread.start()

    def _run(self, apis, number):
        for place in itertools.count():
            name = f"w{number}-{place}"
            if not self._write(apis, number, name):
                return

    def _write(self, apis, first, name):
        """Sends a record with the same key until it is acknowledged, as a device does; false: the writers are stopped.

        If one server doesn't answer, the next one is used, as behind a proxy.
        """
        key = str(uuid.uuid4())
        choice = itertools.count(first)
        api = apis[next(choice) % len(apis)]
        while not self.done.is_set():
            try:
                answer = api.push({"mutations": [task(name)]}, key=key)
            except (OSError, http.client.HTTPException):
                self.unanswered.append(name)
                api = apis[next(choice) % len(apis)]
                continue
            if answer.status == 200:
                self.acknowledged.append((name, answer.json["results"][0]["version"]))
                return True
            if answer.status != 503 or "retry-after" not in answer.headers:
                self.wrong.append(answer)
                return False
            self.refused.append(name)
            time.sleep(0.05)
        return False

    def wait_for(self, count):
        """Waits until so many more records are acknowledged."""
        target = len(self.acknowledged) + count
        wait_until(lambda: self.wrong or len(self.acknowledged) >= target, f"{target} records are acknowledged")
        assert self.wrong == []

    def stop(self):
        self.done.set()
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()
        assert self.wrong == [] and self.acknowledged


def check_nothing_is_lost(writers, api):
    """Every acknowledged record is there, was written once, and no version was assigned twice."""
    found = {record["id"]: record["version"] for record in api.records()}
    lost = [(name, version) for name, version in writers.acknowledged if found.get(name) != version]
    assert lost == []
    versions = list(found.values())
    assert len(versions) == len(set(versions))
    assert len({version for _, version in writers.acknowledged}) == len(writers.acknowledged)


def is_change(space, version):
    """The condition for an event that reports a change, or that and later ones."""
    return lambda event: event["space"] == space and position(event["cursor"]) >= version


def pushed(api, name):
    """Pushes a record, and returns its version."""
    answer = api.push({"mutations": [task(name)]})
    assert answer.status == 200, answer
    return answer.json["results"][0]["version"]


def check_notified(what, times):
    """Checks the times from an answer on one server to its effect on another one, of tries after one another."""
    print(f"{what}, in milliseconds after the answer: {', '.join(f'{1_000 * passed:.0f}' for passed in sorted(times))}")
    assert len(times) == TRIES and max(times) < NOTIFIED
    # A busy machine may delay some of them.
    assert statistics.median(times) < 1, "it takes less than a second"


# Two servers


def test_what_is_written_on_one_server_is_read_on_another_at_once(database, make_servers):
    first, second = make_servers(database, 2)
    ada = first.api.register()
    for number in range(20):
        here, there = (first, second) if number % 2 else (second, first)
        assert on(here, ada).push({"mutations": [task(f"t{number}")]}).status == 200
        assert any(record["id"] == f"t{number}" for record in on(there, ada).records())


def test_a_change_on_one_server_reaches_a_stream_on_another(database, make_servers):
    first, second = make_servers(database, 2)
    ada = first.api.register()
    stream, times = Stream(on(second, ada)), []
    for number in range(TRIES):
        version = pushed(ada, f"t{number}")
        answered = time.monotonic()
        assert stream.has_event_within(NOTIFIED, is_change(ada.space, version))
        times.append(time.monotonic() - answered)
    check_notified("events of changes", times)


def test_the_stream_of_a_revoked_device_on_another_server_ends(database, make_servers):
    first, second = make_servers(database, 2)
    ada = first.api.register()
    times = []
    for _ in range(TRIES):
        phone = second.api.log_in()
        stream = Stream(phone)
        device = phone.session["device"]["id"]
        assert ada.request("DELETE", f"/v1/devices/{device}").status == 204
        answered = time.monotonic()
        assert stream.ends_within(NOTIFIED)
        times.append(time.monotonic() - answered)
        assert phone.pull().status == 401
    check_notified("ends of the streams of revoked devices", times)


def test_a_command_of_the_owner_ends_streams_on_all_servers(database, make_servers):
    servers = make_servers(database, 3)
    ada = servers[0].api.register()
    for _ in range(2):
        streams = [Stream(on(server, ada)) for server in servers]
        done = servers[0].administer("user", "disable", "ada")
        assert done.returncode == 0, done.stderr
        end = time.monotonic() + NOTIFIED
        assert all(stream.ends_within(end - time.monotonic()) for stream in streams)
        assert [on(server, ada).pull().code for server in servers] == ["account-disabled"] * 3
        done = servers[0].administer("user", "enable", "ada")
        assert done.returncode == 0, done.stderr


def test_a_repeated_request_on_another_server_has_the_first_result(database, make_servers):
    first, second = make_servers(database, 2)
    ada = first.api.register()
    body = {"mutations": [task("one")]}
    key = str(uuid.uuid4())
    once = ada.push(body, key=key)
    again = on(second, ada).push(body, key=key)
    assert once.status == again.status == 200
    assert once.json["results"] == again.json["results"]
    assert on(second, ada).push({"mutations": [task("two")]}, key=key).code == "idempotency-key-reused"


def test_a_request_that_is_sent_to_all_servers_at_once_is_carried_out_once(database, make_servers):
    servers = make_servers(database, 3)
    ada = servers[0].api.register()
    for number in range(10):
        answers, body, key = [], {"mutations": [task(f"t{number}")]}, str(uuid.uuid4())
        threads = [
            threading.Thread(target=lambda server=server: answers.append(on(server, ada).push(body, key=key)))
            for server in servers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert [answer.status for answer in answers] == [200] * 3, [answer.body for answer in answers]
        assert len({answer.json["results"][0]["version"] for answer in answers}) == 1
    assert len(ada.records()) == 10


def test_guesses_are_counted_for_all_servers_together(database, make_servers):
    first, second = make_servers(database, 2)
    first.api.register()
    body = {"username": "ada", "password": "a wrong guess", "device": {"name": "curl"}}

    def guess(server):
        return server.api.request("POST", "/v1/sessions", body, token=False).status

    # Guesses that come too early aren't counted. After the third one that is, the account is blocked for 4 seconds.
    for _ in range(3):
        wait_until(lambda: guess(first) == 401, "the guess is checked")
    assert guess(second) == 429, "the second server knows the guesses on the first one"


def test_an_invitation_that_is_used_up_on_one_server_is_refused_on_another(database, make_servers):
    first, second = make_servers(database, 2, "--registration", "invite")
    done = first.administer("invite", "add")
    assert done.returncode == 0, done.stderr
    code = done.stdout.splitlines()[0]

    def register(server, name):
        body = {"username": name, "password": "correct horse", "device": {"name": "curl"}, "invite": code}
        return server.api.request("POST", "/v1/accounts", body, token=False)

    assert register(first, "ada").status == 201
    refused = register(second, "ben")
    assert (refused.status, refused.code) == (403, "registration-closed")
    assert "used up" in refused.json["detail"], refused


def test_devices_on_different_servers_sync_with_each_other(database, make_servers, make_device):
    first, second = make_servers(database, 2)
    laptop = make_device().register(first)
    desktop = make_device().log_in(second)
    laptop.run("add", "From the laptop")
    desktop.run("add", "From the desktop")
    in_step(laptop, desktop)
    assert laptop.titles() == desktop.titles() == ["From the desktop", "From the laptop"]


# Faults


def test_a_server_that_is_killed_loses_nothing_that_it_acknowledged(database, make_servers):
    first, second, third = make_servers(database, 3)
    ada = first.api.register()
    writers = Writers(ada, [first, second, third], 6)
    stream = Stream(on(third, ada))
    writers.wait_for(20)
    first.kill()
    writers.wait_for(20)
    writers.stop()
    assert writers.unanswered, "the first server was used when it was killed"
    check_nothing_is_lost(writers, on(second, ada))
    version = pushed(on(second, ada), "after-the-kill")
    assert stream.has_event_within(PATIENCE, is_change(ada.space, version))


@pytest.fixture
def make_balancer(tmp_path):
    """Starts haproxy in front of servers, with the configuration of the page ManyServers; returns its port."""
    proxies = []

    def make(servers):
        proxies.append(HAProxy(tmp_path, [server.port for server in servers], PAGE))
        return proxies[-1].port

    yield make
    for proxy in proxies:
        proxy.close()


def test_one_of_three_servers_behind_haproxy_is_killed_and_clients_continue(
        database, make_servers, make_balancer, make_device):
    servers = make_servers(database, 3, "--trusted-proxy", "127.0.0.1")
    balanced = Server(servers[0].directory / "balanced", database)
    balanced.port = make_balancer(servers)
    laptop = make_device().register(balanced)
    desktop = make_device().log_in(balanced)
    for number, server in enumerate([servers[0], None, servers[1]]):
        laptop.run("add", f"laptop {number}")
        desktop.run("add", f"desktop {number}")
        if server:
            server.kill()
        in_step(laptop, desktop)
    assert laptop.titles() == desktop.titles() == sorted(
        f"{name} {number}" for name in ("desktop", "laptop") for number in range(3))


def test_postgresql_is_killed_and_restarted_under_load(make_cluster, make_servers):
    cluster = make_cluster().start()
    servers = make_servers(ClusterDatabase(cluster), 2)
    ada = servers[0].api.register()
    stream = Stream(on(servers[1], ada))
    writers = Writers(ada, servers, 4)
    for _ in range(3):
        writers.wait_for(20)
        cluster.kill()
        time.sleep(0.2)
        cluster.start()
    writers.wait_for(20)
    writers.stop()
    check_nothing_is_lost(writers, ada)
    assert writers.refused, "requests in between are refused with 503"
    version = pushed(ada, "after-the-restarts")
    # A stream that couldn't read meanwhile has ended, so that its reader opens another one.
    assert stream.has_event_or_ends_within(PATIENCE, is_change(ada.space, version))
    assert [server.process.poll() for server in servers] == [None, None]


def epoch(cluster):
    return cluster.sql("SELECT value FROM meta WHERE name = 'epoch'")[0]


def fail_over(primary, standby):
    """Kills the primary, and makes the standby the primary."""
    primary.kill()
    standby.promote()


def test_with_synchronous_replication_a_failover_loses_nothing(make_cluster, make_servers):
    primary = make_cluster().start("synchronous_standby_names=standby")
    # The first standby has to exist before commits can wait for it.
    standby = make_cluster(primary).start()
    wait_until(lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == ["sync"], "the standby is synchronous")
    servers = make_servers(ClusterDatabase(primary, standby), 2)
    ada = servers[0].api.register()
    writers = Writers(ada, servers, 4)
    writers.wait_for(20)
    before = epoch(primary)
    began = time.monotonic()
    fail_over(primary, standby)
    writers.wait_for(1)
    print(f"the first write after the failover: {time.monotonic() - began:.1f} s")
    writers.wait_for(20)
    writers.stop()
    check_nothing_is_lost(writers, ada)
    assert epoch(standby) != before


def test_a_write_without_the_synchronous_standby_is_refused_and_carried_out_once(make_cluster, make_servers):
    primary = make_cluster().start("synchronous_standby_names=standby")
    standby = make_cluster(primary).start()
    wait_until(lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == ["sync"], "the standby is synchronous")
    [server] = make_servers(ClusterDatabase(primary, standby), 1)
    ada = server.api.register()
    standby.kill()
    body, key = {"mutations": [task("one")]}, str(uuid.uuid4())
    # The commit waits for the standby without limit; the server gives up long before this client does.
    answer = ada.push(body, key=key)
    assert answer.status == 503 and "retry-after" in answer.headers, answer
    standby.start()
    wait_until(lambda: ada.push(body, key=key).status == 200, "the same request is answered")
    assert [(record["id"], record["version"]) for record in ada.records()] == [("one", 1)]


def test_what_an_asynchronous_failover_lost_devices_send_again(make_cluster, make_servers, make_device):
    primary = make_cluster().start()
    standby = make_cluster(primary).start()
    [server] = make_servers(ClusterDatabase(primary, standby), 1)
    laptop = make_device().register(server)
    desktop = make_device().log_in(server)
    laptop.run("add", "Replicated")
    in_step(laptop, desktop)
    position = primary.sql("SELECT pg_current_wal_lsn()")[0]
    wait_until(
        lambda: standby.sql(f"SELECT pg_last_wal_replay_lsn() >= '{position}'") == ["t"], "the standby has everything")
    # From now on, the standby receives nothing.
    standby.kill()
    laptop.run("add", "Lost by the failover")
    in_step(laptop, desktop)
    primary.kill()
    standby.start()
    standby.promote()
    desktop.run("add", "Made later")
    in_step(laptop, desktop)
    in_step(desktop, laptop)
    assert laptop.titles() == desktop.titles() == ["Lost by the failover", "Made later", "Replicated"]
    assert laptop.records("conflicts") == []


def test_an_earlier_primary_that_starts_again_is_refused(make_cluster, make_servers):
    primary = make_cluster().start()
    standby = make_cluster(primary).start()
    [server] = make_servers(ClusterDatabase(primary, standby), 1)
    ada = server.api.register()
    position = primary.sql("SELECT pg_current_wal_lsn()")[0]
    wait_until(
        lambda: standby.sql(f"SELECT pg_last_wal_replay_lsn() >= '{position}'") == ["t"], "the standby has everything")
    names, kept = (f"t{number}" for number in itertools.count()), []

    def push():
        name = next(names)
        status = ada.push({"mutations": [task(name)]}).status
        if status == 200:
            kept.append(name)
        return status

    fail_over(primary, standby)
    wait_until(lambda: push() == 200, "the standby is used")
    # From now on, each new connection goes to the host that is named first.
    primary.start()
    standby.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'satcheld'")
    wait_until(lambda: push() == 503, "the earlier primary is refused")
    assert "is an earlier primary" in server.log.read_text(encoding="utf-8")
    primary.kill()
    wait_until(lambda: push() == 200, "the standby is used again")
    assert {record["id"] for record in ada.records()} >= set(kept)


# Bad input


@pytest.mark.parametrize("address, words", [
    ("postgres://127.0.0.1:1/satchel", ["127.0.0.1:1/satchel", "refused"]),
    ("postgres://ada:secret@[::1/x", ["postgres://USER:PASSWORD@HOST/DATABASE"]),
    ("postgres://ada:secret@192.0.2.1/satchel", ["192.0.2.1/satchel", "sslmode=verify-full"]),
    ("mysql://127.0.0.1/x", ["sqlite", "postgres://USER@HOST/DATABASE"]),
])
def test_a_wrong_address_is_refused_at_the_start_without_its_password(make_server, address, words):
    server = make_server()
    process = server.spawn("--port", "0", "--store", address)
    assert process.wait(PATIENCE) == 1
    log = server.log.read_text()
    assert all(word in log for word in words), log
    assert "secret" not in log


def test_backup_and_restore_of_files_are_refused_with_what_to_use(database, make_servers):
    [server] = make_servers(database, 1)
    done = server.command("backup", server.directory / "file")
    assert done.returncode == 1 and "pg_dump" in done.stderr
    done = server.command("restore", server.directory / "file")
    assert done.returncode == 1 and "pg_restore" in done.stderr and "--mark" in done.stderr


def test_a_server_whose_tables_a_newer_one_has_changed_answers_503(database, make_servers):
    [server] = make_servers(database, 1)
    ada = server.api.register()
    # As a newer server does when it starts.
    database.sql("INSERT INTO migrations (name) VALUES ('99: later')")
    database.sql(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database.name}' AND pid <> pg_backend_pid()")
    wait_until(lambda: ada.pull().status == 503, "requests are refused")
    answer = ada.pull()
    assert answer.code == "unavailable" and "retry-after" in answer.headers
    assert "a newer version of the server has changed the tables" in server.log.read_text(encoding="utf-8")
    assert server.api.request("GET", "/readyz").status == 503


def test_a_marked_restore_signs_all_devices_out_unless_the_owner_keeps_those_of_the_backup(database, make_servers):
    [server] = make_servers(database, 1)
    ada = server.api.register()
    done = server.administer("restore", "--mark", "--backup-access")
    assert done.returncode == 0 and "devices and app passwords are as in the backup" in done.stdout, done.stderr
    assert ada.pull().status == 200
    done = server.administer("restore", "--mark")
    assert done.returncode == 0 and "ended 1 session," in done.stdout, done.stderr
    assert "satcheld user reset-password NAME" in done.stdout
    assert ada.pull().status == 401
    assert server.api.log_in().pull().status == 200
    wait_until(lambda: server.log.read_text().count("event=restored") == 2, "both are logged")
    assert "signedOut=1" in server.log.read_text()


def test_a_mark_needs_tables(database, tmp_path):
    done = Server(tmp_path / "server", database).administer("restore", "--mark")
    assert done.returncode == 1 and "has no tables of a server" in done.stderr
    assert database.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'") == []


def test_servers_share_the_connections_that_postgresql_has(make_cluster, make_servers):
    cluster = make_cluster().start("max_connections=16")
    servers = make_servers(ClusterDatabase(cluster), 2, "--store-connections", "12")
    ada = servers[0].api.register()
    writers = Writers(ada, servers, 12)
    writers.wait_for(50)
    writers.stop()
    check_nothing_is_lost(writers, ada)
