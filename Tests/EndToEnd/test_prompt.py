"""The prompt on a real terminal, compared as text."""

import os
import re
import stat

import pytest

from harness import wait_until
from harness.device import PASSWORD
from harness.screen import CONTROL_C, CONTROL_D, CONTROL_R, DOWN, ENTER, HOME, LEFT, RIGHT, TAB, UP, Screen


@pytest.fixture
def open_screen():
    """Starts sessions on separate terminals."""
    screens = []

    def open_(device, *arguments, **settings):
        screens.append(Screen(device, *arguments, **settings))
        return screens[-1].at_prompt()

    yield open_
    for screen in screens:
        screen.close()


@pytest.fixture
def screen(open_screen, device):
    return open_screen(device)


def history(device):
    return (device.home / "history").read_text().splitlines()


# Editing


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_line_is_edited_with_arrows_at_any_width(open_screen, device, columns):
    screen = open_screen(device, columns=columns)
    title = "A title of many words that goes on over the end of a narrow row"
    screen.next_prompt("add ", title[1:], HOME, RIGHT * 4, "A", ENTER)
    assert device.titles() == [title]
    shown = screen.screen.display
    assert "".join(shown).startswith(f"satchel> add {title}")
    assert screen.lines()[0] == f"satchel> add {title}"[:columns].rstrip()


def test_ctrl_d_leaves_on_an_empty_line_only(screen):
    screen.type("lst", LEFT, LEFT, CONTROL_D).has_typed("lt")
    screen.give_up()
    assert screen.type(CONTROL_D).ends() == 0


def test_quit_leaves(screen):
    assert screen.type("quit", ENTER).ends() == 0


def test_vi_keys_are_those_of_editrc(open_screen, device):
    (device.directory / ".editrc").write_text("bind -v\n")
    screen = open_screen(device)
    screen.type("add Bread\x1b", "0wiBrown \x1b").has_typed("add Brown Bread")
    screen.type(ENTER).shows("Added")
    assert device.titles() == ["Brown Bread"]


@pytest.mark.parametrize("locale", ["C.UTF-8", "C"])
def test_wide_characters_take_two_columns_and_combined_ones_one(open_screen, device, locale):
    screen = open_screen(device, LC_ALL=locale)
    screen.type("add 日本 cafe\u0301 x").has_typed("add 日本 café x")
    assert screen.cursor() == (0, len("satchel> add ") + 4 + len(" café x"))
    screen.type(LEFT * 6, "語").shows("日本 語café x")
    screen.next_prompt(ENTER)
    assert device.titles() == ["日本 語café x"]


def test_text_from_right_to_left_does_not_change_the_layout(screen, device):
    screen.type("add שלום עולם").has_typed("add שלום עולם")
    assert screen.cursor() == (0, len("satchel> add שלום עולם"))
    screen.next_prompt(ENTER)
    assert device.titles() == ["שלום עולם"]
    # An override would reverse the rest of the table; it is typed, stored, and sanitized when shown.
    screen.say("add abc\u202edef")
    screen.say("list")
    assert "abc\ufffddef" in "\n".join(screen.lines())


def test_a_terminal_that_is_resized_shows_the_line_at_its_new_width(screen, device):
    title = "word " * 11 + "end"
    screen.type(f"add {title}").has_typed(f"add {title}")
    screen.resize(40).shows("end").until(lambda: screen.screen.cursor.y > 0, "the line is wrapped again")
    screen.type(" of it").shows("end of it")
    screen.resize(200).until(lambda: f"satchel> add {title} of it" in screen.lines(), "the line is in one row again")
    screen.next_prompt(ENTER)
    assert device.titles() == [f"{title} of it"]


def test_on_a_dumb_terminal_lines_are_read_without_editing(device, open_screen):
    screen = open_screen(device, TERM="dumb")
    screen.type("add Bread", ENTER).shows("Added")
    assert "\x1b" not in screen.sent.decode()
    screen.type("add half", CONTROL_C).until(lambda: screen.lines()[-1] == "satchel>", "the line is discarded")
    assert device.titles() == ["Bread"]
    screen.type(CONTROL_D)
    assert screen.ends() == 0


# History


