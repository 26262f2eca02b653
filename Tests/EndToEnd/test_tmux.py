"""A session in a real terminal: tmux, which wraps its rows again when it is resized, like terminals of a desktop."""

import shlex
import subprocess
import time

import pytest

from harness import plain_environment, program
from harness.environment import PATIENCE


class Tmux:
    """A device's prompt in a window of a separate tmux."""

    def __init__(self, device, columns):
        self.socket = device.directory / "tmux"
        self.environment = plain_environment(device.directory, NO_COLOR="1", TMUX_TMPDIR=device.directory)
        command = shlex.join(map(str, device.command()))
        self.call("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", "30", command)
        self.until(lambda: self.lines()[-1:] == ["satchel>"], "there is a prompt")

    def call(self, *arguments):
        return subprocess.run(
            [program("tmux"), "-S", str(self.socket), *arguments], env=self.environment, capture_output=True, text=True,
            check=True, timeout=PATIENCE).stdout

    def lines(self):
        """The rows of the window, without trailing empty ones."""
        return self.call("capture-pane", "-p").rstrip("\n").rstrip().split("\n")

    def type(self, text):
        self.call("send-keys", "-l", text)

    def say(self, line, shown):
        """Types a line, and waits for its output and the next prompt."""
        self.type(line)
        self.call("send-keys", "Enter")
        self.until(lambda: any(shown in row for row in self.lines()) and self.lines()[-1] == "satchel>", shown)

    def resize(self, columns):
        self.call("resize-window", "-x", str(columns), "-y", "30")

    def until(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"waited without success until {what}:\n" + "\n".join(self.lines())
            time.sleep(0.05)

    def close(self):
        subprocess.run([program("tmux"), "-S", str(self.socket), "kill-server"], capture_output=True, timeout=PATIENCE)


@pytest.fixture
def open_tmux(device):
    opened = []

    def open_(columns):
        opened.append(Tmux(device, columns))
        return opened[-1]

    yield open_
    for tmux in opened:
        tmux.close()


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_session_at_any_width_that_is_resized_while_it_is_open(open_tmux, device, columns):
    tmux = open_tmux(columns)
    tmux.say("add Buy milk +shop due:tomorrow", "Added task")
    tmux.say("list", "Tomorrow (1)")
    rows = tmux.lines()
    assert any("Buy milk" in row for row in rows) and any("+shop" in row for row in rows)
    for other in (40, 200, 80):
        tmux.resize(other)
        tmux.say("list", "1 record.")
    assert device.titles() == ["Buy milk"]
