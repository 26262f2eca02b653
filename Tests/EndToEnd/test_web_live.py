"""The page shows changes of others at once: the prompt of the same process, other processes, other devices."""

import re
import threading
from types import SimpleNamespace

import pytest

from harness import wait_until
from harness.screen import ENTER, Screen
from harness.web import LINK, Web

AUTOMATIC = {"SATCHEL_SYNC": "auto"}


@pytest.fixture
def open_prompt():
    """Starts prompts on separate terminals, and requests the page's link, which `web` prints."""
    screens = []

    def open_(device, **environment):
        screen = Screen(device, columns=160, rows=40, **environment).at_prompt()
        screens.append(screen)
        screen.type("web --port 0", ENTER)
        screen.until(lambda: LINK.search("\n".join(screen.lines())) and screen.is_at_prompt(), "the link is shown")
        return screen, LINK.search("\n".join(screen.lines())).group()

    yield open_
    for screen in screens:
        screen.close()


# The prompt of the same process


def test_changes_at_the_prompt_appear_in_the_page(open_prompt, device, page):
    id = device.add("Was there before")
    prompt, link = open_prompt(device)
    page.enter(link).shows("Was there before")
    marked(page)
    prompt.say("add From the prompt")
    page.shows("From the prompt")
    prompt.say("list").say(f"done {id}")
    page.find("button", "Reopen: Was there before")
    assert is_marked(page), "the page was reloaded"


def test_changes_on_the_page_appear_at_the_prompt(open_prompt, device, page):
    prompt, link = open_prompt(device)
    prompt.say("list")
    page.enter(link).send("add", Add_a_task="From the page")
    prompt.shows("From the page")
    prompt.type("qu").until(lambda: prompt.line() == "qu", "the line can be continued")


def test_the_page_of_a_prompt_ends_with_web_off_and_the_prompt_continues(open_prompt, device, page, complaints):
    prompt, link = open_prompt(device)
    page.enter(link).shows("No open tasks")
    complaints.append("ERR_|Failed to load|reset|refused")
    prompt.say("web off")
    page.until(lambda: "session has ended" in page.text or "No connection" in page.text, "the page says so")
    prompt.say("add Still here")
    assert device.titles() == ["Still here"]


# Other processes, other devices


def test_changes_of_another_process_of_the_home_appear(device, page):
    page.enter(Web(device).link)
    marked(page)
    device.run("add", "From a command")
    page.shows("From a command")
    device.run("edit", device.record("From a command")["id"], "--title", "Reworded")
    page.shows("Reworded").lacks("From a command")
    assert is_marked(page)


def test_changes_of_another_device_appear(make_device, server, page):
    desk = make_device(**AUTOMATIC).register(server)
    couch = make_device(**AUTOMATIC).log_in(server)
    page.enter(Web(desk).link)
    marked(page)
    couch.run("add", "From the couch")
    page.shows("From the couch")
    assert is_marked(page)


def test_two_pages_of_one_browser_show_the_same(device, page):
    page.enter(Web(device).link)
    other = page.sibling()
    other.open(re.match(r"http://[^/]+", page.url).group() + "/list")
    other.send("add", Add_a_task="Seen twice")
    page.shows("Seen twice")


# Input in progress


def test_a_half_typed_form_survives_a_change_and_keeps_the_focus(device, page):
    device.run("add", "First")
    page.enter(Web(device).link).shows("First")
    page.fill("Add a task", "half a ti", inside="#form-add")
    device.run("add", "Second")
    page.shows("Second")
    page.keys("tle")
    assert page.field("Add a task", inside="#form-add").get_property("value") == "half a title"


def test_an_edit_in_progress_survives_a_change_of_the_record(device, page):
    id = device.add("Buy milk")
    web = Web(device)
    page.enter(web.link).follow("Buy milk")
    page.fill("Title", "Buy oat m", inside="#form-edit")
    device.run("annotate", id, "two litres")
    page.shows("two litres")
    page.keys("ilk")
    assert page.field("Title", inside="#form-edit").get_property("value") == "Buy oat milk"


def test_an_edit_reverts_no_concurrent_change(device, page):
    id = device.add("Buy milk", "+shop")
    page.enter(Web(device).link).follow("Buy milk")
    page.fill("Title", "Buy oat milk", inside="#form-edit")
    device.run("edit", id, "due:2026-12-24")
    page.shows("2026-12-24")
    with page.leaving():
        page.press("Save", inside="#form-edit")
    fields = wait_until(lambda: device.fields(id), "it is there")
    assert (fields["title"], fields["due"][:10], fields["tags"]) == ("Buy oat milk", "2026-12-24", ["shop"])


# Long work


@pytest.fixture
def held(make_device, make_proxy, server):
    """A page whose next sync waits for the server until `release` is called."""
    proxy, device, released = make_proxy(server), make_device(), threading.Event()
    device.run("register", "ada", "--server", proxy.url, "--password-file", device.password_file())
    device.run("add", "Milk")
    for method in ("GET", "POST"):
        proxy.before(method, "/changes", lambda: released.wait(60))
    yield SimpleNamespace(web=Web(device), release=released.set)
    released.set()


def test_a_sync_that_hangs_is_cancelled_on_the_page(held, page):
    page.enter(held.web.link).open(held.web.origin + "/sync")
    page.send("sync").shows("Receiving…")
    with page.leaving():
        page.press("Cancel")
    page.shows("cancelled").lacks("Receiving…")


def test_the_result_of_a_long_sync_appears_in_the_page_that_shows_it(held, page):
    page.enter(held.web.link).open(held.web.origin + "/sync")
    page.send("sync").shows("Receiving…")
    marked(page)
    held.release()
    page.shows("Synced: sent 1").lacks("Receiving…")
    assert is_marked(page)


# The connection


def test_when_the_process_ends_the_page_reports_it_and_reconnects_to_the_next_one(device, page, complaints):
    web = Web(device, "--port", "0")
    page.enter(web.link)
    device.run("add", "Before")
    page.shows("Before")
    complaints.append("ERR_|Failed to load|401|EventSource")
    web.process.kill()
    page.shows("No connection")
    # The same address, a new process: it has no sessions yet.
    again = Web(device, "--port", web.port)
    page.shows("session has ended").lacks("No connection")
    page.enter(again.link).shows("Before")


def marked(page):
    """Sets a mark in the document, which a reload would remove."""
    page.script("window.isTheSameDocument = true")


def is_marked(page):
    return page.script("return window.isTheSameDocument === true")
