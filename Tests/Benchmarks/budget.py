"""The largest ratios that `Tests/bench --check` accepts: a line of the file `budget` for each result with a ratio, its name and a number.

The name ends before the last word of the line. `-` instead of a number: any ratio is accepted. Lines that begin with `#`, and
empty ones, are comments.
"""

from pathlib import Path

FILE = Path(__file__).with_name("budget")


class BudgetError(Exception):
    """A line that can't be read."""


def parse(text):
    """The largest ratio of each name; None for a name without a limit."""
    budgets = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, _, limit = (part.strip() for part in line.replace("\t", " ").rpartition(" "))
        if not name:
            raise BudgetError(f"line {number}: a name and a ratio are needed, not “{line}”")
        if name in budgets:
            raise BudgetError(f"line {number}: “{name}” has a budget already")
        try:
            budgets[name] = None if limit == "-" else float(limit)
        except ValueError:
            raise BudgetError(f"line {number}: “{limit}” is neither a number nor -") from None
        if budgets[name] is not None and not 0 < budgets[name] < float("inf"):
            raise BudgetError(f"line {number}: the ratio must be positive and finite")
    return budgets


def unknown(budgets, rows):
    """The names in the budget that no row has. A result's name is that of its row, or that and a quantity."""
    return [name for name in budgets if name not in rows and name.rpartition(": ")[0] not in rows]


def exceeded(budgets, results):
    """A message for each result beyond its budget."""
    return [
        f"{result['name']}: the ratio {result['ratio']:.2f} exceeds the budget {budgets[result['name']]:g}"
        for result in results
        if budgets.get(result["name"]) is not None and result["ratio"] is not None
        and result["ratio"] > budgets[result["name"]]]


def missing(budgets, results):
    """The names of the results with a ratio that the budget doesn't mention."""
    return [result["name"] for result in results if result["ratio"] is not None and result["name"] not in budgets]
