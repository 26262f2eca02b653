"""Lists on the page: groups, saved filters, searches, and the progress of long work."""

import json
import re
import uuid

import pytest

from harness import wait_until
from harness.web import Web

# So many that an import takes seconds.
MANY = 12_000


@pytest.fixture
def web(device, page):
    """The page of a device, in a signed-in browser."""
    web = Web(device)
    page.enter(web.link)
    return web


def test_a_list_is_grouped_by_due_date(device, web, page):
    device.run("add", "Late", "due:yesterday")
    device.run("add", "Now", "due:today", "repeat:weekly")
    device.run("note", "Thought")
    page.open(web.origin + "/list?filter=task+or+note").shows("Thought")
    headings = [heading.text.split() for heading in page.all("main section.group > h2")]
    assert headings == [["Overdue", "1"], ["Today", "1"], ["Notes", "1"]]
    [chip] = page.all(".chip.plain")
    assert chip.get_property("textContent") == "↻ repeats weekly"


def test_a_filter_gets_a_name_and_is_linked_on_every_page(device, web, page):
    device.run("add", "Buy milk", "+shop")
    device.run("add", "Mend the gate")
    other = page.sibling().open(web.origin + "/list")
    page.open(web.origin + "/list?filter=%2Bshop").send("save", Name="errands")
    # In the other tab, which was open before.
    other.follow("@errands").shows("Buy milk").lacks("Mend the gate")
    assert device.run("list", "@errands").out.count("Buy milk") == 1
    page.follow("Saved filters…")
    with page.leaving():
        page.press("Forget errands")
    page.shows("No saved filters")
    assert device.try_("list", "@errands").code != 0


def test_matches_of_a_search_are_marked(device, web, page):
    device.run("add", "Call the plumber", "--body-file", "-", stdin="It is the plumber next door.")
    page.fill("Filter or search", "plumb").press("Search")
    page.until(lambda: len(page.all("mark")) == 2, "both are marked")
    assert [mark.text for mark in page.all("mark")] == ["plumber", "plumber"]


@pytest.mark.parametrize("are_scripts_on", [True, False])
def test_a_record_is_edited_as_a_text(device, web, page, are_scripts_on):
    id = device.add("Buy milk", "+shop")
    if not are_scripts_on:
        page.without_scripts()
    page.open(f"{web.origin}/detail?record={id}")
    with page.leaving():
        page.press("Edit as text")
    area = page.field("The record as text")
    text = area.get_property("value")
    assert "title: Buy milk" in text
    text = text.replace("title: Buy milk", "title: Buy oat milk")
    page.fill("The record as text", re.sub("(?m)^due:.*$", "due: whenever", text))
    with page.leaving():
        page.press("Save", inside="#form-edit-text")
    # It is invalid: it is still there, and the error is reported.
    page.until(lambda: any("whenever" in alert.text for alert in page.all("[role=alert]")), "the failure is reported")
    text = page.field("The record as text").get_property("value")
    assert "title: Buy oat milk" in text and device.fields(id)["title"] == "Buy milk"
    page.fill("The record as text", text.replace("due: whenever", "due: 2026-12-24"))
    with page.leaving():
        page.press("Save", inside="#form-edit-text")
    fields = wait_until(lambda: device.fields(id), "it is there")
    assert (fields["title"], fields["due"][:10], fields["tags"]) == ("Buy oat milk", "2026-12-24", ["shop"])


def test_saving_without_a_change_is_reported(device, web, page):
    id = device.add("Buy milk")
    page.open(f"{web.origin}/detail?record={id}").send("edit").shows("Nothing was changed.")
    assert not any(alert.text for alert in page.all("[role=alert]"))


def test_a_long_import_shows_its_progress(device, web, page):
    page.open(web.origin + "/transfer")
    page.script(
        "window.bars = []; new MutationObserver(() => {"
        " const bar = document.getElementById('progress-bar');"
        " if (bar) bars.push([bar.labels[0].textContent, bar.position]);"
        "}).observe(document.body, {childList: true, subtree: true, attributes: true, characterData: true});")
    tasks = [
        {"uuid": str(uuid.uuid4()), "description": f"Task {n}", "status": "pending", "entry": "20260101T120000Z"}
        for n in range(MANY)
    ]
    # Like the form, but without leaving the page.
    page.script(
        "const form = new FormData(document.getElementById('form-import'));"
        "form.set('format', 'taskwarrior');"
        "form.set('file', arguments[0]);"
        "fetch('/transfer/import', {method: 'POST', body: new URLSearchParams(form)});", json.dumps(tasks))
    page.until(lambda: page.script("return window.bars.length") and not page.all("#progress"), "it was shown")
    # While the file is read the total is unknown.
    bars = [bar for bar in page.script("return window.bars") if bar[1] >= 0]
    assert bars and all(re.fullmatch(rf"Importing: \d+ of {MANY}", label) for label, _ in bars), bars
    positions = [position for _, position in bars]
    assert positions == sorted(positions) and positions[-1] <= 1
    assert len(device.records()) == MANY
