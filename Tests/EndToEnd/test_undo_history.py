"""Undoing commands, and a record's history on the server."""

import json

import pytest

from harness.device import meet


@pytest.fixture
def shared(laptop, desktop):
    """A task that both devices have; returns its id."""
    laptop.run("add", "Buy milk")
    meet(laptop, desktop)
    return laptop.record("Buy milk")["id"]


# Undo


def test_undo_reverts_command_by_command_without_a_server(device):
    ids = [device.add(title) for title in ["One", "Two", "Three"]]
    device.run("done", *ids)
    before = device.export()
    device.run("rm", *ids)
    assert device.titles() == []
    assert "Undid `rm`: 3 records." in device.run("undo").err
    assert json.loads(device.export())["records"][0]["fields"] == json.loads(before)["records"][0]["fields"]
    device.run("undo")
    assert all(record["fields"]["status"] == "pending" for record in device.records())
    for _ in ids:
        device.run("undo")
    assert device.titles() == []
    assert device.try_("undo").code == 3
    for _ in range(5):
        device.run("redo")
    assert device.titles() == []
    device.run("undo")
    assert device.titles() == ["One", "Three", "Two"]


def test_an_import_is_one_step_and_the_same_file_can_be_imported_again(device, export_file):
    device.run("add", "Mine")
    device.run("import", "taskwarrior", export_file)
    assert len(device.titles()) == 3_001
    assert "3000 records" in device.run("undo").err
    assert device.titles() == ["Mine"]
    device.run("redo")
    assert len(device.titles()) == 3_001


def test_after_a_sync_undo_is_a_new_edit_for_all(laptop, desktop, shared):
    laptop.run("edit", shared, "--title", "Buy oat milk", "priority:H")
    meet(laptop, desktop)
    laptop.run("undo")
    meet(laptop, desktop)
    fields = desktop.fields(shared)
    assert fields["title"] == "Buy milk" and "priority" not in fields


def test_undo_keeps_what_another_device_changed_since_and_reports_it(laptop, desktop, shared):
    laptop.run("edit", shared, "--title", "Buy oat milk", "priority:H")
    meet(laptop, desktop)
    desktop.run("edit", shared, "--title", "Buy rice milk")
    meet(laptop, desktop)
    said = laptop.run("undo").err
    assert "the title of “Buy rice milk”, changed since" in said
    meet(laptop, desktop)
    fields = desktop.fields(shared)
    assert fields["title"] == "Buy rice milk" and "priority" not in fields
    assert desktop.records("conflicts") == []


def test_undo_of_a_text_keeps_the_lines_that_another_device_wrote_since(laptop, desktop, shared):
    lines = [f"line {number}" for number in range(10)]

    def write(device, lines):
        device.run("edit", shared, "--body-file", device.write("body.txt", "\n".join(lines) + "\n"))

    write(laptop, lines)
    write(laptop, ["mine"] + lines)
    meet(laptop, desktop)
    write(desktop, ["mine"] + lines + ["theirs"])
    meet(laptop, desktop)
    laptop.run("undo")
    meet(laptop, desktop)
    assert desktop.fields(shared)["body"].splitlines() == lines + ["theirs"]


def test_an_undo_offline_merges_with_concurrent_changes_of_others(laptop, desktop, shared):
    laptop.run("done", shared)
    meet(laptop, desktop)
    laptop.run("undo")
    desktop.run("edit", shared, "due:2031-05-05")
    meet(laptop, desktop)
    fields = laptop.fields(shared)
    assert fields["status"] == "pending" and fields["due"].startswith("2031-05-05")


def test_undo_of_a_deletion_and_of_a_creation_reach_the_other_device(laptop, desktop, shared):
    laptop.run("rm", shared)
    laptop.run("add", "Another")
    meet(laptop, desktop)
    laptop.run("undo")
    laptop.run("undo")
    meet(laptop, desktop)
    assert desktop.titles() == ["Buy milk"]


def test_undo_keeps_what_another_device_deleted_since(laptop, desktop, shared):
    laptop.run("rm", shared)
    meet(laptop, desktop)
    desktop.run("restore", shared, versions(desktop, shared)[-1])
    meet(laptop, desktop)
    desktop.run("rm", shared)
    meet(laptop, desktop)
    assert "“Buy milk”, deleted since" in laptop.run("undo").err
    meet(laptop, desktop)
    assert desktop.titles() == []


def test_the_journal_lists_the_last_commands(device):
    id = device.add("Buy milk")
    device.run("done", id)
    device.run("undo")
    lines = device.run("journal").out.splitlines()
    assert {"undone", "done"} <= set(lines[0].split()) and "Buy milk" in lines[0]
    assert "add" in lines[1] and "undone" not in lines[1]


# History


def test_history_shows_who_changed_what(laptop, desktop, shared):
    laptop.run("edit", shared, "--title", "Buy oat milk")
    meet(laptop, desktop)
    desktop.run("edit", shared, "priority:H")
    meet(laptop, desktop)
    laptop.run("edit", shared, "project:home")
    out = laptop.run("history", shared).out
    lines = out.splitlines()
    assert lines[0] == "Buy oat milk"
    assert lines[1].startswith("not synced") and "project: home" in lines[2]
    assert "title: Buy milk → Buy oat milk" in out and "priority: H" in out and "made" in out
    assert out.index("priority: H") < out.index("title: Buy milk → Buy oat milk")


def versions(device, id):
    """The versions of `history`, the newest first."""
    session = device.json_lines()
    states, outcome = session.ask("history", record=id)
    assert outcome["type"] == "done", outcome
    assert session.finish() == 0
    return [revision["version"] for revision in states[-1]["state"]["revisions"]]


def test_a_revision_is_restored_as_a_new_edit(laptop, desktop, shared):
    laptop.run("edit", shared, "--title", "Buy oat milk", "priority:H")
    meet(laptop, desktop)
    first = versions(desktop, shared)[-1]
    desktop.run("restore", shared, first)
    meet(laptop, desktop)
    fields = laptop.fields(shared)
    assert fields["title"] == "Buy milk" and "priority" not in fields
    assert len(versions(laptop, shared)) == 3
    assert desktop.try_("restore", shared, 999_999).code == 3


def test_a_deleted_record_is_restored_from_its_history(laptop, desktop, shared):
    laptop.run("rm", shared)
    meet(laptop, desktop)
    deletion, last = versions(desktop, shared)
    assert desktop.try_("restore", shared, deletion).code == 2
    desktop.run("restore", shared, last)
    meet(laptop, desktop)
    assert laptop.titles() == ["Buy milk"]


def test_without_the_server_history_reports_so_and_undo_works(laptop, shared, server):
    laptop.run("edit", shared, "--title", "Buy oat milk")
    server.stop()
    result = laptop.try_("history", shared)
    assert result.code == 5 and "`journal`" in result.err
    laptop.run("undo")
    assert laptop.titles() == ["Buy milk"]
