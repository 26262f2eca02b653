"""The inbox of conflicts: what it shows, how conflicts are resolved, and that none vanishes unseen."""

import os
import pty

import pytest

from harness.device import PASSWORD, meet


@pytest.fixture
def shared(laptop, desktop):
    """A task that both devices have; returns its id."""
    laptop.run("add", "Buy milk")
    meet(laptop, desktop)
    return laptop.record("Buy milk")["id"]


@pytest.fixture
def conflict(laptop, desktop, shared):
    """A conflict about the task's title; returns its id. The desktop's edit is the later one."""
    laptop.run("edit", shared, "--title", "Buy oat milk")
    desktop.run("edit", shared, "--title", "Buy rice milk")
    meet(laptop, desktop)
    [record] = laptop.records("conflicts")
    return record["id"]


def open_conflicts(device):
    """The unresolved conflicts."""
    return [record for record in device.records("conflicts") if "settled" not in record["fields"]]


def write(device, id, lines):
    device.run("edit", id, "--body-file", device.write("body.txt", "\n".join(lines) + "\n"))


def inbox(device, **arguments):
    """The state of `conflicts`."""
    session = device.json_lines()
    states, outcome = session.ask("conflicts", **arguments)
    assert outcome["type"] == "done", outcome
    assert session.finish() == 0
    return states[-1]["state"]


@pytest.fixture
def long_conflict(laptop, desktop, shared):
    """A conflict between two bodies of 10,000 lines; returns the ids of task and conflict."""
    lines = [f"line {number}" for number in range(10_000)]
    write(laptop, shared, lines)
    meet(laptop, desktop)
    write(laptop, shared, lines[:5_000] + ["from the laptop"] + lines[5_001:])
    write(desktop, shared, lines[:5_000] + ["from the desktop"] + lines[5_001:])
    meet(laptop, desktop)
    [record] = laptop.records("conflicts")
    return shared, record["id"]


def test_it_shows_values_times_and_device_names(laptop, desktop, conflict, server):
    api = server.api.log_in(password=PASSWORD)
    names = {entry["id"]: entry["name"] for entry in api.request("GET", "/v1/devices").json["devices"]}
    [row] = inbox(laptop)["rows"]
    assert (row["title"], row["field"], row["kept"]) == ("Buy rice milk", "title", "later")
    assert row["earlier"]["value"] == "Buy oat milk" and row["earlier"]["isMine"]
    assert row["later"]["value"] == "Buy rice milk" and not row["later"]["isMine"]
    assert row["later"]["deviceName"] == names[row["later"]["device"]]
    assert row["earlier"]["at"] <= row["later"]["at"]
    out = laptop.run("conflicts").out
    assert "this device" in out and f"“{row['later']['deviceName']}”" in out


def test_it_shows_the_differences_of_two_long_texts(laptop, long_conflict):
    out = laptop.run("conflicts").out
    assert "- from the laptop" in out and "+ from the desktop" in out
    assert len(out.splitlines()) < 20
    whole = laptop.run("conflicts", "1").out
    assert len(whole.splitlines()) > 10_000 and "  line 0\n" in whole


@pytest.mark.parametrize("choice, body", [("mine", "from the laptop"), ("theirs", "from the desktop")])
def test_a_long_text_is_resolved_on_both_devices(laptop, desktop, long_conflict, choice, body):
    id, conflict = long_conflict
    laptop.run("resolve", conflict, choice)
    meet(laptop, desktop)
    assert desktop.fields(id)["body"].splitlines()[5_000] == body
    assert open_conflicts(desktop) == []


def test_a_combined_value_is_given_in_a_file(laptop, desktop, shared, conflict):
    refused = laptop.try_("resolve", conflict, "edit")
    assert refused.code == 2 and "--value-file" in refused.err
    laptop.run("resolve", conflict, "edit", "--value-file", "-", stdin="Buy oat and rice milk\n")
    meet(laptop, desktop)
    assert desktop.fields(shared)["title"] == "Buy oat and rice milk"
    assert open_conflicts(desktop) == []


def at_terminal(device, *arguments, editor):
    """Runs a command in a terminal with an editor."""
    person, terminal = pty.openpty()
    try:
        process = device.start(*arguments, stdin=terminal, environment={"VISUAL": editor})
        os.close(terminal)
        return device.finish(process, arguments)
    finally:
        os.close(person)


def test_at_a_terminal_both_versions_are_opened_in_the_editor(laptop, desktop, long_conflict):
    id, conflict = long_conflict
    # The text has both lines between markers; the editor removes the markers and one line.
    result = at_terminal(
        laptop, "resolve", conflict, "edit", editor="sed -i -e '/^<<<<<<<\\|^>>>>>>>\\|^=======/d' -e '/the laptop/d'")
    assert result.code == 0, result
    lines = laptop.fields(id)["body"].splitlines()
    assert len(lines) == 10_000 and lines[5_000] == "from the desktop"
    assert open_conflicts(laptop) == []


def test_an_editor_that_fails_or_changes_nothing_resolves_nothing(laptop, conflict):
    for editor, code in [("false", 1), ("true", 2)]:
        assert at_terminal(laptop, "resolve", conflict, "edit", editor=editor).code == code
    assert len(open_conflicts(laptop)) == 1


def test_a_refused_text_is_not_lost(laptop, conflict):
    # Both lines of the title are kept: a title has one line.
    result = at_terminal(laptop, "resolve", conflict, "edit", editor="sed -i -e '/^[<=>]/d'")
    assert result.code == 2 and "several lines" in result.err
    path = result.err.split("Your text is in ")[1].split("\n")[0].rstrip(".")
    with open(path) as file:
        assert file.read().splitlines() == ["Buy oat milk", "Buy rice milk"]
    assert len(open_conflicts(laptop)) == 1


