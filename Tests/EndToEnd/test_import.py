"""The main use with real input: 3,000 tasks of Taskwarrior, imported offline, synced, and on a second device."""

import json
import re
import time
from pathlib import Path

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


@pytest.mark.parametrize("tasks_file", ["real"], indirect=True)
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


def test_a_missing_file_is_reported_by_its_name(device):
    result = device.try_("import", "taskwarrior", "missing.json")
    assert result.code != 0 and "missing.json" in result.err


def most_memory(device, file):
    """The maximum memory of an import, in MiB."""
    process, most = device.start("import", "taskwarrior", file), 0
    while process.poll() is None:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
        most = max(most, int(found.group(1)) // 1024 if found else 0)
        time.sleep(0.01)
    assert device.finish(process).code == 0
    assert most > 0, "the memory was never read"
    return most


def test_an_import_needs_little_more_memory_than_its_text(make_device):
    few, many = (make_device() for _ in range(2))
    small = most_memory(few, few.write("few.json", taskwarrior.text(taskwarrior.export(1_000))))
    large = most_memory(many, many.write("many.json", taskwarrior.text(taskwarrior.export(20_000))))
    # The text has 5 MiB, and the parsed tasks would need more than 50.
    assert large - small <= 30, f"{small} MiB, then {large} MiB"
