"""A full disk under the client and under the server: a clear message, and everything works again afterwards."""

import itertools
import json
import re

import pytest

from harness import in_step, wait_until
from harness.api import task
from harness.device import PASSWORD

FULL = re.compile("full|space|room")
DAMAGED = 7


@pytest.fixture
def serve_on_disk(make_server, make_disk):
    """Starts a server whose data is on a disk of this size; returns both."""

    def start(size):
        server, disk = make_server(), make_disk(size)
        server.data = disk.directory / "data"
        return server.start(), disk

    return start


def test_a_full_disk_refuses_edits_keeps_the_records_and_works_again_afterwards(server, make_device, make_disk, laptop):
    disk, device = make_disk("4m"), make_device()
    device.home = disk.directory / "satchel"
    device.log_in(server)
    device.run("add", "Before")
    disk.fill()
    body = device.write("body", "x" * 100_000)
    results = {name: device.try_("note", name, "--body-file", body) for name in ("One", "Two", "Three")}
    kept = [name for name, result in results.items() if result.code == 0]
    for result in results.values():
        assert result.code == 0 or (result.code == DAMAGED and FULL.search(result.err)), str(result)
    assert len(kept) < 3, "the disk wasn't full"
    disk.make_room()
    assert sorted(record["fields"]["title"] for record in device.records()) == sorted(["Before", *kept])
    device.run("add", "After")
    in_step(device, laptop)
    assert laptop.titles() == ["After", "Before"] and laptop.titles("notes") == sorted(kept)


def test_with_no_byte_free_a_home_is_read_and_the_disk_is_named(device, make_disk):
    disk = make_disk("4m")
    device.home = disk.directory / "satchel"
    device.run("add", "Before")
    disk.fill()
    listed = device.run("list")
    assert "Before" in listed.out and "the numbers of this list can't be stored" in listed.err
    refused = device.try_("add", "More")
    assert refused.code == DAMAGED and "The disk is full:" in refused.err, str(refused)
    assert "Free some space and try again; nothing was changed." in refused.err.replace("\n", " ")
    assert "is full" in device.run("status").out
    doctor = device.try_("doctor")
    assert doctor.code == DAMAGED and "is full" in doctor.out, str(doctor)
    disk.make_room()
    device.run("add", "After")
    assert device.titles() == ["After", "Before"]
    assert device.try_("doctor").code == 0


def test_edits_until_the_disk_is_full_are_all_kept(device, make_disk):
    disk = make_disk("2m")
    device.home = disk.directory / "satchel"
    body = device.write("body", "x" * 50_000)
    acknowledged = []
    for number in range(100):
        result = device.try_("note", f"Note {number}", "--body-file", body)
        if result.code != 0:
            break
        acknowledged.append(f"Note {number}")
    assert result.code == DAMAGED and FULL.search(result.err), str(result)
    disk.mount_more("8m")
    assert device.titles("notes") == sorted(acknowledged)
    device.run("add", "After")


def test_a_sync_on_a_full_disk_fails_and_the_next_one_completes(server, make_device, make_disk, laptop, export_file):
    disk, device = make_disk("4m"), make_device()
    device.home = disk.directory / "satchel"
    device.log_in(server)
    device.run("add", "Unsent")
    laptop.run("import", "taskwarrior", export_file)
    laptop.sync()
    disk.fill()
    result = device.try_("sync")
    assert result.code == DAMAGED and FULL.search(result.err), str(result)
    assert "nothing was changed" not in result.err.replace("\n", " "), str(result)
    disk.make_room()
    disk.mount_more("64m")
    in_step(device, laptop)
    assert len(laptop.records("tasks")) == 3_001 and laptop.records("conflicts") == []


def test_a_sync_whose_renewed_tokens_have_no_room_names_the_disk(server, make_device, make_disk):
    disk, device = make_disk("4m"), make_device()
    device.home = disk.directory / "satchel"
    device.register(server).sync()
    session = device.home / "session.json"
    stored = json.loads(session.read_text())
    stored["state"]["active"]["tokens"]["accessExpiresAt"] = 0
    session.write_text(json.dumps(stored))
    disk.fill()
    result = device.try_("sync")
    message = result.err.replace("\n", " ")
    assert result.code == DAMAGED and "The disk is full:" in message, str(result)
    assert "nothing was changed" not in message, str(result)
    disk.make_room()
    device.sync()


