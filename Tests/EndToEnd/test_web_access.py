"""Accessibility of the page: with the keyboard only, with a screen reader, in dark and in light, on a phone."""

import pytest
from selenium.webdriver.common.keys import Keys

from harness.accessibility import tab_stops, violations
from harness.device import meet
from harness.web import Web

SCHEMES = ["light", "dark"]


@pytest.fixture
def household(make_device, server):
    """A device on which every page has contents: records of all kinds, conflicts, a history."""
    laptop, desktop = make_device().register(server), make_device().log_in(server)
    laptop.run("add", "Buy milk", "+shop", "due:yesterday", "priority:H", "project:house")
    laptop.run("note", "Garden", "--body-file", "-", stdin="Beds:\n\n- peas\n" + "a very long line " * 30)
    laptop.run("add", "W" * 300)
    laptop.run("done", laptop.add("Done already"))
    meet(laptop, desktop)
    laptop.run("edit", laptop.record("Buy milk")["id"], "--title", "Buy oat milk")
    desktop.run("edit", desktop.record("Buy milk")["id"], "--title", "Buy rice milk")
    meet(laptop, desktop)
    return laptop


@pytest.fixture
def pages(household, page):
    """All pages, by address, in a signed-in browser."""
    page.enter(Web(household).link).follow("Tasks and notes").follow("Everything")
    return every_page(page)


def every_page(page):
    """The addresses of all pages: those in the navigation, and a record's of each kind."""
    screens = [link.get_attribute("href") for link in page.all("nav a")]
    records = [link.get_attribute("href") for link in page.all("main a[href^='/detail']")]
    assert len(screens) > 5 and len(records) >= 3
    return screens + records


def open_all(page):
    """Unfolds all folded sections, which hide controls from checks."""
    page.script("document.querySelectorAll('details').forEach(element => element.open = true)")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_on_any_page(pages, page, scheme):
    page.colours(scheme)
    for address in pages:
        page.open(address)
        assert violations(page) == [], address
        open_all(page)
        assert violations(page) == [], f"{address}, unfolded"


def test_axe_can_find_something(page, device):
    """The check can fail: it detects faults."""
    page.enter(Web(device).link)
    page.script("document.querySelector('main').insertAdjacentHTML('beforeend', '<img src=\"/icon.svg\">')")
    page.script("document.querySelector('h1').style.setProperty('color', '#bbb')")
    assert {line.split(":")[0] for line in violations(page)} >= {"image-alt", "color-contrast"}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_tab_reaches_every_control_in_order_and_the_focus_is_visible(pages, page, scheme):
    page.colours(scheme)
    for address in pages:
        page.open(address)
        expected, reached = tab_stops(page)
        assert reached == expected, address


@pytest.mark.parametrize("width", [320, 375, 1280])
def test_nothing_is_wider_than_the_window(pages, page, width):
    page.size(width, 700)
    for address in pages:
        page.open(address)
        open_all(page)
        wide = page.script("return document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{address} is {wide} pixels too wide at {width}"


def test_text_at_twice_its_size_is_not_cut_off(pages, page):
    """WCAG 1.4.4: a window of 1280 pixels at 200 per cent is one of 640."""
    page.size(640, 400)
    for address in pages:
        page.open(address)
        assert page.script("return document.documentElement.scrollWidth") <= 640, address


def test_colours_follow_the_system(pages, page):
    def background():
        return page.script("return getComputedStyle(document.body).backgroundColor")

    light = page.colours("light") and background()
    dark = page.colours("dark") and background()
    assert light != dark


def test_a_change_is_announced_to_screen_readers(household, page):
    page.enter(Web(household).link).follow("Tasks and notes")
    page.send("add", Add_a_task="Buy bread")
    page.until(lambda: "Buy bread" in page.driver.find_element("id", "status").text, "the region announces it")
    assert page.driver.find_element("id", "status").aria_role == "status"


def test_a_failure_is_announced_and_marks_the_field(household, page):
    page.enter(Web(household).link).follow("Tasks and notes")
    page.fill("Add a task", "Buy bread due:whenever", inside="#form-add")
    with page.leaving():
        page.press("Add task", inside="#form-add")
    page.until(lambda: any("whenever" in alert.text for alert in page.all("[role=alert]")), "the failure is reported")
    assert page.field("Add a task", inside="#form-add").get_property("value") == "Buy bread due:whenever"


def test_the_first_tab_stop_skips_to_the_content(pages, page):
    page.open(pages[0]).keys(Keys.TAB, Keys.ENTER)
    page.until(lambda: page.script("return document.activeElement.id") == "main", "the focus is in the content")
