"""What one core carries out in a second: a table from the CPU times of the rows with a PostgreSQL.

It doesn't depend on what else uses the processors during the measurement, as the rates of the rows do.
"""

import many
from results import markdown

# Each column: its heading, the quantity of the rows, and the peer that it is about, None for Satchel's side.
COLUMNS = [
    ("satcheld with SQLite", many.SATCHELD_CPU, many.WITH_SQLITE),
    ("satcheld with PostgreSQL", many.SATCHELD_CPU, None),
    ("PostgreSQL", many.POSTGRESQL_CPU, None),
]


def table(results):
    """Requests a second of one core, as a Markdown table; empty if no row has CPU times."""
    found = {result["name"]: result for result in results}
    names = [name.removesuffix(f": {many.SATCHELD_CPU}") for name in found if name.endswith(f": {many.SATCHELD_CPU}")]
    if not names:
        return ""
    lines = [["requests a second of one core", *(heading for heading, _, _ in COLUMNS)]]
    for name in names:
        lines.append([name, *(rate(measured(found.get(f"{name}: {quantity}"), peer)) for _, quantity, peer in COLUMNS)])
    return markdown(lines)


def measured(result, peer):
    """A side of a result, if it was measured."""
    return result and (result["peers"].get(peer) if peer else result["satchel"])


def rate(side):
    """The median with the smallest and the largest value, of the times of a request."""
    # PostgreSQL's times are hundredths of a second in all, so very short samples have none.
    if not side or not side["min"]:
        return "–"
    median, least, most = (f"{1 / side[which]:,.0f}" for which in ("median", "max", "min"))
    return f"{median} ({least}–{most})"
