"""Lists for users and programs: groups, widths, forms, names, searches, pages."""

import json

import pytest

from harness.device import meet
from harness.screen import Screen


@pytest.fixture
def filled(device):
    device.run("add", "Pay the rent", "due:yesterday", "priority:H", "project:home")
    device.run("add", "Buy oat milk", "+shop", "due:tomorrow 15:00")
    device.run("add", "Rivière bleue", "+shop", "+later")
    device.run("note", "Garden plan", "+garden", "--body-file", device.write("plan", "beans, then the plumber\n"))
    return device


# Groups and widths


def test_a_list_is_grouped_and_has_dates_in_words(filled):
    lines = filled.run("list").out.splitlines()
    assert [line for line in lines if line.endswith("(1)")] == ["Overdue (1)", "Tomorrow (1)", "No date (1)", "Notes (1)"]
    assert any("late" in line and "yesterday" in line for line in lines)
    assert any("tomorrow 15:00" in line for line in lines)
    assert "\x1b" not in filled.run("list").out


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_lists_details_and_the_status_fit_the_terminal(filled, columns):
    filled.run("add", "Long " * 60, "+shop")
    filled.run("add", "קנה חלב בשוק", "+בית")
    screen = Screen(filled, columns=columns, rows=60)
    for command in ("list", "show 1", "status", "search plumber"):
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
    assert "Overdue (1)" in pages.read_text() and "16 records" in pages.read_text()


# Forms for programs


def test_programs_get_json_and_fields_between_tabs(filled):
    state = json.loads(filled.run("list", "--json").out)
    assert [row["group"] for row in state["rows"]] == ["overdue", "tomorrow", "no-date", "notes"]
    rows = [line.split("\t") for line in filled.run("list", "--plain").out.splitlines()]
    assert [row[8] for row in rows] == [row["title"] for row in state["rows"]]
    assert [row[1] for row in rows] == [row["id"] for row in state["rows"]]
    assert rows[1][7] == "shop" and rows[1][5].endswith("Z")
    assert json.loads(filled.run("show", "2", "--json").out)["record"]["title"] == "Buy oat milk"
    assert json.loads(filled.run("status", "--json").out)["unsent"] == 4
    assert "unsent\t4" in filled.run("status", "--plain").out.splitlines()
    added = json.loads(filled.run("add", "Another", "--json").out)
    assert added["changed"] == [id for id, title in titles(filled).items() if title == "Another"]


def test_a_part_of_a_list_reports_on_standard_error_that_there_is_more(filled):
    result = filled.run("list", "--plain", "--limit", "1")
    assert len(result.out.splitlines()) == 1 and "1 of 4 records" in result.err


def titles(device):
    return {record["id"]: record["fields"]["title"] for record in device.records()}


# Filters and their names


def test_the_documented_filters_work(filled):
    filled.run("done", filled.record("Rivière bleue")["id"])
    names = lambda *words: [row["title"] for row in json.loads(filled.run("list", "--json", *words).out)["rows"]]
    assert names("+shop") == ["Buy oat milk"]
    assert names("all", "-done", "+shop") == ["Buy oat milk"]
    assert names("priority:H,M") == ["Pay the rent"]
    assert names("project:home", "due<today", "the rent") == ["Pay the rent"]
    assert filled.try_("list", "due<tomorow").code == 2


def test_a_saved_list_syncs_is_exported_and_can_be_undone(server, laptop, desktop):
    laptop.run("add", "Buy milk", "+shop")
    laptop.run("save", "shopping", "+shop", "due<eow")
    laptop.run("save", "shopping", "+shop")
    meet(laptop, desktop)
    assert "Buy milk" in desktop.run("list", "@shopping").out
    assert desktop.run("lists", "--plain").out == "shopping\t+shop\n"
    assert [record["fields"]["filter"] for record in desktop.records("lists")] == [["+shop"]]
    desktop.run("forget", "shopping")
    assert desktop.try_("list", "@shopping").code == 3
    desktop.run("undo")
    assert "Buy milk" in desktop.run("list", "@shopping").out


def test_an_export_includes_lists(filled, make_device):
    filled.run("save", "Einkauf", "+shop", "not:+later")
    other = make_device()
    other.run("import", filled.write("all.json", filled.export()))
    assert json.loads(other.run("lists", "--json").out)["lists"] == [
        {"filter": "+shop not:+later", "name": "Einkauf", "words": ["+shop", "not:+later"]}]
    assert "Buy oat milk" in other.run("list", "@einkauf").out


# Searches


def test_a_search_shows_where_its_words_are(filled):
    out = filled.run("search", "plumb").out
    assert "Garden plan" in out and "[plumber]" in out
    assert "Rivière bleue" in filled.run("search", "RIVIERE").out
    assert filled.run("search", "oat milk", "+shop", "--plain").out.count("\n") == 1
    assert filled.run("search", "milk oat", "--plain").out == ""
    assert json.loads(filled.run("search", "bleue", "-later", "--json").out)["rows"] == []
