"""The benchmarks' entry: prepares, measures each row, prints the table. `Tests/bench` starts it."""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))

import budget
import cores
import growth
import many
import peers
import profiles
import results
import rows
from harness.postgres import server_program
from measuring import FAILURES
from setting import Setting

ROUNDS, QUICK_ROUNDS = 7, 3


def main():
    options = arguments()
    if options.check_options:
        return
    lines_left_out = peers.choose() if options.peers else []
    earlier = results.read(options.against) if options.against else None
    budgets = read_budget() if options.check else {}
    with tempfile.TemporaryDirectory(prefix="satchel-bench-") as directory:
        Setting.directory = Path(directory) / "prepared"
        Setting.directory.mkdir()
        if options.growth:
            growth.measure(
                Path(directory), options.growth, options.rounds or QUICK_ROUNDS, options.large, about(directory), options.only)
            return
        plans, without = rows.chosen(options.only, options.quick, options.large, options.postgres)
        for line in lines_left_out + without:
            print(line, file=sys.stderr)
        if not plans:
            raise SystemExit(f"no row is measured: --only {options.only!r} matches none of those that this call has")
        machine = about(directory, options.postgres)
        if options.profile:
            print(machine)
            for plan in plans:
                print("\n" + profiles.page(plan, *profiles.profile(plan, Path(directory))), flush=True)
            return
        found, failures = [], []
        for plan in plans:
            try:
                found += measured(plan, Path(directory), rounds(plan, options))
                # After each row, so that a call that is ended early leaves results.
                if options.json:
                    results.write(options.json, machine, found)
            except FAILURES as error:
                failures.append(f"{plan.name}: {error}")
                print(f" failed: {error}", file=sys.stderr)
    print(f"{machine}\nMedians, with the smallest and the largest value. In every row less is better.\n")
    if found:
        print(results.table(found, earlier))
    if per_core := cores.table(found):
        print(f"\n{per_core}\n")
    for line in lines_left_out + without:
        print(line)
    if options.check:
        failures = check(budgets, found) + failures
    if failures:
        raise SystemExit("\nNot measured, or beyond the budget:\n" + "\n".join(failures))


def arguments():
    options = argparse.ArgumentParser(
        prog="Tests/bench", description="Compares Satchel with yardsticks.", allow_abbrev=False)
    options.add_argument(
        "--rounds", type=positive, help=f"counted rounds of most rows (default: {ROUNDS}, with --quick or --growth {QUICK_ROUNDS})")
    options.add_argument("--quick", action="store_true", help="leave out the slow rows, and measure fewer rounds")
    options.add_argument("--large", action="store_true", help="also measure with 1,000,000 records")
    options.add_argument("--only", default="", metavar="WORD", help="only rows whose name contains this text")
    options.add_argument("--peers", action="store_true", help="also measure Taskwarrior and PocketBase, where installed")
    options.add_argument(
        "--postgres", action="store_true", help="also measure several servers over one PostgreSQL, next to pgbench and SQLite")
    options.add_argument("--json", type=Path, metavar="FILE", help="also write the results as JSON lines")
    options.add_argument("--against", type=Path, metavar="FILE", help="compare with the results that --json wrote earlier")
    options.add_argument(
        "--check", action="store_true",
        help="fail if a ratio exceeds its budget in Tests/Benchmarks/budget, or a goal that was met is missed")
    options.add_argument(
        "--growth", type=Path, metavar="DIRECTORY",
        help="measure with 1,000 to 100,000 records and write a table and a plot into a directory; with --only, add to those of "
             "an earlier call")
    options.add_argument(
        "--profile", action="store_true", help="instead of measuring, show where the CPU time of Satchel's side goes; needs perf")
    options.add_argument("--check-options", action="store_true", help=argparse.SUPPRESS)
    found = options.parse_args()
    if found.postgres and not many.is_installed():
        options.error(f"--postgres: {many.MISSING}")
    if found.profile and not profiles.is_installed():
        options.error(f"--profile: {profiles.MISSING}")
    if found.profile and (found.peers or found.json or found.against or found.check or found.rounds):
        options.error("--profile goes with --quick, --large, --postgres and --only alone")
    if found.growth and (found.profile or found.quick or found.peers or found.postgres or found.json or found.against
                         or found.check):
        options.error("--growth goes with --rounds, --large and --only alone")
    return found


def positive(text):
    if (number := int(text)) < 1:
        raise ValueError
    return number


def rounds(plan, options):
    return max(1, round(plan.rounds * (options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS))))


def measured(plan, directory, count):
    """The results of a row."""
    began = time.monotonic()
    print(f"measuring: {plan.name} …", end="", flush=True, file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=directory) as place, plan.make(Path(place)) as row:
        row.name = plan.name
        row.measure(count)
    print(f" {time.monotonic() - began:.0f} s", file=sys.stderr)
    return row.results()


def read_budget():
    try:
        budgets = budget.parse(budget.FILE.read_text(encoding="utf-8"))
    except (OSError, budget.BudgetError) as error:
        raise SystemExit(f"{budget.FILE}: {error}") from error
    if unknown := budget.unknown(budgets, {plan.name for plan in rows.PLANS}):
        raise SystemExit(f"{budget.FILE}: no row has the name " + ", ".join(f"“{name}”" for name in unknown))
    return budgets


def check(budgets, found):
    """A message for each ratio beyond its budget, for each goal that is no longer met, and for each result without a budget."""
    messages = budget.exceeded(budgets, found) + [f"{name}: not in the budget" for name in budget.missing(budgets, found)]
    if not messages:
        print("\nNo ratio exceeds its budget, and no goal that was met is missed.")
    return messages


def about(directory, postgres=False):
    """The environment of the measurement."""
    def version(command, words=2):
        return " ".join(subprocess.run(command, capture_output=True, text=True).stdout.split()[:words])

    sqlite = "sqlite3 " + version(["sqlite3", "--version"]).split()[0]
    system = version(["stat", "--file-system", "--format=%T", directory])
    programs = [version(["curl", "--version"]), sqlite]
    if postgres:
        # “postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)”
        programs.append("PostgreSQL " + version([server_program("postgres"), "--version"], 3).split()[-1])
    if peers.Peers.task:
        programs.append("Taskwarrior " + version([peers.Peers.task, "--version"]))
    if peers.Peers.pocketbase:
        # “pocketbase version 1.2.3”
        programs.append(version([peers.Peers.pocketbase, "--version"], 3).replace(" version", ""))
    return f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}, {system}; {', '.join(programs)}"


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