def test_the_history_lasts_across_sessions_and_is_private(open_screen, device):
    first = open_screen(device)
    first.say("add One").say("add One").say(" add Hidden").say("list")
    first.type(CONTROL_D)
    assert first.ends() == 0
    assert history(device) == ["add One", "list"]
    assert stat.S_IMODE(os.stat(device.home / "history").st_mode) == 0o600
    second = open_screen(device)
    second.type(UP).has_typed("list")
    second.type(UP).has_typed("add One")
    second.type(DOWN).has_typed("list")


def test_up_shows_the_lines_that_contain_what_was_typed(screen):
    screen.say("add One").say("list +x").say("add Two").say("list +y")
    screen.type("add", UP).has_typed("add Two")
    screen.type(UP).has_typed("add One")
    screen.type(DOWN).has_typed("add Two")


def test_concurrent_sessions_keep_each_other_s_history(open_screen, device):
    one, other = open_screen(device), open_screen(device)
    one.say("add One")
    other.say("add Two")
    one.say("add Three")
    assert history(device) == ["add One", "add Two", "add Three"]


def test_ctrl_r_finds_an_earlier_line(screen, device):
    screen.say("add Brown bread").say("add Milk").say("list")
    screen.type(CONTROL_R, "Brown").shows("bck:Brown")
    screen.type(ENTER).until(lambda: device.titles().count("Brown bread") == 2, "the line is executed again")


def test_a_password_is_not_echoed_and_not_in_the_history(open_screen, server, device):
    screen = open_screen(device)
    screen.type(f"register ada --server {server.url}", ENTER).shows("password:")
    wait_until(lambda: not screen.child.getecho(), "the echo is off")
    screen.type(PASSWORD, ENTER)
    screen.shows("password again:")
    screen.type(PASSWORD, ENTER).until(screen.is_at_prompt, "the account is created")
    screen.say("login ada --password " + PASSWORD.replace(" ", ""))
    assert PASSWORD.encode() not in screen.sent
    assert len(history(device)) == 1 and "password" not in "\n".join(history(device))


# Completion


def test_tab_completes_commands_flags_tags_projects_and_records(screen, device):
    device.run("add", "Buy milk", "+shop", "project:house")
    device.run("add", "Paint", "+shed")
    screen.type("undon", TAB).until(lambda: screen.cursor()[1] == len("satchel> undone "), "the command is there")
    screen.give_up()
    # `lists` has the same prefix.
    screen.type("li", TAB).has_typed("list")
    screen.type(" --l", TAB, "5 +s", TAB).has_typed("list --limit 5 +sh")
    screen.type(TAB).shows("+shed  +shop").has_typed("list --limit 5 +sh")
    screen.type("o", TAB, "project:", TAB).has_typed("list --limit 5 +shop project:house")
    screen.give_up()
    screen.type("done milk", TAB).has_typed('done "Buy milk"')
    screen.type(ENTER).shows("Done: “Buy milk”")


# Pasting


def test_a_paste_of_several_lines_runs_nothing_before_enter_and_then_all(screen, device):
    screen.paste("add One\nadd Two\nadd Thr").shows("add Thr")
    assert device.titles() == []
    screen.type("ee", ENTER).shows("“Three”").at_prompt()
    assert device.titles() == ["One", "Three", "Two"]
    screen.type(UP).shows("add Three")
    assert history(device) == ["add One\\nadd Two\\nadd Three"]


def test_a_paste_with_an_open_quote_runs_no_incomplete_command(screen, device):
    screen.paste('add One\nadd "Two\nrm 1\n').shows("rm 1")
    screen.type(ENTER).shows("is not closed").at_prompt()
    assert device.titles() == ["One"]


def test_a_paste_during_a_search_is_no_command(screen, device):
    screen.say("add Milk").say("list")
    screen.type(CONTROL_R, "Milk").shows("bck:Milk")
    screen.paste("\nadd Two\n").shows("add Two")
    assert device.titles() == ["Milk"]


def test_a_very_long_paste_is_accepted_and_reported_as_too_long(screen, device):
    screen.paste("add " + "x" * 200_000).until(lambda: screen.screen.display[0].startswith("xxx"), "it is pasted")
    screen.type(ENTER).shows("KiB").at_prompt()
    assert device.titles() == []


# Interruptions


def test_ctrl_c_discards_the_line_and_stays(screen, device):
    screen.type("add Half").give_up()
    assert screen.lines() == ["satchel> add Half^C", "satchel>"]
    screen.give_up()
    screen.say("add Whole")
    assert device.titles() == ["Whole"]


