"""The edits that were reported as done, and whether they are still there: recorded without the product's code."""

from collections import Counter
from dataclasses import dataclass, field

# In these fields an edit adds one element, and those of other edits are kept.
ELEMENTS = {
    "tags": lambda fields: fields.get("tags", []),
    "annotations": lambda fields: [remark["description"] for remark in fields.get("annotations", [])],
    "body": lambda fields: fields.get("body", "").splitlines(),
}
# In these an edit replaces the value.
VALUES = ("title", "project")
ADDED, REMOVED = "added", "removed"


@dataclass
class Edit:
    """One edit; its value occurs in no other. For a whole record that was added or removed, it is the title."""

    field: str
    value: str
    record: str = ""
    # The value that it replaced on its device.
    before: str = ""
    # The command succeeded.
    done: bool = False
    # A sync that began later on the same device succeeded.
    sent: bool = False


@dataclass
class Book:
    """All edits of all devices, in any order. A list of records is that of an export or of the server."""

    edits: list = field(default_factory=list)

    def faults(self, records, edits):
        """The faults of these records, in words: what is lost of `edits`, what is doubled, and false conflicts."""
        live = {record["id"]: record["fields"] for record in records if record["collection"] == "tasks"}
        conflicts = [record["fields"] for record in records if record["collection"] == "conflicts"]
        titles = Counter(fields["title"] for fields in live.values())
        found = [f"lost: {edit}" for edit in edits if edit.done and not self._is_present(edit, live, titles, conflicts)]
        found += [f"doubled: {title}" for title, count in titles.items() if count > 1]
        for id, fields in live.items():
            for name, elements in ELEMENTS.items():
                counts = Counter(element for element in elements(fields) if element.startswith("by "))
                found += [f"doubled in {name} of {id}: {element}" for element, count in counts.items() if count > 1]
        return found + [f"no conflict: {conflict}" for conflict in conflicts if not self._is_real(conflict)]

    def _is_present(self, edit, live, titles, conflicts):
        if edit.field == ADDED:
            return titles[edit.value] > 0 or self._was_removed(edit.value)
        if edit.field == REMOVED:
            return titles[edit.value] == 0
        fields = live.get(edit.record, {})
        if edit.field in ELEMENTS:
            return edit.value in ELEMENTS[edit.field](fields)
        present = {fields.get(edit.field)}
        for conflict in conflicts:
            if (conflict["record"], conflict["field"]) == (edit.record, edit.field):
                present |= {conflict["earlier"].get("value"), conflict["later"].get("value")}
        return bool(present & self._heirs(edit))

    def _was_removed(self, title):
        """An interrupted removal may have happened."""
        return any(edit.field == REMOVED and edit.value == title for edit in self.edits)

    def _heirs(self, edit):
        """The edit's value, and those that replaced it or one of its heirs on a device that had seen them."""
        heirs, fresh = set(), [edit.value]
        while fresh:
            value = fresh.pop()
            heirs.add(value)
            fresh += [next.value for next in self.edits
                      if next.before == value and (next.record, next.field) == (edit.record, edit.field)]
        return heirs

    def _is_real(self, conflict):
        """Whether neither side of a conflict had seen the other."""
        earlier, later = conflict["earlier"].get("value"), conflict["later"].get("value")
        if conflict["field"] == "body":
            sides = [{line for line in side.splitlines() if line.startswith("by ")} for side in (earlier, later)]
            return not (sides[0] <= sides[1] or sides[1] <= sides[0])
        if conflict["field"] not in VALUES:
            return False
        edits = {edit.value: edit for edit in self.edits
                 if (edit.record, edit.field) == (conflict["record"], conflict["field"])}
        if earlier not in edits or later not in edits:
            return False
        return later not in self._heirs(edits[earlier]) and earlier not in self._heirs(edits[later])
