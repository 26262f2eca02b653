"""Tasks that repeat, on one device and on two."""

import pytest

from harness.device import meet


@pytest.fixture
def plants(laptop, desktop):
    """A weekly task that both have; its id. The homes are in Berlin and in New York."""
    laptop.environment["TZ"], desktop.environment["TZ"] = "Europe/Berlin", "America/New_York"
    id = laptop.add("Water plants", "due:2031-03-28T15:00", "repeat:weekly")
    meet(laptop, desktop)
    return id


def open_ones(device):
    return [record for record in device.records("tasks") if record["fields"]["status"] == "pending"]


def test_done_makes_the_next_one_with_its_time_of_day(laptop, plants):
    said = laptop.run("done", plants).err
    assert "Done: “Water plants”. Next: 2031-04-04 15:00." in said
    [next] = open_ones(laptop)
    # The clocks have changed in Berlin between the two.
    assert next["fields"]["due"] == "2031-04-04T13:00:00Z" and next["fields"]["repeatZone"] == "Europe/Berlin"
    assert next["id"][14] == "8"


def test_done_on_two_devices_offline_makes_one_next_one_and_no_conflict(laptop, desktop, plants):
    laptop.run("done", plants)
    desktop.run("done", plants)
    for _ in range(2):
        meet(laptop, desktop)
    assert len(laptop.records("tasks")) == 2 and laptop.records("conflicts") == []
    [next] = open_ones(desktop)
    assert next["fields"]["due"] == "2031-04-04T13:00:00Z"


def test_what_the_other_one_changed_before_goes_on(laptop, desktop, plants):
    laptop.run("done", plants)
    desktop.run("edit", plants, "--title", "Water the ferns", "+garden")
    desktop.run("done", plants)
    meet(laptop, desktop)
    [next] = open_ones(laptop)
    assert next["fields"]["title"] == "Water the ferns" and next["fields"]["tags"] == ["garden"]
    assert laptop.records("conflicts") == []


def test_undo_undone_and_done_again_leave_one(laptop, desktop, plants):
    for taking_back in [["undo"], ["undone", plants]]:
        laptop.run("done", plants)
        meet(laptop, desktop)
        laptop.run(*taking_back)
        meet(laptop, desktop)
        assert [record["id"] for record in desktop.records("tasks")] == [plants]
    desktop.run("done", plants)
    meet(laptop, desktop)
    assert len(open_ones(laptop)) == 1 and len(laptop.records("tasks")) == 2


def test_a_deleted_next_one_stays_deleted(laptop, desktop, plants):
    laptop.run("done", plants)
    [next] = open_ones(laptop)
    laptop.run("rm", next["id"])
    desktop.run("done", plants)
    meet(laptop, desktop)
    assert open_ones(desktop) == []


def test_what_is_done_late_is_due_next_in_the_future(device, wrong_clock):
    device.environment.update(wrong_clock("@2031-05-06 12:00:00"))
    id = device.add("Pay rent", "due:2031-01-31", "repeat:monthly")
    device.run("done", id)
    [next] = open_ones(device)
    assert next["fields"]["due"] == "2031-05-31T00:00:00Z"
    device.run("done", next["id"])
    [next] = open_ones(device)
    assert next["fields"]["due"] == "2031-06-30T00:00:00Z"


def test_a_series_ends_on_its_last_day(device):
    id = device.add("Take pills", "due:2031-01-01", "repeat:daily", "until:2031-01-02")
    device.run("done", id)
    [next] = open_ones(device)
    assert "Next" not in device.run("done", next["id"]).err
    assert open_ones(device) == []


def test_a_wrong_interval_and_a_missing_due_are_refused(device):
    result = device.try_("add", "Water plants", "due:friday", "repeat:sometimes")
    assert result.code == 2 and "no interval" in result.err
    result = device.try_("add", "Water plants", "repeat:weekly")
    assert result.code == 2 and "due:friday" in result.err
    assert device.titles() == []


def test_templates_of_taskwarrior_stay_what_they_are(device):
    text = (
        '[{"uuid":"11111111-1111-4111-8111-111111111111","description":"Rent","status":"recurring",'
        '"recur":"monthly","due":"20310101T000000Z","mask":"-","entry":"20300101T000000Z"},'
        '{"uuid":"22222222-2222-4222-8222-222222222222","description":"Rent","status":"pending","recur":"monthly",'
        '"parent":"11111111-1111-4111-8111-111111111111","imask":0,"due":"20310101T000000Z"}]')
    device.run("import", "taskwarrior", device.write("tasks.json", text))
    device.run("done", "22222222")
    assert len(device.records("tasks")) == 2
    exported = device.run("export", "taskwarrior").out
    assert '"recur":"monthly"' in exported and '"mask":"-"' in exported and '"imask":0' in exported
