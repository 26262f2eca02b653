"""Automatic sync: edits on one device appear on the other without a `sync`.

With the server's events that takes a second; without them a device polls every minute, and these tests take longer.
"""

import contextlib
import fcntl
import os
import re
import signal
import sqlite3
import time

import pexpect
import pytest

from harness import plain_environment, wait_until
from harness.device import PASSWORD
from harness.environment import PATIENCE
from harness.screen import ENTER, Screen

AUTOMATIC = {"SATCHEL_SYNC": "auto"}

# In seconds; the pause is one second.
LONGER_THAN_THE_PAUSE_AFTER_EDITS = 2


@pytest.fixture
def desk(make_device, server):
    """A device of `ada` with automatic sync, except during the preparation."""
    device = make_device().register(server)
    device.environment = AUTOMATIC
    return device


@pytest.fixture
def couch(make_device, server, desk):
    """Another one."""
    device = make_device().log_in(server)
    device.environment = AUTOMATIC
    return device


def state(session, verb, **arguments):
    """The state of the verb's screen; another screen, the sync's, may change during the request."""
    [screen] = [screen["name"] for screen in session.hello["screens"] if verb in [v["name"] for v in screen["verbs"]]]
    states, outcome = session.ask(verb, **arguments)
    assert outcome["type"] == "done", outcome
    shown = [event["state"] for event in states if event["screen"] == screen]
    return shown[-1] if shown else None


def titles(session):
    return [row["title"] for row in state(session, "list")["rows"]]


def on_server(server):
    return sorted(record["fields"]["title"] for record in server.api.log_in(password=PASSWORD).records())


