"""The benchmarks' entry: prepares, measures each row, prints the table. `Tests/bench` starts it."""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))

import downloads
import everyday
import texts
import uploads
from measuring import table


def main():
    options = argparse.ArgumentParser(description="Compares Satchel with yardsticks.")
    options.add_argument("--rounds", type=int, default=7, help="counted rounds of each row (default: 7)")
    options.add_argument("--quick", action="store_true", help="leave out the rows with 100,000 records")
    options.add_argument("--only", default="", help="only rows whose name contains this word")
    chosen = options.parse_args()

    makers = [
        ("first sync of 10,000", chosen.rounds, lambda place: downloads.first_sync(place, 10_000)),
        ("first sync of 100,000", max(3, chosen.rounds // 2), lambda place: downloads.first_sync(place, 100_000)),
        ("upload of 10,000", chosen.rounds, lambda place: uploads.upload(place, 10_000)),
        ("sync with nothing to do", 3 * chosen.rounds, downloads.nothing_to_do),
        ("list", 3 * chosen.rounds, everyday.list_records),
        ("list by urgency", 3 * chosen.rounds, everyday.list_dependencies),
        ("search", 3 * chosen.rounds, everyday.search_records),
        ("add", 3 * chosen.rounds, everyday.add_record),
        ("merge of 10,000 lines", 3 * chosen.rounds, texts.friendly),
        ("merge of 10,000 rewritten lines", 3 * chosen.rounds, texts.rewritten),
    ]
    rows = []
    for name, rounds, maker in makers:
        if chosen.only not in name or (chosen.quick and "100,000" in name):
            continue
        print(f"measuring: {name}", file=sys.stderr)
        with tempfile.TemporaryDirectory(prefix="satchel-bench-") as directory, maker(Path(directory)) as row:
            rows.append(row.measure(rounds))
    print(about())
    print(table(rows))
    slow = [f"{row.name}: more than the {row.limit} s promised" for row in rows if row.is_too_slow()]
    if slow:
        raise SystemExit("\n".join(slow))


def about():
    """The environment of the measurement."""
    def version(command):
        return " ".join(subprocess.run(command, capture_output=True, text=True).stdout.split()[:2])

    sqlite = "sqlite3 " + version(["sqlite3", "--version"]).split()[0]
    return f"{platform.machine()}, {os.cpu_count()} cores; {version(['curl', '--version'])}, {sqlite}; medians in seconds\n"


if __name__ == "__main__":
    main()
