"""Timing two commands against each other: in turn, in the same state of the machine, as medians."""

import statistics
import subprocess
import time


def timed(command, environment=None, status=0):
    """Runs a command that must end with this status; returns its run time in seconds."""
    began = time.perf_counter()
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    seconds = time.perf_counter() - began
    if done.returncode != status:
        raise SystemExit(f"{command} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return seconds


class Row:
    """A line of the table. `product` and `yardstick` receive the number of the round and return seconds; the
    median of the product's must not exceed the limit, if there is one."""

    def __init__(self, name, yardstick_name, product, yardstick, limit=None):
        self.limit = limit
        self.name = name
        self.yardstick_name = yardstick_name
        self.sides = (product, yardstick)
        self.seconds = ([], [])

    def measure(self, rounds):
        """One round more than counted: the first one warms the caches. The sides take turns at being first."""
        for number in range(rounds + 1):
            for side in (0, 1) if number % 2 else (1, 0):
                seconds = self.sides[side](number)
                if number > 0:
                    self.seconds[side].append(seconds)
        return self

    def is_too_slow(self):
        return self.limit is not None and statistics.median(self.seconds[0]) > self.limit

    def cells(self):
        product, yardstick = map(statistics.median, self.seconds)
        spread = f"{min(self.seconds[0]):.3f}–{max(self.seconds[0]):.3f}"
        return [self.name, f"{product:.3f} s", spread, f"{yardstick:.3f} s", f"{product / yardstick:.2f}", self.yardstick_name]


HEADINGS = ["what", "satchel", "min–max", "yardstick", "ratio", "the yardstick"]


def table(rows):
    """The rows as a Markdown table."""
    cells = [HEADINGS] + [row.cells() for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]

    def line(texts):
        return "| " + " | ".join(text.ljust(width) for text, width in zip(texts, widths)) + " |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([line(cells[0]), rule] + [line(texts) for texts in cells[1:]])
