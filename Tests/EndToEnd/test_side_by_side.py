"""Several processes on one home: none is refused, nothing is lost, and each sees the changes of the others."""

import re

import pexpect
import pytest

from harness import wait_until
from harness.device import PASSWORD
from harness.environment import PATIENCE, plain_environment


def test_two_processes_syncing_at_once_have_the_result_of_one(server, laptop, make_device, export_file):
    laptop.run("import", "taskwarrior", export_file)
    processes = [laptop.start("sync") for _ in range(4)]
    results = [laptop.finish(process, ("sync",)) for process in processes]
    assert all(result.code == 0 for result in results), "\n".join(map(str, results))
    records = server.api.log_in(password=PASSWORD).records()
    assert len(records) == 3_000 and max(record["version"] for record in records) == 3_000
    desktop = make_device().log_in(server)
    desktop.sync()
    assert desktop.export() == laptop.export()


def test_two_processes_refreshing_at_once_keep_the_session(server, laptop, wrong_clock):
    laptop.run("add", "Something")
    laptop.sync()
    server.stop()
    server.start(environment=wrong_clock("+16m"))
    processes = [laptop.start(command) for command in ["sync", "devices", "sync", "devices"]]
    results = [laptop.finish(process) for process in processes]
    assert all(result.code == 0 for result in results), "\n".join(map(str, results))
    laptop.sync()


def test_edits_of_many_processes_at_once_are_all_kept(laptop, server):
    processes = [laptop.start("add", f"task {number}") for number in range(12)] + [laptop.start("sync")]
    results = [laptop.finish(process) for process in processes]
    assert all(result.code == 0 for result in results), "\n".join(map(str, results))
    laptop.sync()
    assert sorted(laptop.titles()) == sorted(f"task {number}" for number in range(12))
    assert len(server.api.log_in(password=PASSWORD).records()) == 12


def test_edits_made_during_a_sync_are_kept(laptop, server, make_device, export_file):
    laptop.run("import", "taskwarrior", export_file)
    syncing = laptop.start("sync")
    numbers = 0
    while syncing.poll() is None and numbers < 50:
        laptop.run("add", f"task {numbers}")
        numbers += 1
    assert laptop.finish(syncing).code == 0
    laptop.sync()
    assert len(laptop.records("tasks")) == 3_000 + numbers
    assert len(server.api.log_in(password=PASSWORD).records()) == 3_000 + numbers


@pytest.fixture
def repl(laptop):
    """A REPL on the laptop's home, at its prompt; on a terminal where each prompt is shown once."""
    command = laptop.command()
    child = pexpect.spawn(
        command[0], command[1:], env=plain_environment(laptop.directory, TERM="dumb"), encoding="utf-8", timeout=PATIENCE,
        dimensions=(40, 100))
    child.expect("satchel> ")
    yield child
    child.close(force=True)


def say(repl, line):
    """Types a line, and returns the output until the next prompt."""
    repl.sendline(line)
    repl.expect("satchel> ")
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", repl.before)


def test_a_repl_sees_the_changes_of_a_one_shot_command_and_the_other_way_round(laptop, repl):
    say(repl, 'add "From the REPL"')
    assert laptop.titles() == ["From the REPL"]
    laptop.run("add", "From outside")
    assert "From outside" in say(repl, "list")
    laptop.run("edit", laptop.record("From the REPL")["id"], "--title", "Changed outside")
    wait_until(lambda: "Changed outside" in say(repl, "list"), "the REPL shows it")


def test_a_repl_and_one_shot_commands_sync_at_the_same_time(laptop, repl, server):
    say(repl, "add One")
    laptop.run("add", "Two")
    laptop.run("sync")
    say(repl, "sync")
    assert len(server.api.log_in(password=PASSWORD).records()) == 2


def test_a_repl_ends_with_quit_and_with_the_end_of_input(laptop, repl):
    repl.sendline("quit")
    repl.expect(pexpect.EOF)
    repl.close()
    assert repl.exitstatus == 0
    command = laptop.command()
    other = pexpect.spawn(
        command[0], command[1:], env=plain_environment(laptop.directory), encoding="utf-8", timeout=PATIENCE)
    other.expect("satchel> ")
    other.sendeof()
    other.expect(pexpect.EOF)
    other.close()
    assert other.exitstatus == 0


def test_an_error_in_a_repl_is_reported_and_the_session_continues(repl):
    assert "list" in say(repl, "lst")
    say(repl, "add Still here")
    assert "Still here" in say(repl, "list")
