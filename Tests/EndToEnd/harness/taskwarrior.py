"""Exports as the real Taskwarrior writes them: the same attributes, forms and frequencies, with invented values."""

import json
import random
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

PROJECTS = ["home", "home.garden", "work.reports", "work.website", "reading"]
TAGS = ["next", "shop", "phone", "urgent", "später", "someday"]
VERBS = ["Buy", "Call", "Fix", "Write", "Read", "Clean", "Plan", "Übersetze"]
THINGS = ["the report", 'the "blue" folder', "milk", "Grandmother's clock", "a path\\with\\backslashes", "عربي", "🚲"]

# An export of the real program, if there is one next to this checkout.
REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "taskwarrior-export.json"


def stamp(moment):
    return moment.strftime("%Y%m%dT%H%M%SZ")


def task(number, random):
    """A task of an export."""
    entry = datetime(2024, 1, 1, tzinfo=timezone.utc) + timedelta(minutes=random.randrange(1_000_000))
    completed = random.random() < 0.35
    made = {
        "id": 0 if completed else number,
        "description": f"{random.choice(VERBS)} {random.choice(THINGS)} (#{number})",
        "entry": stamp(entry), "modified": stamp(entry + timedelta(days=3)),
        "status": "completed" if completed else "pending",
        "uuid": str(uuid.UUID(int=random.getrandbits(128), version=4)),
        "urgency": round(random.uniform(0, 12), 2),
    }
    if completed:
        made["end"] = stamp(entry + timedelta(days=2))
    if random.random() < 0.33:
        made["project"] = random.choice(PROJECTS)
    if random.random() < 0.53:
        made["tags"] = random.sample(TAGS, random.randint(1, 3))
    if random.random() < 0.24:
        made["due"] = stamp(entry + timedelta(days=60))
    if random.random() < 0.2:
        made["priority"] = random.choice("HML")
    if random.random() < 0.27:
        made["annotations"] = [
            {"entry": stamp(entry + timedelta(seconds=second)), "description": f"remark {second} on {number}"}
            for second in range(random.randint(1, 3))]
    if random.random() < 0.05:
        made["estimate"] = "PT2H"
    return made


def export(count, seed=1):
    """The tasks of an export, the same for the same seed."""
    source = random.Random(seed)
    return [task(number, source) for number in range(1, count + 1)]


def text(tasks):
    """The export's bytes: one task per line, slashes escaped, as Taskwarrior writes it."""
    lines = [json.dumps(task, ensure_ascii=False, separators=(",", ":")).replace("/", "\\/") for task in tasks]
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode()
