"""A terminal with a screen: the visible part of a session, as text."""

import re
import time

import pexpect
import pyte

from .environment import PATIENCE, plain_environment

CONTROL_C, CONTROL_D, CONTROL_R, TAB, ENTER = "\x03", "\x04", "\x12", "\t", "\r"
UP, DOWN, RIGHT, LEFT, HOME = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x01"


class Screen:
    """A session of a device's satchel on a separate terminal."""

    def __init__(self, device, *arguments, columns=80, rows=24, program=None, **environment):
        command = program or device.command(*arguments)
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.sent = b""
        environment = plain_environment(device.directory, **{"NO_COLOR": "1", **environment})
        self.child = pexpect.spawn(
            command[0], command[1:], env=environment, cwd=str(device.directory), timeout=PATIENCE,
            dimensions=(rows, columns))
        self.child.delaybeforesend = None

    # Actions of a user

    def type(self, *texts):
        """Types keys, or pastes without brackets."""
        self.child.send("".join(texts))
        return self

    def paste(self, text):
        """Pastes like a terminal with bracketed paste."""
        self.until(lambda: b"\x1b[?2004h" in self.sent, "pastes are bracketed")
        return self.type("\x1b[200~", text.replace("\n", "\r"), "\x1b[201~")

    def say(self, line):
        """Types a line at an empty prompt, and waits for the next prompt."""
        self.at_prompt()
        return self.next_prompt(line, ENTER)

    def give_up(self):
        """Presses Ctrl-C, and waits for the next prompt."""
        return self.next_prompt(CONTROL_C)

    def next_prompt(self, *texts):
        """Types something, and waits for the next prompt."""
        before = self.prompts()
        self.type(*texts)
        return self.until(lambda: self.prompts() > before and self.is_at_prompt(), f"{texts!r} is done")

    def resize(self, columns, rows=24):
        self.child.setwinsize(rows, columns)
        self.screen.resize(rows, columns)
        return self

    # What a user sees

    def lines(self):
        """The lines of the screen up to the last that isn't empty, without trailing spaces."""
        lines = [line.rstrip() for line in self.screen.display]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def cursor(self):
        """The cursor's line and column, from 0."""
        return self.screen.cursor.y, self.screen.cursor.x

    def line(self):
        """The input so far, on the cursor's line, after the prompt."""
        return self.lines_to_cursor().rsplit("satchel> ", 1)[-1]

    def lines_to_cursor(self):
        return self.screen.display[self.screen.cursor.y].rstrip()

    def prompts(self):
        """How many times a prompt for a new line was begun."""
        return self.sent.count(b"\x1b[?2004h")

    def is_at_prompt(self):
        return re.search(r"satchel>$", self.lines_to_cursor()) is not None

    def at_prompt(self):
        return self.until(self.is_at_prompt, "there is an empty prompt")

    # Waiting

    def read(self, seconds=0.05):
        """Receives the session's output; False at its end."""
        try:
            data = self.child.read_nonblocking(65_536, timeout=seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.sent += data
        # Without isolates: pyte omits all text after a character without a width.
        self.stream.feed(data.replace("\u2068".encode(), b"").replace("\u2069".encode(), b""))
        return True

    def until(self, condition, what):
        """Waits for a condition of the screen."""
        deadline = time.monotonic() + PATIENCE
        goes_on = True
        while not condition():
            if not goes_on or time.monotonic() > deadline:
                raise AssertionError(f"waited without success until {what}; the screen:\n" + "\n".join(self.lines()))
            goes_on = self.read()
        return self

    def shows(self, text):
        """Waits until a text is on the screen."""
        return self.until(lambda: text in "\n".join(self.lines()), f"{text!r} is shown")

    def has_typed(self, text):
        """Waits until this is the line in progress."""
        return self.until(lambda: self.line() == text, f"the line is {text!r}")

    def ends(self):
        """Waits for the session's end, and returns its exit status."""
        while self.read():
            pass
        self.child.close()
        return self.child.exitstatus

    def close(self):
        self.child.close(force=True)
