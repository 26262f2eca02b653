"""Programs in the home's hooks/."""

import json
import os
import signal

import pexpect
import pytest

from harness import plain_environment, wait_until
from harness.device import meet
from harness.environment import PATIENCE, binary


def hook(device, name, script, mode=0o755):
    """Adds a script to a device's hooks."""
    folder = device.home / "hooks"
    folder.mkdir(parents=True, exist_ok=True)
    for directory in [device.home, folder]:
        directory.chmod(0o700)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(mode)
    return path


def received(device, name="received"):
    """The input that a hook has recorded, line by line."""
    path = device.home / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def listening(device):
    """A device whose hooks record their input."""
    for event in ["add", "edit"]:
        hook(device, f"after-{event}", f"""sed 's/^{{/{{"event":"{event}",/' >>received""")
    return device


def test_commands_report_what_they_changed(listening):
    id = listening.add("Buy milk", "+shop")
    listening.run("edit", id, "--title", "Buy oat milk")
    listening.run("rm", id)
    add, edit, remove = received(listening)
    assert add["event"] == "add" and add["id"] == id and add["collection"] == "tasks"
    assert add["fields"]["title"] == "Buy milk" and add["previous"] is None and add["deleted"] is False
    assert edit["event"] == "edit" and edit["fields"]["title"] == "Buy oat milk"
    assert edit["previous"] == add["fields"]
    assert remove["deleted"] is True and remove["fields"] == {} and remove["previous"]["title"] == "Buy oat milk"


def test_every_view_and_script_runs_them(listening):
    session = listening.json_lines()
    states, outcome = session.ask("add", words=["From", "JSON"])
    assert outcome["type"] == "done", outcome
    assert session.finish() == 0
    listening.run(stdin="add From a script\nadd And another\n")
    assert [line["fields"]["title"] for line in received(listening)] == ["From JSON", "From a script", "And another"]


def test_an_import_is_reported_at_once(listening, export_file):
    hook(listening, "after-add-count", "wc -l >>counts")
    listening.run("import", "taskwarrior", export_file)
    assert (listening.home / "counts").read_text().split() == ["3000"]


def test_a_hooks_output_becomes_messages_that_control_no_terminal(device):
    hook(device, "after-add", "printf 'hello\\033[31m\\n'; echo problem >&2; exit 4")
    result = device.run("add", "Buy milk")
    assert "\x1b" not in result.err and result.out == ""
    assert "after-add: hello␛[31m\nafter-add: problem\n" in result.err and "ended with status 4" in result.err
    assert device.titles() == ["Buy milk"]


def test_a_sync_reports_what_it_has_received(laptop, desktop):
    hook(desktop, "on-sync", "cat >>received")
    hook(desktop, "after-edit", "cat >>edits")
    laptop.run("add", "Buy milk")
    laptop.run("add", "Buy bread")
    meet(laptop, desktop)
    assert sorted(line["fields"]["title"] for line in received(desktop)) == ["Buy bread", "Buy milk"]
    assert all(line["previous"] is None for line in received(desktop))
    desktop.sync()
    assert len(received(desktop)) == 2
    laptop.run("edit", laptop.record("Buy milk")["id"], "priority:H")
    meet(laptop, desktop)
    line = received(desktop)[-1]
    assert line["fields"]["priority"] == "H" and line["previous"]["title"] == "Buy milk"
    assert received(desktop, "edits") == []


def test_a_sync_in_the_background_runs_them_too(laptop, desktop):
    hook(desktop, "on-sync", "cat >>received")
    laptop.run("add", "Buy milk")
    laptop.sync()
    desktop.run("add", "Buy bread", environment={"SATCHEL_SYNC": "auto"})
    wait_until(lambda: received(desktop), "the background's hook has run")
    assert [line["fields"]["title"] for line in received(desktop)] == ["Buy milk"]


