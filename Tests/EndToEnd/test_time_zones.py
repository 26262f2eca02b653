"""A time of day is stored with the time zone of the process that typed it, and is the same time in every other one."""

import json

from harness.device import meet

BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"


def due_in(device, zone, record):
    """The line of the due date that `show` prints in a time zone."""
    lines = device.run("show", record, environment={"TZ": zone}).out.splitlines()
    [line] = [line for line in lines if line.startswith("due")]
    return line.removeprefix("due").strip()


def test_a_time_of_day_keeps_the_time_zone_in_which_it_was_typed(make_device, server):
    berlin = make_device(TZ=BERLIN).register(server)
    new_york = make_device(TZ=NEW_YORK).log_in(server)
    # On this day, clocks in New York have changed and those in Berlin have not.
    call = berlin.add("Call the bank", "due:2031-03-20T17:00")
    rent = berlin.add("Pay rent", "due:2031-03-20")
    meet(berlin, new_york)
    assert new_york.fields(call)["due"] == "2031-03-20T16:00:00Z[Europe/Berlin]"
    assert new_york.fields(rent)["due"] == "2031-03-20"

    assert due_in(berlin, BERLIN, call) == "2031-03-20 17:00"
    assert due_in(new_york, NEW_YORK, call) == "2031-03-20 12:00 (17:00 Europe/Berlin)"
    assert due_in(new_york, "Europe/Paris", call) == "2031-03-20 17:00"
    assert due_in(new_york, "Asia/Tokyo", call) == "2031-03-21 01:00 (2031-03-20 17:00 Europe/Berlin)"
    assert due_in(new_york, NEW_YORK, rent) == "2031-03-20"


def test_programs_get_the_time_in_utc_and_the_time_zone_next_to_it(make_device):
    device = make_device(TZ=BERLIN)
    call = device.add("Call the bank", "due:2031-03-20T17:00")
    for zone in [BERLIN, NEW_YORK]:
        [row] = json.loads(device.run("list", "--json", environment={"TZ": zone}).out)["rows"]
        assert (row["due"], row["dueZone"]) == ("2031-03-20T16:00:00Z", BERLIN)
        assert row["values"]["due"] == "2031-03-20T16:00:00Z"
        record = json.loads(device.run("show", call, "--json", environment={"TZ": zone}).out)["record"]
        [due] = [field for field in record["fields"] if field["name"] == "due"]
        assert (due["value"], due["zone"]) == ("2031-03-20T16:00:00Z", BERLIN)
        assert "2031-03-20T16:00:00Z\t" in device.run("list", "--plain", environment={"TZ": zone}).out


def test_an_edit_in_another_time_zone_changes_only_what_is_typed(make_device):
    device = make_device(TZ=BERLIN)
    call = device.add("Call the bank", "due:2031-03-20T17:00")
    device.environment["TZ"] = NEW_YORK
    device.run("edit", call, "priority:H")
    assert device.fields(call)["due"] == "2031-03-20T16:00:00Z[Europe/Berlin]"
    device.run("edit", call, "due:2031-03-20T13:00")
    assert device.fields(call)["due"] == "2031-03-20T17:00:00Z[America/New_York]"


def test_utc_and_an_offset_have_no_name(make_device):
    device = make_device()
    assert device.fields(device.add("In UTC", "due:2031-03-20T17:00"))["due"] == "2031-03-20T17:00:00Z"
    device.environment["TZ"] = BERLIN
    assert device.fields(device.add("Typed in UTC", "due:2031-03-20T17:00Z"))["due"] == "2031-03-20T17:00:00Z"
    assert due_in(device, NEW_YORK, device.record("Typed in UTC")["id"]) == "2031-03-20 13:00"


def test_a_series_is_counted_in_the_time_zone_of_its_due_time(make_device):
    device = make_device(TZ=NEW_YORK)
    task = device.add("Water plants", "due:2031-03-05T09:00", "repeat:weekly")
    device.run("done", task, environment={"TZ": BERLIN})
    # Clocks in New York change on 9 March 2031.
    assert sorted(record["fields"]["due"] for record in device.records("tasks")) == [
        "2031-03-05T14:00:00Z[America/New_York]", "2031-03-12T13:00:00Z[America/New_York]"]


def test_a_time_zone_is_found_after_a_colon_and_as_a_path_or_a_warning_names_the_variable(make_device):
    device = make_device()
    call = device.add("Call the bank", "due:2031-03-20T17:00Z")
    for zone in [":" + NEW_YORK, f"/usr/share/zoneinfo/{NEW_YORK}", "EDT4"]:
        result = device.run("show", call, environment={"TZ": zone})
        assert "2031-03-20 13:00" in result.out and result.err == ""
    result = device.run("show", call, environment={"TZ": "EST5EDT,M3.2.0,M11.1.0"})
    assert "2031-03-20 17:00" in result.out
    assert result.err.count("The variable TZ is “EST5EDT,M3.2.0,M11.1.0”") == 1
