"""Two devices edit offline and sync later. Automatic sync is off: each sync is a command."""

import json

import pytest

from harness.device import PASSWORD, meet


@pytest.fixture
def shared(laptop, desktop):
    """A task that both devices have; returns its id."""
    laptop.run("add", "Buy milk", "+shop", "+later")
    meet(laptop, desktop)
    return laptop.record("Buy milk")["id"]


def test_edits_of_different_fields_are_both_kept(laptop, desktop, shared):
    laptop.run("edit", shared, "--title", "Buy oat milk")
    desktop.run("edit", shared, "priority:H", "project:home")
    meet(laptop, desktop)
    fields = desktop.fields(shared)
    assert (fields["title"], fields["priority"], fields["project"]) == ("Buy oat milk", "H", "home")
    assert laptop.records("conflicts") == []


def test_edits_of_the_same_field_leave_the_later_one_and_a_conflict_with_both_values(laptop, desktop, shared):
    laptop.run("edit", shared, "--title", "Buy oat milk")
    desktop.run("edit", shared, "--title", "Buy rice milk")
    meet(laptop, desktop)
    assert laptop.fields(shared)["title"] == "Buy rice milk"
    [conflict] = laptop.records("conflicts")
    values = {conflict["fields"]["earlier"]["value"], conflict["fields"]["later"]["value"]}
    assert values == {"Buy oat milk", "Buy rice milk"}
    for device in [laptop, desktop]:
        out = device.run("conflicts").out
        assert "Buy oat milk" in out and "Buy rice milk" in out


def test_a_conflict_is_resolved_on_one_device_for_both(laptop, desktop, shared):
    laptop.run("edit", shared, "--title", "Buy oat milk")
    desktop.run("edit", shared, "--title", "Buy rice milk")
    meet(laptop, desktop)
    [conflict] = laptop.records("conflicts")
    laptop.run("resolve", conflict["id"], "mine")
    meet(laptop, desktop)
    assert desktop.fields(shared)["title"] == "Buy oat milk"
    assert all(conflict["fields"]["settled"] for conflict in desktop.records("conflicts"))
    assert "No conflicts." in desktop.run("conflicts").out


def test_the_same_edit_on_both_is_no_conflict(laptop, desktop, shared):
    for device in [laptop, desktop]:
        device.run("edit", shared, "--title", "Buy oat milk")
    meet(laptop, desktop)
    assert laptop.records("conflicts") == []


def test_lines_appended_to_a_body_on_both_sides_are_both_kept(laptop, desktop):
    laptop.run("note", "Diary")
    id = laptop.record("Diary")["id"]
    lines = [f"line {number}" for number in range(20)]

    def write(device, text):
        device.run("edit", id, "--body-file", device.write("body.txt", text))

    write(laptop, "\n".join(lines) + "\n")
    meet(laptop, desktop)
    write(laptop, "\n".join(["from the laptop"] + lines) + "\n")
    write(desktop, "\n".join(lines + ["from the desktop"]) + "\n")
    meet(laptop, desktop)
    assert laptop.fields(id)["body"].splitlines() == ["from the laptop"] + lines + ["from the desktop"]
    # At the same place, both stay in the text too.
    write(laptop, laptop.fields(id)["body"] + "left\n")
    write(desktop, desktop.fields(id)["body"] + "right\n")
    meet(laptop, desktop)
    body = desktop.fields(id)["body"].splitlines()
    assert "left" in body and "right" in body


def test_tags_are_a_set_with_both_sides_additions_and_without_both_sides_removals(laptop, desktop, shared):
    laptop.run("tag", shared, "+fresh", "-shop")
    desktop.run("tag", shared, "+cold", "-later")
    meet(laptop, desktop)
    assert sorted(laptop.fields(shared)["tags"]) == ["cold", "fresh"]
    assert laptop.records("conflicts") == []


def test_annotations_from_both_sides_are_both_kept(laptop, desktop, shared):
    laptop.run("annotate", shared, "the shop is closed on Sunday")
    desktop.run("annotate", shared, "two bottles")
    meet(laptop, desktop)
    remarks = {remark["description"] for remark in laptop.fields(shared)["annotations"]}
    assert remarks == {"the shop is closed on Sunday", "two bottles"}


@pytest.mark.parametrize("deletes_first", [True, False], ids=["deletion syncs first", "edit syncs first"])
def test_an_edit_wins_over_a_deletion(laptop, desktop, shared, deletes_first):
    laptop.run("rm", shared)
    desktop.run("edit", shared, "--title", "Still wanted")
    for device in [laptop, desktop] if deletes_first else [desktop, laptop]:
        device.sync()
    meet(laptop, desktop)
    fields = laptop.fields(shared)
    assert fields["title"] == "Still wanted"
    assert sorted(fields["tags"]) == ["later", "shop"], "a revival restores all fields"


def test_a_deletion_without_a_concurrent_edit_is_kept(laptop, desktop, shared):
    laptop.run("rm", shared)
    desktop.run("add", "Something else")
    meet(laptop, desktop)
    assert desktop.titles() == ["Something else"]


def test_done_on_one_and_edited_on_the_other_are_both_kept(laptop, desktop, shared):
    laptop.run("done", shared)
    desktop.run("edit", shared, "due:2031-05-05")
    meet(laptop, desktop)
    fields = laptop.fields(shared)
    assert fields["status"] == "completed" and fields["due"].startswith("2031-05-05")


def test_records_made_on_both_are_on_both(laptop, desktop):
    for number in range(20):
        laptop.run("add", f"laptop {number}")
        desktop.run("add", f"desktop {number}")
    meet(laptop, desktop)
    assert len(laptop.titles()) == 40


def test_a_third_device_receives_the_same_in_a_first_sync(laptop, desktop, shared, server, make_device):
    laptop.run("edit", shared, "--title", "Buy oat milk")
    desktop.run("edit", shared, "--title", "Buy rice milk")
    laptop.run("add", "To be removed")
    meet(laptop, desktop)
    laptop.run("rm", laptop.record("To be removed")["id"])
    meet(laptop, desktop)
    phone = make_device().log_in(server)
    phone.sync()
    assert json.loads(phone.export())["records"] == json.loads(laptop.export())["records"]
    meet(laptop, desktop, phone)


def test_changes_by_curl_reach_the_devices_and_unknown_fields_are_kept(laptop, desktop, shared, server):
    api = server.api.log_in(password=PASSWORD)
    path = f"/v1/spaces/{api.space}/records/tasks/{shared}"
    patch = {"fields": {"title": "From curl", "colour": {"r": 255, "exact": 0.10}}}
    etag = api.request("GET", path).headers["etag"]
    answer = api.request("PATCH", path, patch, If_Match=etag, Content_Type="application/merge-patch+json")
    assert answer.status == 200
    assert api.request("PATCH", path, patch, If_Match=etag, Content_Type="application/merge-patch+json").status == 412
    assert api.request("PATCH", path, patch, Content_Type="application/merge-patch+json").status == 428
    meet(laptop, desktop)
    desktop.run("edit", shared, "+seen")
    meet(laptop, desktop)
    fields = api.request("GET", path).json["fields"]
    assert fields["title"] == "From curl" and fields["colour"] == {"r": 255, "exact": 0.10}
    assert "seen" in fields["tags"]
