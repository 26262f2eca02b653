"""A user's actions on the page, from the first visit to a resolved conflict; the results are read elsewhere."""

import pytest

from harness import wait_until
from harness.device import PASSWORD, meet
from harness.web import Web

LINES = "".join(f"line {number} of a long text\n" for number in range(10_000))


@pytest.fixture
def web(device, page):
    """The page of a device, in a signed-in browser."""
    web = Web(device)
    page.enter(web.link)
    return web


# An account


def test_an_account_is_created_and_existing_records_are_synced(server, device, page):
    device.run("add", "From before")
    web = Web(device)
    page.enter(web.link).open(web.origin + "/login")
    page.send("register", Name="ada", Password=PASSWORD, Server=server.url)
    page.shows("ada")
    assert PASSWORD not in page.driver.page_source
    page.open(web.origin + "/sync").send("sync")
    assert [record["fields"]["title"] for record in server.api.log_in(password=PASSWORD).records()] == ["From before"]


def test_signing_in_receives_the_records_of_the_server(server, laptop, web, page):
    laptop.run("add", "From the laptop")
    laptop.sync()
    page.open(web.origin + "/login").send("login", Name="ada", Password=PASSWORD, Server=server.url)
    page.open(web.origin + "/sync").send("sync")
    page.open(web.origin + "/list").shows("From the laptop")


def test_a_wrong_password_is_reported_and_typed_again(server, laptop, web, page):
    page.open(web.origin + "/login").send("login", Name="ada", Password="something else", Server=server.url)
    page.until(lambda: any(alert.text for alert in page.all("[role=alert]")), "the failure is reported")
    assert page.field("Name", inside="#form-login").get_property("value") == "ada"
    assert page.field("Password", inside="#form-login").get_property("value") == ""
    assert "something else" not in page.driver.page_source
    again = {"Name": "ada", "Password": PASSWORD, "Server": server.url}
    # The server requires a second between tries.
    page.until(lambda: "No account" not in page.send("login", **again).text, "the right one is accepted")


def test_signing_out_is_shown_in_the_head(server, laptop, page):
    web = Web(laptop)
    page.enter(web.link).shows("ada").open(web.origin + "/session").send("logout")
    page.shows("ada, signed out")
    assert laptop.try_("sync").code == 4


# Tasks


def test_a_task_is_added_with_its_fields(web, page, device):
    page.send("add", Add_a_task='Call the plumber +house +phone due:"2026-12-01 15:00" priority:H project:house')
    page.shows("Call the plumber")
    fields = device.record("Call the plumber")["fields"]
    assert (fields["tags"], fields["due"], fields["priority"], fields["project"]) == (
        ["house", "phone"], "2026-12-01T15:00:00Z", "H", "house")


def test_a_task_is_edited(device, web, page):
    id = device.add("Buy milk", "+shop")
    page.reload().follow("Buy milk")
    page.send("edit", Title="Buy oat milk")
    page.shows("Buy oat milk")
    assert device.fields(id)["title"] == "Buy oat milk" and device.fields(id)["tags"] == ["shop"]


def test_an_unchanged_form_is_reported(device, web, page):
    id = device.add("Buy milk", "+shop")
    page.reload().follow("Buy milk")
    page.send("edit")
    page.shows("Nothing was changed")
    assert "editor" not in page.text and device.fields(id)["title"] == "Buy milk"


def test_a_task_is_done_and_undone(device, web, page):
    id = device.add("Buy milk")
    page.reload().press("Done: Buy milk")
    wait_until(lambda: device.fields(id)["status"] == "completed", "it is done")
    page.open(web.origin + "/list?filter=all").press("Reopen: Buy milk")
    wait_until(lambda: device.fields(id)["status"] == "pending", "it is reopened")


def test_tags_are_added_and_removed(device, web, page):
    id = device.add("Buy milk", "+shop", "+soon")
    page.reload().send("tag", Words=f"{id} +dairy -soon")
    wait_until(lambda: sorted(device.fields(id)["tags"]) == ["dairy", "shop"], "the tags are changed")


