"""Programs in the home's hooks/ that review edits before they are stored."""

import json
import re
from pathlib import Path

import pytest

from harness import wait_until
from harness.environment import PATIENCE

GUIDE = Path(__file__).parents[2] / "Sources/SatchelScreens/SatchelScreens.docc/Hooks.md"


@pytest.fixture
def hooks(device):
    """Returns a function that adds a hook to the device."""
    folder = device.home / "hooks"
    folder.mkdir(parents=True, exist_ok=True)
    for directory in [device.home, folder]:
        directory.chmod(0o700)

    def write(name, script):
        path = folder / name
        path.write_text(script if script.startswith("#!") else f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return write


def test_a_hook_refuses_an_edit_and_the_message_has_the_line_to_go_on(device, hooks):
    hooks("on-add", "cat >/dev/null; echo 'Tasks need a project.'; exit 1")
    refused = device.try_("add", "Buy milk", "+shop")
    assert refused.code == 6 and refused.out == ""
    assert "The hook on-add ended with status 1: Tasks need a project. Nothing was changed." in refused.err
    line = re.search(r"type: satchel (.*)", refused.err).group(1)
    assert line.split()[0] == "--no-hooks"
    assert device.titles() == []
    added = device.run("--no-hooks", "add", "Buy milk", "+shop")
    assert "Added" in added.err and device.titles() == ["Buy milk"]


def test_a_hook_that_changes_all_records_of_a_command_is_one_step_of_undo(device, hooks):
    ids = [device.add(title) for title in ["One", "Two"]]
    hooks("on-edit", """sed 's/"fields":{/"fields":{"priority":"H",/'""")
    device.run("tag", *ids, "+shop")
    fields = [json.loads(device.run("show", id, "--json").out)["record"]["values"] for id in ids]
    assert [(field["priority"], field["tags"]) for field in fields] == [("H", ["shop"])] * 2
    device.run("undo")
    fields = [json.loads(device.run("show", id, "--json").out)["record"]["values"] for id in ids]
    assert [("priority" in field, field.get("tags", [])) for field in fields] == [(False, [])] * 2


def test_a_notice_has_the_title_that_a_hook_stored(device, hooks):
    hooks("on-add", """sed 's/"title":"Buy milk"/"title":"Buy oat milk"/'""")
    added = device.run("add", "Buy", "milk")
    assert "“Buy oat milk”" in added.err and "“Buy milk”" not in added.err, str(added)
    assert device.titles() == ["Buy oat milk"]


def test_another_process_can_write_while_a_hook_runs(device, hooks):
    hooks("on-add", "cat >/dev/null; touch waiting; while [ ! -e go ]; do sleep 0.05; done")
    slow = device.start("add", "Slow")
    wait_until(lambda: (device.home / "waiting").exists(), "the hook runs")
    device.run("--no-hooks", "add", "Quick")
    (device.home / "go").touch()
    assert slow.wait(timeout=PATIENCE) == 0
    assert sorted(device.titles()) == ["Quick", "Slow"]


def test_json_lines_are_reviewed_too(device, hooks):
    hooks("on-add", "cat >/dev/null; echo no; exit 1")
    session = device.json_lines()
    _, outcome = session.ask("add", words=["Milk"])
    assert outcome["type"] == "error" and outcome["category"] == "rejected" and "on-add" in outcome["message"]
    session.finish()
    assert device.titles() == []


def test_the_example_of_the_documentation_works(device, hooks):
    scripts = re.findall(r"```python\n(#!.*?)```", GUIDE.read_text(), re.DOTALL)
    assert len(scripts) == 1
    hooks("on-add-project", scripts[0])
    refused = device.try_("add", "Buy milk", "due:tomorrow")
    assert refused.code == 6 and "“Buy milk” is due, but has no project." in refused.err
    device.run("add", "Write the report", "due:tomorrow", "project:work.reports")
    values = json.loads(device.run("list", "--json").out)["rows"][0]["values"]
    assert values["project"] == "work.reports" and values["tags"] == ["work"]
