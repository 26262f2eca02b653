"""The contents of records stay text: no markup of it is rendered, no script runs, no address leads away."""

import json
import uuid
from urllib.parse import quote

import pytest

from harness import wait_until
from harness.device import meet
from harness.web import Web

SCRIPT = "<script>window.ran = true</script>"
NASTY = [
    SCRIPT,
    "<img src=x onerror=\"window.ran = true\">",
    "\"><svg onload='window.ran = true'>",
    "' autofocus onfocus='window.ran = true",
    "</textarea></title></style>" + SCRIPT,
    "{{csrf}} {{{content}}} {{>form}}",
    "javascript:window.ran=true",
    "&lt;b&gt; &amp; &#60;script&#62;",
]


@pytest.fixture
def opened(page):
    """All pages that show parts of records, one after the other."""
    def open_(device):
        page.enter(Web(device).link)
        addresses = [link.get_attribute("href") for link in page.all("nav a, main a[href^='/detail']")]
        assert len(addresses) > 10
        for address in addresses:
            page.open(address)
            yield address

    return open_


def assert_plain(page):
    """Checks that no element of the page comes from a record, and none of its scripts has run."""
    assert page.script("return window.ran") is None
    assert page.script("return document.querySelectorAll('main img, main svg[onload], main script').length") == 0
    own = page.script(
        "return [...document.querySelectorAll('*')].filter(element =>"
        " [...element.attributes].some(attribute => /^on|^style$/i.test(attribute.name))).length")
    assert own == 0, "an element has a handler or a style of its own"
    leads = page.script("return [...document.querySelectorAll('a')].map(link => link.href)")
    assert all(link.startswith(("http://127.0.0.1", "https://")) for link in leads), leads


def hostile(number, text):
    """A task with this text in every field, as an import or another client may create it."""
    fields = {
        "title": text, "body": text + "\n", "project": text, "tags": [text], "priority": text, "due": text, text: text,
        "status": "pending", "entry": "2026-12-01T09:00:00Z",
        "annotations": [{"entry": "2026-12-01T09:00:00Z", "description": text}],
    }
    return {
        "collection": "tasks", "id": str(uuid.UUID(int=number, version=4)), "deleted": False, "fields": fields,
        "clock": {"*": "019b00000000-0000-0d5f1c6a-7c1e-4f0b-9f53-6a2f4e1b7c90"}, "modifiedAt": "", "modifiedBy": "",
        "version": 0}


def test_markup_in_records_is_shown_as_text_and_runs_nowhere(device, page, opened):
    records = [hostile(number, text) for number, text in enumerate(NASTY)]
    file = device.write("hostile.json", json.dumps({"format": "satchel", "version": 1, "records": records}))
    device.run("import", "satchel", file)
    assert len(device.records()) == len(NASTY)
    shown = {}
    for address in opened(device):
        assert_plain(page)
        shown[address] = page.text
    lists = [text for address, text in shown.items() if address.endswith("/list")]
    details = [text for address, text in shown.items() if "/detail" in address]
    for text in NASTY:
        assert text in lists[0]
        assert any(page_text.count(text) >= 4 for page_text in details), text


def test_markup_in_a_conflict_is_shown_as_text(laptop, desktop, page):
    id = laptop.add("Plain")
    meet(laptop, desktop)
    laptop.run("edit", id, "--title", SCRIPT)
    desktop.run("edit", id, "--title", NASTY[1])
    meet(laptop, desktop)
    page.enter(Web(laptop).link).follow("1 conflict")
    page.shows(SCRIPT, NASTY[1])
    assert_plain(page)


def test_markup_that_arrives_while_the_page_is_open_is_shown_as_text(device, page):
    page.enter(Web(device).link)
    for text in NASTY[:3]:
        device.run("edit", device.add("Plain"), "--title", text)
        page.shows(text)
    assert_plain(page)


def test_a_wrong_input_is_returned_unchanged(device, page):
    page.enter(Web(device).link)
    for text in NASTY[:5]:
        page.send("add", Add_a_task=text + " due:whenever")
        assert page.field("Add a task", inside="#form-add").get_property("value") == text + " due:whenever"
        assert_plain(page)
    assert device.titles() == []


def test_the_words_of_an_address_stay_text(device, page):
    web = Web(device)
    text = '<script>window.ran=true</script>"><img src=x>'
    page.enter(web.link).open(f"{web.origin}/list?filter={quote(text)}")
    assert_plain(page)
    # In a filter, words in quotation marks are a phrase.
    value = page.field("Filter or search").get_property("value")
    assert "<script>window.ran=true</script>" in value and "<img" in value


def test_control_and_reordering_characters_are_shown_as_such(device, page):
    """A title can't reverse the rest of the line, or hide its text."""
    id = device.add("Plain")
    device.run("edit", id, "--title", "invoice\u202etxt.exe\u2066\x07end")
    page.enter(Web(device).link)
    page.shows("end")
    assert not {"\u202e", "\u2066", "\x07"} & set(wait_until(lambda: page.text, "there is a text"))
