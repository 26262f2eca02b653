"""Repeating tasks: the time zone of a process, in which a series is counted. The other tests of repeating tasks are in Tests/SatchelApp."""


def test_a_process_has_the_time_zone_of_its_environment(device):
    device.environment["TZ"] = "Europe/Berlin"
    device.run("add", "Water plants", "due:2031-03-28T15:00", "repeat:weekly")
    assert "Next: Fri 4 Apr 2031 15:00." in device.run("done", device.record("Water plants")["id"]).err
    fields = [record["fields"] for record in device.records("tasks")]
    assert {field["repeatZone"] for field in fields} == {"Europe/Berlin"}
    # The clocks in Berlin change between the two.
    assert sorted(field["due"] for field in fields) == [
        "2031-03-28T14:00:00Z[Europe/Berlin]", "2031-04-04T13:00:00Z[Europe/Berlin]"]