def test_ctrl_c_cancels_the_running_command(open_screen, make_device, make_proxy, server):
    proxy, device = make_proxy(server), make_device()
    device.run("register", "ada", "--server", proxy.url, "--password-file", device.password_file())
    proxy.hold_answer("POST", "/changes", times=9)
    proxy.hold_answer("GET", "/changes", times=9)
    screen = open_screen(device)
    screen.say("add Milk")
    screen.type("sync", ENTER)
    wait_until(lambda: any("/changes" in request.path for request in proxy.requests), "the sync waits for its answer")
    screen.give_up()
    assert "cancelled" in "\n".join(screen.lines())
    screen.say("add Bread")
    assert device.titles() == ["Bread", "Milk"]


def test_ctrl_c_cancels_the_rest_of_a_paste(open_screen, make_device, make_proxy, server):
    proxy, device = make_proxy(server), make_device()
    device.run("register", "ada", "--server", proxy.url, "--password-file", device.password_file())
    proxy.hold_answer("POST", "/changes", times=9)
    proxy.hold_answer("GET", "/changes", times=9)
    screen = open_screen(device)
    screen.paste("add One\nsync\nadd Two").shows("add Two").type(ENTER)
    wait_until(lambda: any("/changes" in request.path for request in proxy.requests), "the sync waits for its answer")
    screen.give_up()
    screen.say("add Three")
    assert device.titles() == ["One", "Three"]


def test_ctrl_z_stops_the_session_and_it_continues_where_it_was(device):
    """In a shell with job control, which puts the session in the foreground again."""
    command = " ".join(f"'{word}'" for word in device.command())
    screen = Screen(device, program=["bash", "--norc", "-i"], PS1="shell> ")
    try:
        screen.shows("shell>").type(command, ENTER).at_prompt()
        screen.type("add Half").has_typed("add Half")
        screen.type("\x1a").shows("Stopped").type("fg", ENTER)
        screen.until(lambda: screen.lines()[-1] == "satchel> add Half", "the line is there again")
        screen.next_prompt(" and half", ENTER)
        assert device.titles() == ["Half and half"]
    finally:
        screen.close()


# Concurrent changes


@pytest.mark.parametrize("columns", [30, 80])
def test_a_concurrent_change_leaves_the_half_typed_line_intact(open_screen, device, columns):
    device.run("add", "Milk")
    screen = open_screen(device, columns=columns)
    screen.say("list")
    half = "add 日本 and the rest of a long half"
    screen.type(half, LEFT * 4).until(lambda: half[-20:] in "".join(screen.screen.display), "it is typed")
    device.run("add", "Eggs")
    screen.shows("Eggs").until(lambda: "half" in screen.lines()[-1], "the line is below")
    shown = "".join(line for line in screen.lines())
    assert shown.count("satchel> add 日本") == 1 and shown.count("half") == 1
    screen.next_prompt("X", ENTER)
    assert device.titles() == ["Eggs", "Milk", "日本 and the rest of a long Xhalf"]


def test_a_concurrent_change_does_not_end_a_search(screen, device):
    screen.say("add Milk").say("list")
    screen.type(CONTROL_R, "Mi").shows("bck:Mi")
    device.run("add", "Eggs")
    screen.shows("Eggs")
    screen.type("lk").shows("bck:Milk")
    screen.type(ENTER).until(lambda: device.titles() == ["Eggs", "Milk", "Milk"], "the line is executed again")


def test_the_prompt_shows_the_account_what_is_unsent_and_conflicts(open_screen, server, laptop, desktop):
    laptop.run("add", "Milk")
    laptop.sync(), desktop.sync()
    screen = open_screen(laptop)
    assert screen.lines() == ["ada satchel>"]
    screen.type("half")
    milk = laptop.record("Milk")["id"]
    laptop.run("edit", milk, "--title", "Oat milk")
    screen.until(lambda: screen.lines()[-1:] == ["ada ↑1 satchel> half"], "the prompt counts it")
    desktop.run("edit", milk, "--title", "Soy milk")
    desktop.sync(), laptop.sync()
    screen.until(lambda: re.search(r"ada (↑\d )?!1 satchel> half$", "\n".join(screen.lines())), "the prompt shows the conflict")
    screen.give_up()
    laptop.sync()
    server.stop()
    screen.say("sync")
    screen.until(lambda: screen.lines()[-1].startswith("ada offline"), "the prompt shows that the sync failed")
