"""A picture of a session at the prompt, with its colours."""

from html import escape

# The colours of a dark terminal, by the names that pyte gives to them.
COLOURS = {
    "default": "#d8dee9", "black": "#4c566a", "red": "#e06c75", "green": "#98c379", "brown": "#e5c07b", "blue": "#7aa2f7",
    "magenta": "#c678dd", "cyan": "#56b6c2", "white": "#eceff4",
}
BACKGROUND = "#1e222a"

LINES = [
    'add Call the plumber +house due:"friday 15:00" priority:H',
    "add Water plants due:friday repeat:weekly",
    "add Buy oat milk +shop due:tomorrow",
    "add --type note Garden plan +garden",
    "list task or note",
    "done 1",
    "undo",
]

PAGE = """<!doctype html><meta charset="utf-8"><title>A session</title><style>
body {{ margin: 0; background: {background}; }}
pre {{ margin: 0; padding: 20px 24px; font: 16px/1.45 "DejaVu Sans Mono", monospace; color: {text}; width: max-content; }}
</style><pre>{lines}</pre>"""


def run(screen):
    """Types the lines of the session."""
    for line in LINES:
        screen.say(line)


def span(character, is_wide=False):
    """A character in its colours."""
    text = escape(character.data)
    if is_wide:
        # A font may draw it in another width than a terminal.
        text = f'<span style="display: inline-block; width: 2ch">{text}</span>'
    colour = COLOURS.get(character.fg.removeprefix("bright"), f"#{character.fg}" if len(character.fg) == 6 else "")
    style = f"color: {colour}" if colour and character.fg != "default" else ""
    style += "; font-weight: bold" if character.bold else ""
    return f'<span style="{style}">{text}</span>' if style else text


def line(cells, columns):
    """A line of the screen. The second cell of a wide character is empty."""
    wide = [column + 1 < columns and not cells[column + 1].data for column in range(columns)]
    return "".join(span(cells[column], wide[column]) for column in range(columns)).rstrip()


def html(screen):
    """The visible part of a session as a page."""
    rows = len(screen.lines())
    lines = (line(screen.screen.buffer[row], screen.screen.columns) for row in range(rows))
    return PAGE.format(background=BACKGROUND, text=COLOURS["default"], lines="\n".join(lines))
