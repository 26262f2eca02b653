"""Several records are selected on the page and changed at once, with and without scripts."""

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from harness import wait_until
from harness.accessibility import tab_stops, violations
from harness.web import Web


@pytest.fixture
def web(device):
    """The page of a device with three tasks."""
    for day, title in enumerate(("Bread", "Milk", "Rent"), 1):
        device.run("add", title, f"due:2099-01-0{day}")
    return Web(device)


def select(page, *titles):
    for title in titles:
        page.press(f"Select: {title}", role="checkbox")


def apply(page, effect, words=None):
    """Sends the form of the selected records."""
    Select(page.find("combobox", "Action")).select_by_visible_text(effect)
    if words is not None:
        page.fill("Changes or text", words, inside="#form-selection")
    with page.leaving():
        page.press("Apply")


def states(device):
    return {record["fields"]["title"]: record["fields"]["status"] for record in device.records("tasks")}


@pytest.mark.parametrize("are_scripts_on", [True, False])
def test_selected_records_are_changed_and_one_undo_takes_all_back(device, web, page, are_scripts_on):
    if not are_scripts_on:
        page.without_scripts()
    page.enter(web.link)
    select(page, "Bread", "Rent")
    apply(page, "Change records", "priority:H due:2026-12-24")
    page.shows("2 tasks")
    found = {title: device.record(title)["fields"] for title in ("Bread", "Milk", "Rent")}
    assert [title for title, fields in found.items() if fields.get("priority") == "H"] == ["Bread", "Rent"]
    with page.leaving():
        page.press("Undo", inside="#notice")
    assert not any("priority" in device.record(title)["fields"] for title in found)
    select(page, "Milk", "Rent")
    apply(page, "Delete tasks or notes")
    assert device.titles() == ["Bread"]


@pytest.mark.parametrize("are_scripts_on", [True, False])
def test_all_shown_records_are_completed_after_a_confirmation(device, web, page, are_scripts_on):
    for number in range(8):
        device.run("add", f"Task {number}")
    if not are_scripts_on:
        page.without_scripts()
    page.enter(web.link).press("Select all 11 on this page", role="checkbox")
    apply(page, "Mark tasks as done")
    page.shows("11 tasks", "Mark them as done?")
    if are_scripts_on:
        assert violations(page) == []
        expected, reached = tab_stops(page)
        assert reached == expected
    assert set(states(device).values()) == {"pending"}
    with page.leaving():
        page.follow("Cancel")
    assert page.find("checkbox", "Select all 11 on this page").is_selected()
    with page.leaving():
        page.press("Apply")
    with page.leaving():
        page.press("Mark them as done")
    assert set(states(device).values()) == {"completed"}
    with page.leaving():
        page.press("Undo", inside="#notice")
    assert set(states(device).values()) == {"pending"}


def test_an_error_leaves_the_boxes_checked_also_when_the_page_changes(device, web, page):
    page.enter(web.link)
    select(page, "Bread")
    apply(page, "Change records", "due:whenever")
    page.shows("whenever")
    device.run("add", "From a command")
    page.shows("From a command")
    assert page.find("checkbox", "Select: Bread").is_selected()
    assert not page.find("checkbox", "Select: From a command").is_selected()
    assert page.field("Changes or text", inside="#form-selection").get_property("value") == "due:whenever"


def test_a_record_that_disappears_elsewhere_is_no_longer_selected(device, web, page):
    page.enter(web.link).press("Select all 3 on this page", role="checkbox")
    device.run("rm", device.record("Milk")["id"])
    page.find("checkbox", "Select all 2 on this page")
    apply(page, "Add and remove tags", "+soon")
    page.shows("2 tasks")
    assert [device.record(title)["fields"].get("tags") for title in ("Bread", "Rent")] == [["soon"], ["soon"]]


def test_records_are_selected_and_changed_with_the_keyboard(device, web, page):
    page.enter(web.link).keys("j", "v", "j", "j", "v")
    page.until(lambda: page.find("checkbox", "Select: Rent").is_selected(), "the third record is selected")
    page.keys("b").until(
        lambda: page.driver.switch_to.active_element.accessible_name == "Action", "the form has the focus")
    page.keys("mark", Keys.TAB, Keys.TAB)
    with page.leaving():
        page.keys(Keys.ENTER)
    wait_until(
        lambda: states(device) == {"Bread": "completed", "Milk": "pending", "Rent": "completed"}, "both are done")


def test_a_check_box_does_not_keep_keys_from_the_page(web, page):
    page.enter(web.link)
    select(page, "Bread")
    page.keys("j").until(
        lambda: page.driver.switch_to.active_element.accessible_name == "Milk", "the next record has the focus")