def test_a_session_on_a_full_disk_reports_it_and_continues(device, make_disk):
    disk = make_disk("4m")
    device.home = disk.directory / "satchel"
    session = device.json_lines()
    disk.fill()
    # More than SQLite's files have room for.
    outcomes = [session.ask("add", words=["x" * 10_000 + str(number)])[1] for number in range(20)]
    kept = sum(outcome["type"] == "done" for outcome in outcomes)
    assert outcomes[-1]["type"] == "error" and FULL.search(outcomes[-1]["message"]), outcomes[-1]
    disk.make_room()
    assert session.ask("add", words=["After"])[1]["type"] == "done"
    assert session.finish() == 0
    assert len(device.records()) == kept + 1


@pytest.mark.sqlite
def test_a_server_whose_disk_is_full_reports_it_without_internals_and_recovers(serve_on_disk):
    server, disk = serve_on_disk("8m")
    api = server.api.register()
    disk.fill()

    def push(id):
        return api.push({"mutations": [task(id, title="x" * 900_000)]})

    answer = push("one")
    assert (answer.status, answer.code) == (507, "insufficient-storage"), answer
    assert "the disk is full" in server.log.read_text()
    assert "sqlite" not in answer.body.decode().lower()
    assert api.request("GET", "/healthz").status == 200
    disk.make_room()
    assert push("two").status == 200
    assert [record["id"] for record in api.records()] == ["two"]


@pytest.mark.sqlite
def test_on_a_full_disk_records_and_accounts_can_be_deleted_and_readyz_reports_that_writes_fail(serve_on_disk):
    server, disk = serve_on_disk("16m")
    api, other = server.api.register(), server.api.register(username="ben")
    for owner, count in [(api, 5), (other, 3)]:
        for number in range(count):
            assert owner.push(change(f"r{number}", set={"title": "x" * 900_000})).status == 200
    assert api.request("GET", "/readyz").status == 200
    disk.fill()
    # The database's files have room for more.
    written = itertools.takewhile(
        lambda number: api.push(change(f"more{number}", set={"title": "x" * 900_000})).status == 200, range(20))
    assert len(list(written)) < 20
    ready = api.request("GET", "/readyz")
    assert (ready.status, ready.code) == (503, "insufficient-storage"), ready
    assert "writes fail" in ready.json["detail"]
    versions = {record["id"]: record["version"] for record in api.records()}
    cursor = api.pull().json["cursor"]
    for id in ["r0", "r1"]:
        answer = api.push(change(id, base=versions[id], delete=True) | {"since": cursor})
        assert answer.status == 200 and answer.json["results"][0]["status"] == "applied", answer
        disk.fill()
    path = f"/v1/spaces/{api.space}/records/tasks"
    assert api.request("DELETE", f"{path}/r2", If_Match=f'"{versions["r2"]}"').status == 204
    disk.fill()
    again = server.api.log_in()
    assert again.request("DELETE", f"{path}/r3", If_Match=f'"{versions["r3"]}"').status == 204
    disk.fill()
    left = sorted(versions.keys() - {"r0", "r1", "r2", "r3"})
    assert sorted(record["id"] for record in api.records()) == left
    assert other.request("POST", "/v1/account/deletion", {"password": "correct horse"}).status == 204
    assert other.request("GET", "/v1/account").status == 401
    assert server.stop() == 0
    server.start()
    assert sorted(record["id"] for record in api.records()) == left, "records deleted on the full disk stay deleted"
    disk.make_room()
    assert api.push(change("after", set={"title": "x" * 900_000})).status == 200
    assert api.request("GET", "/readyz").status == 200