def test_a_conflict_that_a_later_edit_has_overtaken_stays_and_says_so(laptop, desktop, shared, conflict):
    desktop.run("edit", shared, "--title", "Buy no milk")
    meet(laptop, desktop)
    assert "has changed since" in laptop.run("conflicts").out
    laptop.run("resolve", conflict, "mine")
    meet(laptop, desktop)
    assert desktop.fields(shared)["title"] == "Buy oat milk"


def test_a_record_that_was_deleted_meanwhile_can_be_revived(laptop, desktop, shared, conflict):
    desktop.run("rm", shared)
    meet(laptop, desktop)
    refused = laptop.try_("resolve", conflict, "mine")
    assert refused.code == 6 and "--revive" in refused.err
    laptop.run("resolve", conflict, "mine", "--revive")
    meet(laptop, desktop)
    assert desktop.fields(shared)["title"] == "Buy oat milk"
    assert open_conflicts(desktop) == []


def test_a_resolved_one_is_listed_on_both_and_another_value_can_be_chosen(laptop, desktop, shared, conflict):
    laptop.run("resolve", conflict, "keep")
    meet(laptop, desktop)
    assert "No conflicts." in desktop.run("conflicts").out
    [row] = inbox(desktop, resolved=True)["rows"]
    assert row["id"] == conflict and row["resolvedAt"]
    desktop.run("resolve", conflict, "theirs")
    meet(laptop, desktop)
    assert laptop.fields(shared)["title"] == "Buy oat milk"
    assert open_conflicts(laptop) == []


@pytest.mark.parametrize("first", ["laptop", "desktop"])
def test_two_devices_that_resolve_it_differently_while_offline_converge_on_a_conflict_about_that(
        laptop, desktop, shared, conflict, first):
    laptop.run("edit", shared, "--title", "Something newer")
    meet(laptop, desktop)
    laptop.run("resolve", conflict, "earlier")
    desktop.run("resolve", conflict, "later")
    meet(*([laptop, desktop] if first == "laptop" else [desktop, laptop]))
    [record] = open_conflicts(laptop)
    assert record["id"] != conflict
    values = {record["fields"][side]["value"] for side in ("earlier", "later")}
    assert values == {"Buy oat milk", "Buy rice milk"}
    laptop.run("resolve", record["id"], "earlier")
    meet(laptop, desktop)
    assert open_conflicts(desktop) == [] and desktop.fields(shared)["title"] == "Buy oat milk"


def test_the_same_resolution_on_both_leaves_nothing(laptop, desktop, shared, conflict):
    for device in [laptop, desktop]:
        device.run("resolve", conflict, "earlier")
    meet(laptop, desktop)
    assert open_conflicts(laptop) == [] and laptop.fields(shared)["title"] == "Buy oat milk"


def test_one_that_another_device_resolved_first_is_reported_and_its_values_can_be_chosen(
        server, laptop, desktop, shared, make_device):
    laptop.run("edit", shared, "--title", "Buy oat milk")
    laptop.run("sync")
    desktop.run("edit", shared, "--title", "Buy rice milk")
    desktop.run("sync")
    [record] = desktop.records("conflicts")
    desktop.run("resolve", record["id"], "mine")
    desktop.run("sync")
    assert "1 resolved on another device: see `conflicts --resolved`" in laptop.run("sync").err
    assert "No conflicts." in laptop.run("conflicts").out
    assert "conflicts --resolved" in laptop.run("status").out
    out = laptop.run("conflicts", "--resolved").out
    assert "Buy oat milk" in out and "Buy rice milk" in out and "resolved" in out
    assert "conflicts --resolved" not in laptop.run("status").out
    # A new device has them, too.
    third = make_device().log_in(server)
    third.sync()
    third.run("resolve", record["id"], "earlier")
    meet(third, laptop)
    assert laptop.fields(shared)["title"] == "Buy oat milk"


def test_in_a_text_a_choice_replaces_only_the_overlapping_lines(laptop, desktop, shared):
    lines = [f"line {number}" for number in range(9)]
    write(laptop, shared, lines)
    meet(laptop, desktop)
    write(laptop, shared, ["top"] + lines[1:4] + ["the laptop's"] + lines[5:])
    write(desktop, shared, lines[:4] + ["the desktop's"] + lines[5:8] + ["bottom"])
    meet(laptop, desktop)
    [record] = laptop.records("conflicts")
    laptop.run("resolve", record["id"], "mine")
    meet(laptop, desktop)
    merged = ["top"] + lines[1:4] + ["the laptop's"] + lines[5:8] + ["bottom"]
    assert desktop.fields(shared)["body"].splitlines() == merged
    write(desktop, shared, merged + ["new"])
    said = desktop.run("resolve", record["id"], "mine").err
    assert "Chose another value" in said and "replaced" not in said
    assert desktop.fields(shared)["body"].splitlines() == merged[:4] + ["the desktop's"] + merged[5:] + ["new"]
    desktop.run("undo")
    assert desktop.fields(shared)["body"].splitlines() == merged + ["new"]
    # The markers return with the undo of a choice; the next one is about the lines between them, too.
    laptop.sync()
    laptop.run("undo")
    assert "<<<<<<< earlier" in laptop.fields(shared)["body"]
    laptop.run("resolve", record["id"], "theirs")
    assert laptop.fields(shared)["body"].splitlines() == merged[:4] + ["the desktop's"] + merged[5:]
