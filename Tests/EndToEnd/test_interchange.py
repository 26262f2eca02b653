"""Formats of import and export through real files, folders and pipes, and with the real Taskwarrior."""

import json
import os
import random
import subprocess
from datetime import datetime, timedelta, timezone

import pytest

from harness import program, taskwarrior
from harness.environment import PATIENCE


def fields(device, collection="tasks"):
    """The fields of all records by id, without those of imports."""
    return {
        record["id"]: {name: value for name, value in record["fields"].items() if name != "taskwarrior"}
        for record in device.records(collection)}


def normal(fields):
    """Fields with their sets in order."""
    return {id: {name: sorted(value, key=json.dumps) if name in ("tags", "annotations") else value
                 for name, value in each.items()} for id, each in fields.items()}


@pytest.fixture
def filled(device):
    """A device with tasks and notes of all kinds."""
    device.run("add", 'Buy "milk", or not', "+shop", "priority:H", "project:home", "due:2031-01-05")
    device.run("add", "=1+1", "+a", "+b")
    device.run("add", "Grüße 🚲", "field.estimate:3")
    device.run("done", device.add("Done already"))
    device.run("annotate", device.add("With a remark"), "so, it\tis")
    device.run("note", "Garden/plan", "+garden", "--body-file", device.write("body.txt", "one\r\n\n---\n\ttwo\n"))
    device.run("note", "Garden-plan")
    return device


def test_everything_survives_a_round_trip_through_a_file_and_a_pipe(filled, make_device):
    by_file, by_pipe = make_device(), make_device()
    filled.run("export", "all.csv")
    by_file.run("import", filled.directory / "all.csv")
    by_pipe.run("import", "-", stdin=filled.run("export", "satchel", "-").out)
    for collection in ["tasks", "notes"]:
        before = normal(fields(filled, collection))
        assert normal(fields(by_file, collection)) == before
        assert normal(fields(by_pipe, collection)) == before


def test_notes_survive_a_round_trip_through_a_folder_and_tasks_are_reported_as_omitted(filled, make_device):
    result = filled.run("export", "markdown", "notes")
    assert "5 tasks can't be stored in Markdown" in result.err
    folder = filled.directory / "notes"
    assert len(list(folder.iterdir())) == 2 and all(path.suffix == ".md" for path in folder.iterdir())
    other = make_device()
    other.run("import", "markdown", folder)
    assert fields(other, "notes") == fields(filled, "notes")
    assert "0 new, 0 changed" in other.run("import", "markdown", folder).err


def test_a_note_that_was_edited_in_its_file_is_updated(filled):
    filled.run("export", "markdown", "notes")
    [path] = [path for path in (filled.directory / "notes").iterdir() if b"two" in path.read_bytes()]
    path.write_bytes(path.read_bytes().replace(b"two", b"three"))
    assert "0 new, 1 changed, 1 unchanged" in filled.run("import", "markdown", "notes").err
    assert "\tthree\n" in [note.get("body") for note in fields(filled, "notes").values() if note.get("body")][0]


def test_an_existing_file_is_replaced_only_on_request(filled):
    path = filled.write("all.csv", "mine")
    result = filled.try_("export", path)
    assert result.code == 6 and "--force" in result.err and path.read_text() == "mine"
    filled.run("export", path, "--force")
    assert path.read_text().startswith("collection,id,title")
    filled.run("export", path)
    assert not list(filled.directory.glob("*.part"))


def test_a_backup_with_a_byte_order_mark_is_imported(filled, make_device):
    text = filled.run("export", "satchel").out
    other = make_device()
    other.run("import", other.write("backup.json", "\ufeff" + text))
    assert fields(other) == fields(filled)


@pytest.mark.parametrize("words", [
    ("export", "satchel", "{home}/satchel.db", "--force"),
    ("export", "csv", "{home}/session.json"),
    ("export", "todotxt", "{home}/satchel.db-wal", "--force"),
    ("export", "markdown", "{home}/drafts"),
    ("export", "taskwarrior", "{hard}", "--force"),
    ("export", "satchel", "{folder}/hooks", "--force"),
], ids=lambda words: " ".join(words))
def test_an_export_never_replaces_a_file_of_the_home(filled, words):
    before = fields(filled)
    hard, folder = filled.directory / "hard", filled.directory / "folder"
    hard.hardlink_to(filled.home / "satchel.db")
    folder.symlink_to(filled.home)
    names = sorted(path.name for path in filled.home.iterdir())
    result = filled.try_(*(word.format(home=filled.home, hard=hard, folder=folder) for word in words))
    assert result.code == 6 and "own files" in result.err and "Name another file" in result.err, str(result)
    assert sorted(path.name for path in filled.home.iterdir()) == names
    assert fields(filled) == before