def test_deleting_asks_first_and_can_be_undone(device, web, page):
    device.run("add", "Buy milk")
    page.reload().unfold("More for Buy milk").unfold("Delete…", inside=".menu")
    assert device.titles() == ["Buy milk"] and "can be undone" in page.text
    with page.leaving():
        page.press("Delete: Buy milk")
    assert device.titles() == []
    with page.leaving():
        page.press("Undo", inside="#status")
    page.shows("Buy milk")
    assert device.titles() == ["Buy milk"]


def test_a_task_that_was_deleted_meanwhile_is_reported(device, web, page):
    id = device.add("Buy milk")
    # A script would show at once that it is deleted.
    page.without_scripts().until(lambda: "Buy milk" in page.reload().text, "it is listed")
    page.follow("Buy milk")
    device.run("rm", id)
    page.send("edit", Title="Buy oat milk")
    page.until(lambda: any(alert.text for alert in page.all("[role=alert]")), "the failure is reported")
    assert device.titles() == []


def test_a_filter_is_kept_in_the_address(device, web, page):
    device.run("add", "Buy milk", "+shop")
    device.run("add", "Mend the gate", "+garden")
    page.reload().shows("Mend the gate").fill("Filter or search", "+shop").press("Filter")
    page.shows("Buy milk").lacks("Mend the gate")
    page.reload().shows("Buy milk")
    assert "Mend the gate" not in page.text and "filter=" in page.url


def test_an_error_in_a_line_is_reported_and_no_input_is_lost(web, page, device):
    page.send("add", Add_a_task="Buy bread due:whenever")
    assert page.field("Add a task", inside="#form-add").get_property("value") == "Buy bread due:whenever"
    assert device.titles() == []
    page.send("add", Add_a_task="Buy bread due:2026-12-24")
    assert device.titles() == ["Buy bread"]


def test_a_reload_after_a_form_repeats_nothing(web, page, device):
    page.send("add", Add_a_task="Once").shows("Once")
    page.reload().shows("Once")
    assert device.titles() == ["Once"]


# Texts


@pytest.mark.parametrize("body", [
    "one\ntwo\n\n  three\tand a tab", "عربي مع English داخل النص", "🎈👩‍👩‍👧 e\u0301 日本語", "\n\nbegins with empty lines",
    "<textarea></textarea>&amp;&lt;", LINES,
], ids=["lines", "arabic", "emoji", "empty", "markup", "10,000 lines"])
def test_a_typed_text_is_returned_unchanged(web, page, device, body):
    page.send("add-note", Title="A text", Body=body)
    assert device.record("A text")["fields"]["body"].removesuffix("\n") == body.removesuffix("\n")
    page.open(web.origin + "/list?filter=note").follow("A text")
    page.send("edit", Title="A text, renamed")
    assert device.record("A text, renamed")["fields"]["body"].removesuffix("\n") == body.removesuffix("\n")


# Conflicts


@pytest.fixture
def conflict(laptop, desktop):
    """A conflict about a title, which the laptop sees; the desktop's edit is the later one."""
    laptop.run("add", "Buy milk")
    meet(laptop, desktop)
    id = laptop.record("Buy milk")["id"]
    laptop.run("edit", id, "--title", "Buy oat milk")
    desktop.run("edit", id, "--title", "Buy rice milk")
    meet(laptop, desktop)
    return id


@pytest.mark.parametrize("button, title", [("Mine", "Buy oat milk"), ("Theirs", "Buy rice milk")])
def test_a_conflict_is_resolved(laptop, desktop, conflict, page, button, title):
    page.enter(Web(laptop).link).shows("1 conflict").follow("1 conflict")
    page.shows("Buy oat milk", "Buy rice milk")
    with page.leaving():
        page.press(button)
    page.lacks("1 conflict")
    meet(laptop, desktop)
    assert desktop.fields(conflict)["title"] == title
    assert [record for record in desktop.records("conflicts") if "settled" not in record["fields"]] == []


def test_a_conflict_is_resolved_with_an_edited_text(laptop, desktop, conflict, page):
    page.enter(Web(laptop).link).follow("1 conflict")
    with page.leaving():
        page.press("Edit…")
    page.fill("The text to keep", "Buy oat and rice milk")
    with page.leaving():
        page.press("Keep this text")
    page.lacks("1 conflict")
    meet(laptop, desktop)
    assert desktop.fields(conflict)["title"] == "Buy oat and rice milk"
