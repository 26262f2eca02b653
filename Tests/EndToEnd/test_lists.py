"""Lists at a terminal: widths and the pager. The other tests of lists are in Tests/SatchelApp."""

import pytest

from harness.screen import Screen


@pytest.fixture
def filled(device):
    device.run("add", "Pay the rent", "due:yesterday", "priority:H", "project:home")
    device.run("add", "Buy oat milk", "+shop", "due:tomorrow 15:00")
    device.run("add", "Rivière bleue", "+shop", "+later")
    device.run("note", "Garden plan", "+garden", "--body-file", device.write("plan", "beans, then the plumber\n"))
    return device


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_lists_details_and_the_status_fit_the_terminal(filled, columns):
    filled.run("add", "Long " * 60, "+shop")
    filled.run("add", "קנה חלב בשוק", "+בית")
    screen = Screen(filled, columns=columns, rows=60)
    for command in ("list task or note", "show 1", "status", "search plumber"):
        screen.say(command)
    screen.type("quit\r").ends()
    shown = "\n".join(screen.lines())
    assert "Buy oat milk" in shown and "Garden plan" in shown and "[plumber]" in shown
    screen.close()


def test_a_list_that_is_longer_than_the_screen_is_shown_in_the_pager(filled):
    for number in range(12):
        filled.run("add", f"Task {number}")
    pages = filled.directory / "pages"
    screen = Screen(filled, rows=10, PAGER=f"cat >> {pages}")
    screen.say("list")
    screen.type("quit\r").ends()
    screen.close()
    assert "Overdue (1)" in pages.read_text() and "15 records" in pages.read_text()
