"""Two devices edit offline and sync later. Automatic sync is off: each sync is a command."""

import pytest

from harness.device import PASSWORD, meet


@pytest.fixture
def shared(laptop, desktop):
    """A task that both devices have; returns its id."""
    laptop.run("add", "Buy milk", "+shop", "+later")
    meet(laptop, desktop)
    return laptop.record("Buy milk")["id"]


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
