"""A plot of small panels as SVG, readable on a light and on a dark background: both axes are logarithmic."""

import math
from html import escape
from typing import NamedTuple

COLUMNS = 3
# The size of a panel, and the margins of its plot within it.
WIDTH, HEIGHT = 300, 210
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 30, 40
LEGEND = 30

# The system's font; grey that has enough contrast on white and on black.
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #57606a }
.title { font-weight: 600; fill: #1f2328 }
.grid { stroke: #d0d7de; stroke-width: 1 }
.satchel { stroke: #0969da; fill: none; stroke-width: 2 }
.yardstick { stroke: #6e7781; fill: none; stroke-width: 2; stroke-dasharray: 5 4 }
circle { fill: #0969da }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1 }
  .title { fill: #f0f6fc }
  .grid { stroke: #3d444d }
  .satchel { stroke: #4493f8 }
  .yardstick { stroke: #9198a1 }
  circle { fill: #4493f8 }
}
"""


class Panel(NamedTuple):
    """A plot: for each size the time of Satchel and that of the yardstick, in seconds; the latter may be None."""

    title: str
    axis: str
    points: dict[int, tuple[float, float | None]]


class Axis:
    """A logarithmic scale with a mark for each power of ten."""

    def __init__(self, values, first, last):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self.first, self.last = first, last

    def place(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)

    def marks(self):
        return [10.0**power for power in range(self.low, self.high + 1)]


def svg(panels):
    """The plot with all panels."""
    rows = -(-len(panels) // COLUMNS)
    width, height = COLUMNS * WIDTH, rows * HEIGHT + LEGEND
    body = "".join(
        f'<g transform="translate({index % COLUMNS * WIDTH} {LEGEND + index // COLUMNS * HEIGHT})">\n{drawn(panel)}</g>\n'
        for index, panel in enumerate(panels))
    legend = (
        f'<line class="satchel" x1="{LEFT}" y1="14" x2="{LEFT + 28}" y2="14"/><text x="{LEFT + 34}" y="18">Satchel</text>\n'
        f'<line class="yardstick" x1="{LEFT + 110}" y1="14" x2="{LEFT + 138}" y2="14"/>'
        f'<text x="{LEFT + 144}" y="18">the yardstick</text>\n')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="Time by number of records and accounts">\n<style>{STYLE}</style>\n{legend}{body}</svg>\n')


def drawn(panel):
    times = [time for pair in panel.points.values() for time in pair if time]
    across = Axis(panel.points, LEFT, WIDTH - RIGHT)
    upward = Axis(times, HEIGHT - BOTTOM, TOP)
    lines = [f'<text class="title" x="{LEFT}" y="{TOP - 12}">{escape(panel.title)}</text>']
    for mark in upward.marks():
        y = upward.place(mark)
        lines.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
        lines.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{duration(mark)}</text>')
    for mark in across.marks():
        x = across.place(mark)
        lines.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{short(mark)}</text>')
    lines.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - BOTTOM + 31}" text-anchor="middle">{escape(panel.axis)}</text>')
    for side, name in ((1, "yardstick"), (0, "satchel")):
        places = [(across.place(size), upward.place(pair[side])) for size, pair in panel.points.items() if pair[side]]
        lines.append(f'<polyline class="{name}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>')
        if side == 0:
            lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places]
    return "\n".join(lines) + "\n"


def duration(seconds):
    for size, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size * 0.999:
            return f"{seconds / size:g} {name}"
    return f"{seconds:g} s"


def short(number):
    """1000 as 1k."""
    return f"{number / 1e6:g}M" if number >= 1e6 else f"{number / 1e3:g}k" if number >= 1e3 else f"{number:g}"
