"""The main use with real input: 3,000 tasks of Taskwarrior, imported offline, synced, and on a second device."""

import json

import pytest

from harness import taskwarrior


def rfc3339(stamp):
    """Taskwarrior's time in the form of a record."""
    day, time = stamp[:8], stamp[9:15]
    return f"{day[:4]}-{day[4:6]}-{day[6:]}T{time[:2]}:{time[2:4]}:{time[4:]}Z"


@pytest.fixture(params=["made up", "real"])
def tasks_file(request, tmp_path):
    if request.param == "real":
        if not taskwarrior.REAL.exists():
            pytest.skip("no export of the real program next to this checkout")
        return taskwarrior.REAL
    path = tmp_path / "taskwarrior.json"
    path.write_bytes(taskwarrior.text(taskwarrior.export(3_000)))
    return path


def test_3000_tasks_go_from_one_device_to_another_unchanged(server, make_device, tasks_file):
    laptop = make_device()
    laptop.run("import", "taskwarrior", tasks_file)
    offline = laptop.records()
    assert len(offline) == 3_000
    laptop.register(server).sync()
    desktop = make_device().log_in(server)
    desktop.sync()
    assert laptop.export() == desktop.export()
    assert [record["fields"] for record in desktop.records()] == [record["fields"] for record in offline]


def test_an_import_keeps_every_attribute(device, tasks_file):
    device.run("import", "taskwarrior", tasks_file)
    records = {record["id"]: record for record in device.records("tasks")}
    for task in json.loads(tasks_file.read_bytes()):
        fields = records[task["uuid"]]["fields"]
        assert fields["title"] == task["description"]
        assert fields["status"] == task["status"]
        assert fields["entry"] == rfc3339(task["entry"])
        assert fields.get("project") == task.get("project")
        assert fields.get("priority") == task.get("priority")
        assert sorted(fields.get("tags", [])) == sorted(task.get("tags", []))
        for time in ["due", "end"]:
            assert fields.get(time) == (rfc3339(task[time]) if time in task else None)
        remarks = [(remark["entry"], remark["description"]) for remark in fields.get("annotations", [])]
        kept = [(rfc3339(remark["entry"]), remark["description"]) for remark in task.get("annotations", [])]
        assert sorted(remarks) == sorted(kept)
        unknown = set(task) - {"id", "uuid", "urgency", "description", "annotations", "modified"}
        assert unknown <= set(fields)


def test_importing_again_changes_nothing(server, laptop, export_file):
    laptop.run("import", "taskwarrior", export_file)
    before = laptop.export()
    laptop.run("import", "taskwarrior", export_file)
    assert laptop.export() == before
    laptop.sync()
    synced = laptop.export()
    laptop.run("import", "taskwarrior", export_file)
    assert laptop.export() == synced
    assert json.loads(laptop.run("status", "--json").out)["unsent"] == 0


def test_importing_again_reverts_no_edit_and_no_deletion(server, laptop, export_file):
    first, second, third = (task["uuid"] for task in taskwarrior.export(3))
    laptop.run("import", "taskwarrior", export_file)
    laptop.sync()
    laptop.run("edit", first, "--title", "My own words")
    laptop.run("edit", second, "+mine", "due:2031-01-01")
    laptop.run("rm", third)
    before = laptop.export()
    laptop.run("import", "taskwarrior", export_file)
    assert laptop.export() == before
    laptop.sync()
    laptop.run("import", "taskwarrior", export_file)
    assert laptop.fields(first)["title"] == "My own words"
    assert "mine" in laptop.fields(second)["tags"]
    assert third not in [record["id"] for record in laptop.records()]


def test_what_was_deleted_before_the_first_sync_stays_deleted_on_every_device(server, make_device, export_file):
    third = taskwarrior.export(3)[2]["uuid"]
    laptop = make_device()
    laptop.run("import", "taskwarrior", export_file)
    laptop.run("rm", third)
    before = laptop.export()
    laptop.run("import", "taskwarrior", export_file)
    assert laptop.export() == before
    laptop.register(server).sync()
    laptop.run("import", "taskwarrior", export_file)
    desktop = make_device().log_in(server)
    desktop.sync()
    assert laptop.export() == desktop.export()
    assert third not in [record["id"] for record in desktop.records()]


def test_importing_on_two_devices_creates_no_second_copy_and_no_conflict(server, laptop, desktop, export_file):
    for device in [laptop, desktop]:
        device.run("import", "taskwarrior", export_file)
        device.sync()
    laptop.sync()
    assert len(laptop.records("tasks")) == 3_000
    assert laptop.records("conflicts") == []
    assert laptop.export() == desktop.export()


def test_a_later_export_adds_what_is_new(laptop):
    tasks = taskwarrior.export(10)
    laptop.run("import", "taskwarrior", laptop.write("first.json", taskwarrior.text(tasks[:6])))
    laptop.run("import", "taskwarrior", laptop.write("later.json", taskwarrior.text(tasks)))
    assert len(laptop.records("tasks")) == 10


@pytest.mark.parametrize("text, word", [
    ("", "empty"), ("[", "JSON"), ("{}", "uuid"), ("[1]", ""), ('[{"description": "no uuid"}]', "uuid"),
    ('[{"uuid": "not/one", "description": "x"}]', "uuid"), ('[{"uuid": "3a1461f5-33fe-c6f3-8e22-1d93b5ba290f"}]', "description"),
], ids=range(7))
def test_an_invalid_export_is_reported_and_nothing_is_imported(device, text, word):
    path = device.write("tasks.json", text)
    result = device.try_("import", "taskwarrior", path)
    assert result.code != 0 and word in result.err, str(result)
    assert device.records() == []


def test_a_missing_file_is_reported_by_its_name(device):
    result = device.try_("import", "taskwarrior", "missing.json")
    assert result.code != 0 and "missing.json" in result.err


def test_an_export_is_one_json_object_with_sorted_records(device, export_file):
    device.run("import", "taskwarrior", export_file)
    export = json.loads(device.export())
    assert set(export) == {"format", "version", "records"}
    keys = [(record["collection"], record["id"]) for record in export["records"]]
    assert keys == sorted(keys)
    assert all({"collection", "id", "version", "fields"} <= set(record) for record in export["records"])
    # RFC 8785: no spaces, names sorted, so that it is equal byte for byte.
    canonical = json.dumps(export, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    assert device.export().strip() == canonical