def test_a_hook_that_calls_satchel_runs_no_hooks(device):
    hook(device, "after-add", f'echo "$SATCHEL_HOOK" >>runs; pwd >>runs; {binary("satchel")} add "From the hook"')
    device.run("add", "Buy milk")
    assert device.titles() == ["Buy milk", "From the hook"]
    assert (device.home / "runs").read_text().splitlines() == ["after-add", str(device.home)]


def test_a_hook_that_must_not_run_is_reported_and_doctor_reports_it_too(device):
    hook(device, "after-add", "touch ran", mode=0o644)
    hook(device, "after-edit", "touch ran", mode=0o777)
    result = device.run("add", "Buy milk")
    assert "after-add isn't run: it is not executable" in result.err
    assert not (device.home / "ran").exists()
    checked = device.try_("doctor")
    assert checked.code == 7 and "hooks" in checked.out and "and 1 more" in checked.out
    for path in (device.home / "hooks").iterdir():
        path.chmod(0o755)
    checked = device.run("doctor")
    assert "2 programs can be run" in checked.out


def test_an_interrupted_command_leaves_no_hook_behind(device):
    hook(device, "after-add", "echo $$ >pid; exec sleep 1000")
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP]:
        process = device.start("add", "Buy milk")
        pid = wait_until(lambda: (device.home / "pid").exists() and (device.home / "pid").read_text(), "it runs")
        process.send_signal(number)
        assert process.wait(timeout=PATIENCE) == -number
        wait_until(lambda: has_ended(int(pid)), "the hook has ended")
        (device.home / "pid").unlink()


@pytest.mark.parametrize("signals", [1, 2])
def test_a_hook_that_ignores_signals_does_not_outlive_an_interrupted_command(device, signals):
    hook(device, "after-add", "trap '' INT QUIT TERM HUP; echo $$ >pid; while :; do sleep 0.1; done")
    process = device.start("add", "Buy milk")
    pid = wait_until(lambda: (device.home / "pid").exists() and (device.home / "pid").read_text(), "it runs")
    for _ in range(signals):
        process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=PATIENCE) == -signal.SIGTERM
    wait_until(lambda: has_ended(int(pid)), "the hook has ended")


def test_a_hook_that_runs_has_no_files_in_the_temporary_folder(device):
    folder = device.directory / "temporary"
    folder.mkdir()
    device.environment["TMPDIR"] = str(folder)
    hook(device, "after-add", "cat >/dev/null; ls $TMPDIR >listed; echo $$ >pid; exec sleep 1000")
    process = device.start("add", "Buy milk")
    wait_until(lambda: (device.home / "pid").exists() and (device.home / "pid").read_text(), "it runs")
    process.kill()
    process.wait(timeout=PATIENCE)
    assert (device.home / "listed").read_text() == "" and list(folder.iterdir()) == []
    os.kill(int((device.home / "pid").read_text()), signal.SIGKILL)


def has_ended(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_hook_may_sync_and_lock_the_home(laptop, desktop):
    hook(laptop, "after-add", f'{binary("satchel")} sync >>said 2>&1')
    laptop.run("add", "Buy milk")
    desktop.sync()
    assert desktop.titles() == ["Buy milk"]


def test_a_prompt_continues_while_a_hook_runs(device):
    hook(device, "after-add", "cat >/dev/null; while [ ! -e go ]; do sleep 0.05; done; echo finished")
    session = pexpect.spawn(
        device.command()[0], device.command()[1:], env=plain_environment(device.directory), encoding="utf-8",
        timeout=PATIENCE, dimensions=(24, 100))
    session.expect_exact("satchel> ")
    session.sendline("add Buy milk")
    session.expect_exact("Added task")
    session.sendline("list")
    session.expect_exact("1 record.")
    (device.home / "go").touch()
    session.expect_exact("after-add: finished")
    session.sendline("quit")
    session.expect(pexpect.EOF)
