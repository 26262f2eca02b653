"""The records of the pictures of lists: those of `Tests/SatchelScreens/Lists`."""

import json
from pathlib import Path

from harness import clock

LISTS = Path(__file__).resolve().parents[2] / "SatchelScreens" / "Lists"
# The moment of the lists in the tests.
NOW = clock("@2026-11-22 03:43:00")
ID = "-0000-4000-8000-000000000000"


def fill(device, name):
    """Adds the records of a file, which has one on each line; `ListPicturesTests` describes the parts."""
    rows = [line.split("\t") for line in (LISTS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()]
    tasks = [task(row) for row in rows if row[1] in ("p", "c")]
    device.run("import", "taskwarrior", device.write("tasks.json", json.dumps(tasks)))
    if name != "handmade":
        return
    whole = next(row[0] for row in rows if row[11] == "1/3")
    for row in rows:
        if row[7:8] and row[8] == "r":
            device.run("edit", row[0] + ID, "repeat:weekly")
        if row[9:10] == ["1"]:
            device.run("edit", row[0] + ID, f"partof:{whole + ID}")
        if row[1] == "n":
            device.run("note", row[6], *(f"+{tag}" for tag in row[5].split(",") if tag))


def task(row):
    """A task in Taskwarrior's form."""
    id, status, priority, due, project, tags, title = row[:7]
    made = {
        "uuid": id + ID, "description": title, "status": "pending" if status == "p" else "completed",
        "entry": "20261101T080000Z", "priority": priority, "due": stamp(due), "project": project,
        "tags": [tag for tag in tags.split(",") if tag]}
    return {name: value for name, value in made.items() if value}


def stamp(due):
    """A day, or a time, as Taskwarrior writes it."""
    text = due.replace("-", "").replace(":", "")
    return text if not due or "T" in due else text + "T000000Z"