def helpers(home):
    """The background processes of a home."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if b"--background-sync" in words and str(home).encode() in words:
                found.append(int(entry))
    return found


# Sessions


def test_an_edit_on_one_device_appears_on_the_other_without_a_sync(desk, couch):
    here, there = desk.json_lines(), couch.json_lines()
    state(here, "add", words=["Buy milk"])
    wait_until(lambda: titles(there) == ["Buy milk"], "the other device has it")
    [row] = state(there, "list")["rows"]
    state(there, "edit", record=row["id"], title="Buy oat milk")
    wait_until(lambda: titles(here) == ["Buy oat milk"], "the change is returned")
    wait_until(lambda: state(here, "status")["unsent"] == 0, "nothing is unsent")
    assert (here.finish(), there.finish()) == (0, 0)


def test_the_server_sends_a_change_without_a_request(desk, couch):
    """A device that never polls receives it: this is the stream of events."""
    couch.environment = {**AUTOMATIC, "SATCHEL_POLL_SECONDS": "86400"}
    there = couch.json_lines()
    wait_until(lambda: state(there, "status")["isLive"], "the stream is open")
    here = desk.json_lines()
    state(here, "add", words=["Sent"])
    wait_until(lambda: titles(there) == ["Sent"], "the server has sent it")


def test_a_program_receives_a_change_of_another_device_without_a_request(desk, couch):
    there = couch.json_lines()
    state(there, "list")
    desk.run("add", "From the desk")
    desk.run("sync")
    event = there.event()
    while not (event["type"] == "state" and event["screen"] == "list" and event["state"]["total"] == 1):
        event = there.event()
    assert "id" not in event


def test_the_prompt_shows_a_change_of_another_device(desk, couch):
    command = couch.command()
    repl = pexpect.spawn(
        command[0], command[1:], env=plain_environment(couch.directory, **AUTOMATIC), encoding="utf-8",
        timeout=PATIENCE, dimensions=(40, 100))
    repl.expect("satchel> ")
    repl.sendline("list")
    repl.expect("satchel> ")
    desk.run("add", "Seen at the prompt")
    repl.expect("Seen at the prompt")
    repl.sendline("quit")
    repl.expect(pexpect.EOF)
    repl.close()
    assert repl.exitstatus == 0


def test_after_an_outage_of_the_server_devices_catch_up(desk, couch, server):
    here, there = desk.json_lines(), couch.json_lines()
    state(here, "add", words=["Before"])
    wait_until(lambda: titles(there) == ["Before"], "both are in step")
    server.kill()
    state(here, "add", words=["On one side"])
    state(there, "add", words=["On the other"])
    since = wait_until(lambda: state(here, "status").get("offlineSince"), "the device knows that it is offline")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", since)
    status = state(here, "status")
    assert status["why"] in ("offline", "syncing") and status["unsent"] == 1
    server.start()
    everything = ["Before", "On one side", "On the other"]
    wait_until(lambda: sorted(titles(here)) == everything, "one device has caught up")
    wait_until(lambda: sorted(titles(there)) == everything, "the other device has caught up")
    assert "offlineSince" not in state(here, "status")


def test_a_session_that_ends_leaves_its_last_edit_to_a_background_process(desk, server):
    here = desk.json_lines()
    state(here, "add", words=["At the door"])
    assert here.finish() == 0
    wait_until(lambda: on_server(server) == ["At the door"], "it was sent")


# Switching it off


def test_switched_off_a_sync_happens_only_on_request(desk, couch):
    desk.run("sync", "off")
    here = desk.json_lines()
    state(here, "add", words=["Kept"])
    status = state(here, "status")
    assert (status["isAutomatic"], status["why"], status["unsent"]) == (False, "off", 1)
    desk.run("add", "Kept, too")
    assert not helpers(desk.home)
    assert "off" in desk.run("status").out
    state(here, "sync")
    assert state(here, "status")["unsent"] == 0
    state(here, "add", words=["And again"])
    state(here, "sync", automatic="on")
    there = couch.json_lines()
    wait_until(lambda: len(titles(there)) == 3, "switched on it sends the unsent edits")


# Single commands


def test_a_single_command_is_sent_by_a_background_process(desk, server):
    desk.run("add", "Buy milk")
    wait_until(lambda: on_server(server) == ["Buy milk"], "it was sent")
    wait_until(lambda: not helpers(desk.home), "the process has ended")
    status = desk.run("status").out
    assert "nothing" in status and "never" not in status


def test_a_hundred_commands_in_a_row_leave_nothing_unsent_and_no_process_running(desk, server):
    for number in range(100):
        desk.run("add", f"task {number}")
    wait_until(lambda: len(on_server(server)) == 100, "all were sent")
    wait_until(lambda: not helpers(desk.home), "the last process has ended")


def test_without_a_server_the_background_process_ends_and_the_status_says_why(desk, server):
    server.kill()
    id = desk.add("Offline")
    wait_until(lambda: "offline" in desk.run("status").out, "the attempt is recorded")
    assert "can't be reached" in desk.run("status").out
    waiting = re.compile(r"unsent .*next try \S")
    wait_until(lambda: waiting.search(desk.run("status").out), "it shows the time of the next try")
    of_record = desk.run("status", id[:8]).out
    assert "Offline" in of_record and "can't be reached" in of_record
    server.start()
    desk.run("sync")
    assert "yes, version" in desk.run("status", id[:8]).out


def test_the_background_process_can_be_switched_off(desk, server):
    desk.run("sync", "--background", "off")
    desk.run("add", "Kept")
    assert not helpers(desk.home)
    assert "1 record" in desk.run("status").out
    assert on_server(server) == []


def test_many_imported_records_are_indexed_in_the_background(make_device):
    device = importing(make_device())
    wait_until(lambda: unindexed(device) == 0, "all are indexed")
    wait_until(lambda: not helpers(device.home), "the process has ended")
    assert "333" in device.run("search", "imported 333").out


def test_without_the_background_process_the_first_search_indexes(make_device):
    device = make_device()
    device.run("sync", "--background", "off")
    importing(device)
    assert not helpers(device.home)
    assert unindexed(device) > MANY
    assert "333" in device.run("search", "imported 333").out
    device.run("list")
    assert unindexed(device) == 0


def test_a_session_indexes_many_imported_records(make_device):
    device = make_device()
    device.environment = AUTOMATIC
    here = device.json_lines()
    state(here, "import", format="todotxt", file=many_tasks())
    wait_until(lambda: unindexed(device) == 0, "all are indexed")
    assert here.finish() == 0


# More than a search indexes by itself.
MANY = 500


def many_tasks():
    return "".join(f"imported {number}\n" for number in range(MANY))


def importing(device):
    """The device after a single command has imported many records."""
    device.environment = AUTOMATIC
    device.run("import", "todotxt", "-", stdin=many_tasks())
    return device


def unindexed(device):
    """The number of records that wait for the index of words or of the list."""
    with contextlib.closing(sqlite3.connect(device.home / "satchel.db")) as cache:
        return sum(cache.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("search_stale", "list_stale"))


def test_a_background_process_is_detached_from_the_terminal(desk, server):
    server.kill()
    desk.run("add", "Offline")
    [helper] = wait_until(lambda: helpers(desk.home), "it runs")
    assert os.getsid(helper) == helper
    assert {os.readlink(f"/proc/{helper}/fd/{number}") for number in (0, 1, 2)} == {"/dev/null"}
    wait_until(lambda: os.readlink(f"/proc/{helper}/cwd") == "/", "it has changed its directory")
    os.kill(helper, signal.SIGKILL)
    server.start()
    desk.run("add", "Online")
    wait_until(lambda: on_server(server) == ["Offline", "Online"], "the next one sends both")


def test_a_command_waits_for_no_server(desk, server):
    """A server that accepts connections and never answers doesn't delay the command."""
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        desk.run("add", "Quick")
        assert desk.titles() == ["Quick"]
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    wait_until(lambda: on_server(server) == ["Quick"], "it was sent when the server continued")


