"""Repeating tasks, on one device and on two."""

from datetime import date, timedelta

import pytest

from harness.device import meet


@pytest.fixture
def plants(laptop, desktop):
    """A weekly task that both devices have; returns its id. The homes are in Berlin and in New York."""
    laptop.environment["TZ"], desktop.environment["TZ"] = "Europe/Berlin", "America/New_York"
    id = laptop.add("Water plants", "due:2031-03-28T15:00", "repeat:weekly")
    meet(laptop, desktop)
    return id


def open_ones(device):
    return [record for record in device.records("tasks") if record["fields"]["status"] == "pending"]


def test_done_creates_the_next_instance_with_its_time_of_day(laptop, plants):
    said = laptop.run("done", plants).err
    assert "Done: “Water plants”. Next: 2031-04-04 15:00." in said
    [next] = open_ones(laptop)
    # The clocks in Berlin change between the two.
    assert next["fields"]["due"] == "2031-04-04T13:00:00Z" and next["fields"]["repeatZone"] == "Europe/Berlin"
    assert next["id"][14] == "8"


def test_done_on_two_devices_offline_creates_one_next_instance_and_no_conflict(laptop, desktop, plants):
    laptop.run("done", plants)
    desktop.run("done", plants)
    for _ in range(2):
        meet(laptop, desktop)
    assert len(laptop.records("tasks")) == 2 and laptop.records("conflicts") == []
    [next] = open_ones(desktop)
    assert next["fields"]["due"] == "2031-04-04T13:00:00Z"


def days(number):
    return (date.today() + timedelta(days=number)).isoformat()


def test_done_on_different_days_counts_from_the_later_one(laptop, desktop, wrong_clock):
    id = laptop.add("Water plants", f"due:{days(-20)}T15:00Z", "repeat:weekly")
    meet(laptop, desktop)
    laptop.run("done", id, environment=wrong_clock("-16d"))
    assert open_ones(laptop)[0]["fields"]["due"] == f"{days(-13)}T15:00:00Z"
    desktop.run("done", id)
    for _ in range(2):
        meet(laptop, desktop)
    assert laptop.records("conflicts") == []
    [next] = open_ones(laptop)
    assert next["fields"]["due"] in [f"{days(1)}T15:00:00Z", f"{days(8)}T15:00:00Z"]
    assert len(laptop.records("tasks")) == 2


def test_done_on_one_and_deleted_on_the_other_keeps_both(laptop, desktop, plants):
    laptop.run("done", plants)
    desktop.run("rm", plants)
    for _ in range(2):
        meet(laptop, desktop)
    assert len(desktop.records("tasks")) == 2 and len(open_ones(desktop)) == 1
    assert desktop.records("conflicts") == []


def test_undo_and_redo_keep_one_instance(laptop, desktop, plants):
    laptop.run("done", plants)
    [made] = open_ones(laptop)
    for _ in range(2):
        laptop.run("undo")
        assert [record["id"] for record in open_ones(laptop)] == [plants]
        meet(laptop, desktop)
        laptop.run("redo")
        meet(laptop, desktop)
        assert [record["id"] for record in open_ones(desktop)] == [made["id"]]
    assert len(desktop.records("tasks")) == 2 and desktop.records("conflicts") == []


@pytest.mark.parametrize("reverting", ["undo", "undone"])
def test_done_on_a_device_that_has_not_seen_an_earlier_undone_completion(
        laptop, desktop, make_device, server, plants, reverting):
    phone = make_device().log_in(server)
    phone.sync()
    laptop.run("done", plants)
    meet(laptop, desktop)
    laptop.run(*(["undo"] if reverting == "undo" else ["undone", plants]))
    meet(laptop, desktop)
    phone.run("done", plants)
    for _ in range(2):
        meet(phone, laptop, desktop)
    [next] = open_ones(desktop)
    assert next["fields"]["due"] == "2031-04-04T13:00:00Z"


def test_json_lines_create_the_next_instance(laptop, plants):
    session = laptop.json_lines()
    _, outcome = session.ask("done", records=[plants])
    assert outcome["type"] == "done", outcome
    assert session.finish() == 0
    assert len(open_ones(laptop)) == 1 and len(laptop.records("tasks")) == 2


def test_lists_and_details_show_the_interval(laptop, plants):
    laptop.run("edit", plants, "repeat:every 2 weeks")
    assert "15:00 ↻ 2w" in laptop.run("list").out
    assert laptop.run("list", "--plain").out.rstrip("\n").split("\t")[-1] == "2w"
    assert "every 2 weeks" in laptop.run("show", plants).out


def test_earlier_changes_of_the_other_device_are_kept(laptop, desktop, plants):
    laptop.run("done", plants)
    desktop.run("edit", plants, "--title", "Water the ferns", "+garden")
    desktop.run("done", plants)
    meet(laptop, desktop)
    [next] = open_ones(laptop)
    assert next["fields"]["title"] == "Water the ferns" and next["fields"]["tags"] == ["garden"]
    assert laptop.records("conflicts") == []


def test_undo_undone_and_done_again_leave_one_instance(laptop, desktop, plants):
    for reverting in [["undo"], ["undone", plants]]:
        laptop.run("done", plants)
        meet(laptop, desktop)
        laptop.run(*reverting)
        meet(laptop, desktop)
        assert [record["id"] for record in desktop.records("tasks")] == [plants]
    desktop.run("done", plants)
    meet(laptop, desktop)
    assert len(open_ones(laptop)) == 1 and len(laptop.records("tasks")) == 2


def test_a_deleted_next_instance_stays_deleted(laptop, desktop, plants):
    laptop.run("done", plants)
    [next] = open_ones(laptop)
    laptop.run("rm", next["id"])
    desktop.run("done", plants)
    meet(laptop, desktop)
    assert open_ones(desktop) == []


def test_a_task_completed_late_is_next_due_in_the_future(device, wrong_clock):
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


def test_a_wrong_interval_and_a_missing_due_date_are_refused(device):
    result = device.try_("add", "Water plants", "due:friday", "repeat:sometimes")
    assert result.code == 2 and "as an interval" in result.err
    result = device.try_("add", "Water plants", "repeat:weekly")
    assert result.code == 2 and "due:friday" in result.err
    assert device.titles() == []


def test_templates_of_taskwarrior_are_unchanged(device):
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
