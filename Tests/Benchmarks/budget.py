"""What `Tests/bench --check` accepts: a line of the file `budget` for each result with a ratio: its name, the largest ratio to the yardstick,
and which of its other goals are met, `value` or `peer`.

`-` instead of a ratio: any is accepted. Lines that begin with `#`, and empty ones, are comments. As a program: `budget.py FILE`
prints the lines of the results that `Tests/bench --json FILE` wrote.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import results

FILE = Path(__file__).with_name("budget")
# The kinds of goals that a line may name as met. A ratio that is met bounds the line's number instead.
MARKS = ("value", "peer")
# How much larger than measured a ratio may be, for its spread.
MARGIN = 1.25


class BudgetError(Exception):
    """A line that can't be read."""


class Budget(NamedTuple):
    """The largest ratio of a result, None if any is accepted; and the goals that it meets."""

    ratio: float | None
    met: tuple[str, ...] = ()


def parse(text):
    """The budget of each name."""
    budgets = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        met = ()
        while words and words[-1] in MARKS:
            met = (words.pop(), *met)
        name, limit = " ".join(words[:-1]), " ".join(words[-1:])
        if not name:
            raise BudgetError(f"line {number}: a name and a ratio are needed, not “{line.strip()}”")
        if name in budgets:
            raise BudgetError(f"line {number}: “{name}” has a budget already")
        try:
            budgets[name] = Budget(None if limit == "-" else float(limit), met)
        except ValueError:
            raise BudgetError(f"line {number}: “{limit}” is neither a number nor -") from None
        if budgets[name].ratio is not None and not 0 < budgets[name].ratio < float("inf"):
            raise BudgetError(f"line {number}: the ratio must be positive and finite")
    return budgets


def unknown(budgets, rows):
    """The names in the budget that no row has. A result's name is that of its row, or that and a quantity."""
    return [name for name in budgets if name not in rows and name.rpartition(": ")[0] not in rows]


def exceeded(budgets, found):
    """A message for each result beyond its budget, and for each goal that was met and is missed."""
    messages = []
    for result in found:
        name, ratio = result["name"], result["ratio"]
        limit, met = budgets.get(name, Budget(None))
        if limit is not None and ratio is not None and ratio > limit:
            messages.append(f"{name}: the ratio {ratio:.2f} exceeds the budget {limit:g}")
        if lost := [kind for kind in results.missed_goals(result) if kind in met]:
            median = results.shown(result["satchel"]["median"], result["unit"])
            messages.append(f"{name}: {median} misses a goal that was met: {results.goal(result)} ({', '.join(lost)})")
    return messages


def missing(budgets, found):
    """The names of the results with a ratio that the budget doesn't mention."""
    return [result["name"] for result in found if result["ratio"] is not None and result["name"] not in budgets]


def line(result):
    """The line for a result: its ratio with a margin, but at most the goal if that is met."""
    ratio, missed = result["ratio"], results.missed_goals(result)
    # Without a yardstick, the ratio is that to the value.
    goal = result["goal_ratio"] or (None if result["yardstick"] or result["goal_value"] is None else 1)
    limit = "-" if ratio is None else f"{min([MARGIN * ratio, *([goal] if goal and ratio <= goal else [])]):.3g}"
    has = {"value": result["goal_value"] is not None and result["yardstick"], "peer": result["goal_peer"] in result["peers"]}
    return " ".join([f"{result['name']:<63}", limit, *(kind for kind in MARKS if has[kind] and kind not in missed)])


if __name__ == "__main__":
    for one in results.read(Path(sys.argv[1])).values():
        print(line(one))