def test_a_view_appends_to_no_file_of_the_home(filled):
    before = fields(filled)
    result = filled.try_(stdin=f"view json {filled.home}/satchel.db\n")
    assert "own files" in result.err, str(result)
    assert fields(filled) == before


def test_nothing_is_read_or_written_through_a_symbolic_link(filled):
    outside = filled.write("outside.md", "secret")
    folder = filled.directory / "notes"
    folder.mkdir()
    (folder / "link.md").symlink_to(outside)
    assert "symbolic link" in filled.try_("import", "markdown", folder).err
    (folder / "link.md").unlink()
    for path in ["Garden-plan.md", "Garden-plan %s.md"]:
        for id in fields(filled, "notes"):
            (folder / (path.replace("%s", id[:8]))).unlink(missing_ok=True)
            (folder / (path.replace("%s", id[:8]))).symlink_to(outside)
    assert filled.try_("export", "markdown", folder, "--force").code == 6
    assert outside.read_text() == "secret"


# The real program

@pytest.fixture
def task(tmp_path):
    """Runs Taskwarrior on separate data."""
    path = program("task")
    home = tmp_path / "taskwarrior"
    home.mkdir()
    (home / "taskrc").write_text(f"data.location={home}\nconfirmation=off\ngc=off\njson.array=on\nverbose=nothing\n")

    def run(*words, stdin=b"", data=home):
        environment = {**os.environ, "TASKRC": str(home / "taskrc"), "TASKDATA": str(data), "TZ": "UTC", "LANG": "C.UTF-8"}
        done = subprocess.run(
            [path, *words], input=stdin, capture_output=True, env=environment, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    return run


COMPUTED = {"id", "urgency", "modified", "satchel"}


def comparable(tasks):
    """Tasks as Taskwarrior exports them, by uuid, without computed attributes."""
    made = {}
    for each in tasks:
        kept = {name: value for name, value in each.items() if name not in COMPUTED}
        for name in ("tags", "annotations"):
            if name in kept:
                kept[name] = sorted(kept[name], key=json.dumps)
        made[each["uuid"]] = kept
    return made


def test_taskwarrior_imports_an_export_and_exports_it_unchanged(device, task):
    device.run("add", "Buy milk / oats \\ \"x\"", "+shop", "+next", "priority:H", "project:home.garden", "due:2031-01-05")
    device.run("add", "Grüße 🚲", "wait:2031-01-01", "scheduled:2030-12-01")
    device.run("add", "Two lines", "body:and another")
    device.run("done", device.add("Done already"))
    device.run("annotate", device.add("With a remark"), "so it is")
    before = normal(fields(device))
    exported = device.run("export", "taskwarrior").out
    task("import", "-", stdin=exported.encode())
    returned = task("export")
    ours, theirs = comparable(json.loads(exported)), comparable(json.loads(returned))
    assert {id: each for id, each in theirs.items() if id in ours} == {
        # The program derives the state of a waiting task from its date.
        id: {**each, "status": theirs[id]["status"]} for id, each in ours.items()}
    result = device.run("import", "taskwarrior", device.write("back.json", returned))
    assert "0 new" in result.err
    after = normal(fields(device))
    for id, each in before.items():
        assert {name: after[id][name] for name in each if name != "status"} == {
            name: value for name, value in each.items() if name != "status"}


def test_an_edit_made_in_taskwarrior_is_imported(device, task):
    id = device.add("Buy milk", "+shop")
    task("import", "-", stdin=device.run("export", "taskwarrior").out.encode())
    task(id, "modify", "Buy", "oat", "milk", "+vegan")
    device.run("import", "taskwarrior", device.write("back.json", task("export")))
    assert device.fields(id)["title"] == "Buy oat milk"
    assert sorted(device.fields(id)["tags"]) == ["shop", "vegan"]


def test_3000_real_tasks_of_taskwarrior_are_exported_unchanged(device):
    if not taskwarrior.REAL.exists():
        pytest.skip("no export of the real program next to this checkout")
    device.run("import", "taskwarrior", taskwarrior.REAL)
    exported = device.run("export", "taskwarrior")
    assert exported.err == ""
    def whole(tasks):
        return {each["uuid"]: {name: value for name, value in each.items() if name not in ("id", "urgency")} for each in tasks}
    assert whole(json.loads(exported.out)) == whole(json.loads(taskwarrior.REAL.read_bytes()))


# One of each attribute, with user-defined ones of each type.
USER_DEFINED = [
    "uda.estimate.type=numeric", "uda.client.type=string", "uda.review.type=date", "uda.effort.type=duration",
    "uda.size.type=string", "uda.size.values=L,M,S"]
ATTRIBUTES = [
    ["Waiting", "wait:2031-01-05", "project:home.garden", "+shop", "+next", "priority:H"],
    ["Scheduled", "scheduled:2031-01-05T14:30", "due:2031-02-01"],
    ["Ends", "until:2031-03-01"],
    ["Weekly", "due:yesterday", "recur:weekly", "until:2037-06-01", "+r"],
    # Its next date is a shorter month's last day.
    ["Monthly", "due:2026-01-31", "recur:monthly"],
    ["Hourly", "due:tomorrow", "recur:5h"],
    ["Weekdays", "due:tomorrow", "recur:weekdays"],
    ["Yearly", "due:2037-01-01", "recur:yearly", "wait:due-3d"],
    ["Own", "estimate:2.5", "client:Ada", "review:2031-01-01T10:00", "effort:PT90M", "size:M"],
    ["Blocked", "depends:1,2"],
    ["Grüße 🚲 \"x\" \\ y"]]


def test_each_attribute_returns_from_taskwarrior_to_taskwarrior(device, task, tmp_path):
    for line in USER_DEFINED:
        task("config", *line.split("="))
    for words in ATTRIBUTES:
        task("add", *words)
    for title, command in [
            ("Blocked", ["start"]), ("Grüße", ["annotate", "so it is"]), ("Grüße", ["annotate", "and 2"])]:
        task("/" + title + "/", *command)
    task("log", "Finished")
    task("add", "Gone")
    task("/Gone/", "delete")
    # The list makes the instances of the series.
    task("list")
    before = json.loads(task("export"))
    assert {"recurring", "pending", "completed", "deleted"} <= {each["status"] for each in before}
    assert any("parent" in each for each in before)
    answer = device.run("import", "taskwarrior", device.write("tasks.json", json.dumps(before)))
    # The template and its instances that are open.
    hourly = [each for each in before if each["description"] == "Hourly"]
    assert f"{len(hourly) + 1} values have no effect here; they are kept for the next export" in answer.err
    assert "“Hourly” (recur)" in answer.err and "“Ends” (until)" in answer.err
    written = device.run("export", "taskwarrior")
    assert written.err == ""
    data = tmp_path / "returned"
    data.mkdir()
    task("import", "-", stdin=written.out.encode(), data=data)
    after = json.loads(task("export", data=data))

    def whole(tasks):
        return {each["uuid"]: {name: each[name] for name in each if name not in ("id", "urgency")} for each in tasks}

    assert whole(after) == whole(before)


def linked(tasks):
    """Tasks with the attributes on which urgency depends, far from the moments at which their values change."""
    source = random.Random(5)
    now = datetime.now(timezone.utc)
    made = []

    def moment(days):
        return taskwarrior.stamp(now + timedelta(days=days, hours=6))

    for number, each in enumerate(tasks):
        each = {name: value for name, value in each.items() if name not in ("id", "urgency")}
        each["entry"] = moment(-source.randrange(2, 420))
        each["due"] = moment(source.randrange(-12, 20))
        if number % 4 == 0 and each["status"] == "pending":
            each["start"] = moment(-2)
        if number % 5 == 0:
            each["scheduled"] = moment(source.choice([-3, 3]))
        if number % 6 == 0:
            each["wait"] = moment(source.choice([-3, 3]))
        # Only on later tasks, so that there are no cycles.
        if number % 7 == 0 and number + 1 < len(tasks):
            each["depends"] = sorted({source.choice(tasks[number + 1:])["uuid"] for _ in range(source.randint(1, 3))})
        made.append(each)
    return made


@pytest.mark.parametrize("kind", ["generated", "real"])
def test_urgency_is_that_of_taskwarrior(device, task, kind):
    if kind == "real" and not taskwarrior.REAL.exists():
        pytest.skip("no export of the real program next to this checkout")
    tasks = taskwarrior.export(400) if kind == "generated" else json.loads(taskwarrior.REAL.read_bytes())
    content = taskwarrior.text(linked(tasks))
    task("import", "-", stdin=content)
    device.run("import", "taskwarrior", device.write("tasks.json", content))
    theirs = {each["uuid"]: each["urgency"] for each in json.loads(task("export"))}
    rows = json.loads(device.run("list", "task", "all", "--limit", "10000", "--json").out)["rows"]
    ours = {row["id"]: row["urgency"] for row in rows}
    assert set(ours) == set(theirs)
    # Time passes between the two commands.
    assert {id: (ours[id], theirs[id]) for id in ours if abs(ours[id] - theirs[id]) > 0.005} == {}
