"""Progress of long work: on the standard error of a terminal, removed at the end; nowhere else."""

import json
import re
import signal
import uuid

import pytest

from harness.screen import CONTROL_C, ENTER, Screen

BAR = re.compile(rb"Importing [\d,]+ of [\d,]+ \[[=> ]*\] \d+%")


@pytest.fixture
def large_file(tmp_path):
    """Enough tasks that an import takes long enough to be shown."""
    path = tmp_path / "large.json"
    tasks = [
        {"uuid": str(uuid.uuid4()), "description": f"Task {n}", "status": "pending", "entry": "20260101T120000Z"}
        for n in range(12_000)
    ]
    path.write_text(json.dumps(tasks))
    return path


@pytest.fixture
def open_screen():
    """Starts commands on separate terminals."""
    screens = []

    def open_(device, *arguments, **settings):
        screens.append(Screen(device, *arguments, **settings))
        return screens[-1]

    yield open_
    for screen in screens:
        screen.close()


@pytest.mark.parametrize("columns", [40, 80])
def test_an_import_shows_its_progress_in_one_row_and_removes_it(open_screen, device, large_file, columns):
    screen = open_screen(device, "import", "taskwarrior", large_file, columns=columns)
    assert screen.ends() == 0
    bars = BAR.findall(screen.sent)
    assert bars and all(len(bar) < columns for bar in bars)
    numbers = [int(bar.split()[1].replace(b",", b"")) for bar in bars]
    assert numbers == sorted(numbers)
    assert " ".join(screen.lines()).startswith("Imported: 12000 new, 0 changed, 0 unchanged.")


def test_the_prompt_is_clean_after_a_long_import(open_screen, device, large_file):
    screen = open_screen(device).at_prompt()
    screen.say(f"import taskwarrior {large_file}").shows("Imported: 12000 new")
    assert BAR.search(screen.sent)
    assert not any("[=" in line for line in screen.lines())


def test_ctrl_c_cancels_an_import_and_the_terminal_is_clean(open_screen, device, large_file):
    screen = open_screen(device).at_prompt()
    screen.type(f"import taskwarrior {large_file}", ENTER).until(lambda: BAR.search(screen.sent), "the bar is shown")
    before = screen.prompts()
    screen.type(CONTROL_C).until(lambda: screen.prompts() > before and screen.is_at_prompt(), "the prompt is back")
    assert not any("[=" in line for line in screen.lines())
    assert device.titles() == []
    screen.say("add Bread").shows("Added")


def test_ctrl_c_ends_a_single_command_and_the_terminal_is_clean(open_screen, device, large_file):
    screen = open_screen(device, "import", "taskwarrior", large_file)
    screen.until(lambda: BAR.search(screen.sent), "the bar is shown")
    screen.type(CONTROL_C).ends()
    assert screen.child.signalstatus == signal.SIGINT
    assert not any("[=" in line for line in screen.lines())
    assert device.titles() == []


def test_a_dumb_terminal_and_a_pipe_show_none(open_screen, device, large_file):
    screen = open_screen(device, "import", "taskwarrior", large_file, TERM="dumb")
    assert screen.ends() == 0
    assert b"Importing" not in screen.sent and b"\x1b" not in screen.sent
    result = device.run("import", "taskwarrior", large_file)
    assert result.out == "" and result.err == "Imported: 0 new, 0 changed, 12000 unchanged.\n"


def test_short_work_shows_none(open_screen, device, tmp_path):
    path = tmp_path / "small.json"
    path.write_text(json.dumps([{"uuid": str(uuid.uuid4()), "description": "One", "status": "pending"}]))
    screen = open_screen(device, "import", "taskwarrior", path)
    assert screen.ends() == 0, screen.lines()
    assert b"\x1b[K" not in screen.sent


def test_sending_and_receiving_show_their_progress(open_screen, laptop, desktop, large_file):
    laptop.run("import", "taskwarrior", large_file)
    sending = open_screen(laptop, "sync")
    assert sending.ends() == 0
    assert re.search(rb"Sending [\d,]+ of 12,000 \[[=> ]*\] \d+%", sending.sent)
    receiving = open_screen(desktop, "sync")
    assert receiving.ends() == 0
    assert re.search(rb"Receiving [\d,]+ of 12,000 \[[=> ]*\] \d+%", receiving.sent)
    assert "[=" not in "\n".join(sending.lines() + receiving.lines())
    assert len(desktop.records("tasks")) == 12_000
    comparing = open_screen(desktop, "doctor", "--deep")
    assert comparing.ends() == 0
    assert re.search(rb"Comparing [\d,]+ of 12,000 \[[=> ]*\] \d+%", comparing.sent)