# Several processes on one home


def test_signing_in_next_to_a_prompt_on_the_same_home_lets_both_sync(make_device, server):
    """The prompt opens the server's events and syncs at once, since its edit is older than the pause after edits."""
    device = make_device(**AUTOMATIC)
    prompt = Screen(device, **AUTOMATIC).at_prompt()
    try:
        prompt.say("add Older")
        time.sleep(LONGER_THAN_THE_PAUSE_AFTER_EDITS)
        device.register(server)
        prompt.until(lambda: "ada" in prompt.lines_to_cursor(), "the prompt shows the sign-in")
        device.sync()
        prompt.until(lambda: "↑" not in prompt.lines_to_cursor(), "all is sent")
        assert len(server.api.log_in(password=PASSWORD).records()) == 1
    finally:
        prompt.close()


def test_a_sync_waits_for_another_process_and_names_it(laptop):
    """This process acts as the other one."""
    with (laptop.home / "sync.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(f"{os.getpid()} 2026-11-22T07:03:04Z\n")
        lock.flush()
        waiting = laptop.start("sync")
        assert f"(process {os.getpid()}, running since " in waiting.stderr.readline().decode()
        status = laptop.run("status").out
        assert f"another process with this home (process {os.getpid()}) is syncing, since 2026-11-22 07:03" in status
        assert waiting.poll() is None
    out, err = waiting.communicate(timeout=PATIENCE)
    assert waiting.returncode == 0, err


def test_ctrl_c_ends_the_wait_for_another_process(laptop):
    prompt = Screen(laptop).at_prompt()
    try:
        with (laptop.home / "sync.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            prompt.type("sync", ENTER).shows("Waiting for another process")
            prompt.give_up()
            prompt.say("add Later")
            assert laptop.titles() == ["Later"]
    finally:
        prompt.close()


# A session that the server has ended


def test_a_revoked_device_is_reported_once_by_the_next_command(desk, server):
    api = server.api.log_in(password=PASSWORD)
    [revoked] = [device for device in api.request("GET", "/v1/devices").json["devices"] if device["name"] != "curl"]
    assert api.request("DELETE", f"/v1/devices/{revoked['id']}").status == 204
    desk.run("add", "Unsent")
    said = []

    def is_reported():
        said.append(desk.run("list").err)
        return "signed out elsewhere" in said[-1]

    wait_until(is_reported, "a command reports it")
    assert "`login`" in said[-1] and "unsent" in said[-1]
    later = [desk.run("add", "Another").err, desk.run("list").err, desk.run("show", "1").err]
    assert not any("signed out elsewhere" in err for err in [*said[:-1], *later])
    desk.log_in(server)
    desk.sync()
    assert len(api.records()) == 2
