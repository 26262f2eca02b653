"""The page with the keyboard only, and its shortcuts, which can be switched off."""

import pytest
from selenium.webdriver.common.keys import Keys

from harness import wait_until
from harness.web import Web


@pytest.fixture
def web(device, page):
    """A page with two tasks."""
    device.run("add", "Buy milk", "due:2026-12-01")
    device.run("add", "Mend the gate", "due:2026-12-02")
    web = Web(device)
    page.enter(web.link).shows("Mend the gate")
    return web


def focused(page):
    """The accessible name of the element with the focus."""
    return page.driver.switch_to.active_element.accessible_name


def focuses(page, name):
    page.until(lambda: focused(page) == name, f"{name!r} has the focus")


def tab_to(page, name):
    """Presses Tab until an element with this name has the focus."""
    for _ in range(100):
        page.keys(Keys.TAB)
        if focused(page) == name:
            return
    raise AssertionError(f"Tab never reaches {name!r}")


def test_a_task_is_added_opened_edited_and_deleted_without_a_mouse(web, page, device):
    tab_to(page, "Add a task")
    page.keys("Call the plumber", Keys.ENTER).shows("Call the plumber")
    tab_to(page, "Call the plumber")
    page.keys(Keys.ENTER).until(lambda: page.visible("button", "Save"), "the record is open")
    tab_to(page, "Title")
    page.keys(Keys.END, " today")
    tab_to(page, "Save")
    page.keys(Keys.ENTER)
    wait_until(lambda: "Call the plumber today" in device.titles(), "it is edited")
    page.open(web.origin + "/list")
    tab_to(page, "More for Call the plumber today")
    page.keys(Keys.SPACE)
    tab_to(page, "Delete…")
    page.keys(Keys.SPACE)
    tab_to(page, "Delete: Call the plumber today")
    page.keys(Keys.ENTER)
    wait_until(lambda: device.titles() == ["Buy milk", "Mend the gate"], "it is deleted")


def test_escape_closes_a_menu_and_returns_to_its_button(web, page):
    tab_to(page, "More for Buy milk")
    page.keys(Keys.SPACE).find("link", "History")
    page.keys(Keys.TAB, Keys.ESCAPE)
    page.until(lambda: not page.visible("link", "History"), "the menu is closed")
    focuses(page, "More for Buy milk")


def test_keys_focus_the_fields_and_the_rows(web, page):
    page.keys("n")
    focuses(page, "Add a task")
    page.keys("jx/")
    assert page.field("Add a task").get_property("value") == "jx/"
    page.open(web.origin + "/list").keys("/")
    focuses(page, "Filter or search")
    page.open(web.origin + "/list").keys("j")
    focuses(page, "Buy milk")
    page.keys("j")
    focuses(page, "Mend the gate")
    page.keys("k")
    focuses(page, "Buy milk")


def test_a_key_completes_the_task_with_the_focus(web, page, device):
    page.keys("j", "j", "x")
    wait_until(lambda: device.record("Mend the gate")["fields"]["status"] == "completed", "it is done")
    assert device.record("Buy milk")["fields"]["status"] == "pending"


def test_keys_open_other_pages(web, page):
    for key, place in (("s", "/sync"), ("c", "/conflicts"), ("l", "/list")):
        page.keys(key)
        page.until(lambda: page.url == web.origin + place, f"{key} leads to {place}")


def test_the_help_shows_the_keys_and_closes_again(web, page):
    page.keys("?").find("dialog", "Keyboard shortcuts")
    page.keys(Keys.ESCAPE).until(lambda: not page.visible("dialog", "Keyboard shortcuts"), "it is closed")


def test_keys_with_a_modifier_are_left_to_the_browser(web, page):
    page.driver.switch_to.active_element.send_keys(Keys.CONTROL, "n")
    page.driver.switch_to.active_element.send_keys(Keys.ALT, "s")
    assert focused(page) != "Add a task" and page.url == web.origin + "/list"


def test_shortcuts_can_be_switched_off_permanently(web, page):
    """WCAG 2.1.4: shortcuts of single letters can be switched off."""
    page.press("Keyboard shortcuts").press("Use single keys as shortcuts", role="checkbox").press("Close")
    for _ in range(2):
        page.keys("n", "j", "s", "?")
        assert focused(page) not in ("Add a task", "Buy milk") and page.url == web.origin + "/list"
        assert not page.visible("dialog", "Keyboard shortcuts")
        page.reload()
    page.press("Keyboard shortcuts").press("Use single keys as shortcuts", role="checkbox").press("Close").keys("n")
    focuses(page, "Add a task")
