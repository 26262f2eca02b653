"""The question for the colour of the terminal's background (OSC 11), on terminals that answer it, answer a part of it, or don't."""

import pytest

from harness.screen import Screen

QUESTION = b"\x1b]11;?\x1b\\\x1b[c"
ATTRIBUTES = "\x1b[?65;1c"
# The colour of overdue records, by theme.
DARK, LIGHT, NEUTRAL = b"38;5;210m", b"38;5;160m", b"38;5;167m"
# The program waits for at most 100 ms for an answer, which may be too little on a busy machine.
ATTEMPTS = 3


class AnsweringScreen(Screen):
    """A terminal of 256 colours that sends an answer as soon as it is asked."""

    def __init__(self, device, answer):
        self.answer = answer
        super().__init__(device, TERM="xterm-256color", NO_COLOR="")

    def read(self, seconds=0.05):
        goes_on = super().read(seconds)
        if self.answer and QUESTION in self.sent:
            self.child.send(self.answer)
            self.answer = None
        return goes_on


def listed(device, answer):
    """What a session with this answer sends for a list, after a prompt without remains of the answer."""
    screen = AnsweringScreen(device, answer)
    try:
        screen.at_prompt()
        assert screen.lines()[-1] == "satchel>" and QUESTION in screen.sent
        screen.say("list")
        screen.shows("Overdue (1)")
        assert "rgb:" not in "\n".join(screen.lines()) and "65;1c" not in "\n".join(screen.lines())
        return screen.sent
    finally:
        screen.close()


@pytest.mark.parametrize("answer, colour", [
    ("\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\" + ATTRIBUTES, LIGHT),
    ("\x1b]11;rgb:ffff/ffff/ffff\x07" + ATTRIBUTES, LIGHT),
    ("\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\" + ATTRIBUTES, DARK),
    (ATTRIBUTES, NEUTRAL),
    (None, NEUTRAL)], ids=["light", "light with BEL", "dark", "only attributes", "no answer"])
def test_the_answer_to_the_question_for_the_background_chooses_the_theme(device, answer, colour):
    device.run("add", "Pay the rent", "due:yesterday")
    problem = None
    for _ in range(ATTEMPTS):
        try:
            sent = listed(device, answer)
            assert colour in sent and not any(other in sent for other in {DARK, LIGHT, NEUTRAL} - {colour})
            return
        except AssertionError as error:
            problem = error
    raise problem


def test_a_terminal_that_is_far_or_has_a_theme_is_not_asked(device):
    device.run("add", "Pay the rent", "due:yesterday")
    for environment, colour in [({"SSH_TTY": "/dev/pts/1"}, NEUTRAL), ({"SATCHEL_THEME": "light"}, LIGHT),
                                ({"COLORFGBG": "15;0"}, DARK)]:
        screen = Screen(device, TERM="xterm-256color", NO_COLOR="", **environment)
        try:
            screen.say("list").shows("Overdue (1)")
            assert b"\x1b]11;?" not in screen.sent and colour in screen.sent, environment
        finally:
            screen.close()