@pytest.mark.sqlite
def test_on_a_full_disk_the_owners_commands_disable_revoke_withdraw_and_delete(serve_on_disk):
    server, disk = serve_on_disk("16m")
    api, other = server.api.register(), server.api.register(username="ben")
    for number in range(4):
        assert other.push(change(f"r{number}", set={"title": "x" * 900_000})).status == 200

    def administer(*words):
        disk.fill()
        done = server.administer(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert server.administer("invite", "add").returncode == 0
    invitation = server.administer("invite", "list").stdout.split()[0]
    disk.fill()
    written = itertools.takewhile(
        lambda number: api.push(change(f"more{number}", set={"title": "x" * 900_000})).status == 200, range(20))
    assert len(list(written)) < 20
    administer("user", "disable", "ben")
    assert other.pull().code == "account-disabled"
    administer("user", "enable", "ben")
    administer("invite", "withdraw", invitation)
    administer("device", "revoke", "ben", other.session["device"]["id"])
    assert other.pull().status == 401
    administer("user", "delete", "ben", "--yes")
    assert "ben" not in administer("user", "list")
    assert server.stop() == 0
    administer("user", "disable", api.session["account"]["username"])
    disk.make_room()
    assert server.administer("user", "enable", api.session["account"]["username"]).returncode == 0
    server.start()
    assert api.push(change("after", set={"title": "x"})).status == 200
    wait_until(lambda: api.request("GET", "/readyz").status == 200, "the reserve is whole again")


def change(id, base=0, **what):
    """The body of a push with one mutation."""
    return {"mutations": [{"collection": "tasks", "id": id, "base": base, "at": "019350000000-0000-x"} | what]}


@pytest.mark.sqlite
def test_a_device_with_an_unsent_edit_can_delete_while_the_servers_disk_is_full(serve_on_disk, make_device):
    server, disk = serve_on_disk("16m")
    device = make_device().register(server)
    device.run("add", "Old")
    device.sync()
    api = server.api.log_in(password=PASSWORD)
    disk.fill()
    # The database's files have room for more: first large records, then some as large as the device's.
    for size in (900_000, 200_000):
        written = itertools.takewhile(
            lambda number: api.push(change(f"more-{size}-{number}", set={"title": "x" * size})).status == 200, range(20))
        assert len(list(written)) < 20
    device.run("note", "Unsent", "--body-file", device.write("body", "y" * 200_000))
    assert "The server's disk is full" in device.try_("sync").err
    device.run("rm", device.record("Old")["id"])
    # The room that the deletion has freed may suffice for the note.
    result = device.try_("sync")
    assert result.code == 0 or (result.code == 5 and "The server's disk is full" in result.err), str(result)
    assert "Old" not in [record["fields"]["title"] for record in api.records()]
    assert device.titles("notes") == ["Unsent"]
    disk.make_room()
    device.sync()
    assert "Unsent" in [record["fields"]["title"] for record in api.records()]


@pytest.mark.sqlite
def test_devices_keep_their_edits_while_the_servers_disk_is_full(serve_on_disk, make_device):
    server, disk = serve_on_disk("8m")
    laptop, desktop = make_device().register(server), make_device().log_in(server)
    devices, api = [laptop, desktop], server.api.log_in(password=PASSWORD)
    disk.fill()
    for number, device in enumerate(devices):
        for part in range(5):
            device.run("note", f"Note {number} {part}", "--body-file", device.write("body", "y" * 200_000))
        result = device.try_("sync")
        assert result.code == 5 and "The server's disk is full" in result.err, str(result)
        status = device.run("status").out
        assert "the server's disk is full" in status and "offline" not in status and "can't be reached" not in status
        assert "server disk" in device.try_("doctor").out
        assert len(device.titles("notes")) == 5
    assert api.records() == [], "a push answered with an error is not stored"
    disk.make_room()
    in_step(*devices)
    assert len(laptop.titles("notes")) == 10 and laptop.records("conflicts") == []


@pytest.mark.sqlite
def test_a_server_that_was_stopped_with_a_full_disk_starts_and_holds_what_it_acknowledged(serve_on_disk, make_device):
    server, disk = serve_on_disk("8m")
    device = make_device().register(server)
    device.run("add", "Before")
    device.sync()
    disk.fill()
    device.run("note", "Unsent", "--body-file", device.write("body", "y" * 250_000))
    device.try_("sync")
    server.kill()
    disk.make_room()
    server.start()
    assert [record["fields"]["title"] for record in server.api.log_in(password=PASSWORD).records()][:1] == ["Before"]
    in_step(device, make_device().log_in(server))


def test_a_read_only_home_is_reported(device, make_disk):
    disk = make_disk("4m")
    device.home = disk.directory / "satchel"
    device.run("add", "Before")
    disk.set_writable(False)
    result = device.try_("add", "After")
    assert result.code == DAMAGED and str(device.home) in result.err, str(result)
    disk.set_writable(True)
    assert device.titles() == ["Before"]
