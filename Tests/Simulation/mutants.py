#!/usr/bin/env python3
"""Shows that the simulation finds faults: breaks a copy of the tree by each patch of Tests/Simulation/Mutants in turn
and runs seeds until one fails. Fails itself if a mutant survives, or if the tree without patches has faults.

With --write-table it writes the result into the documentation (SyncEngine.docc). With --rotating it hunts some of the
mutants, others each day, so that all of them are hunted again within some weeks.

The copy is built for debugging with -O: then a change of one file is built in seconds, which outweighs that seeds run
slower than in a release build. What was found is kept under .build/mutants and used again while neither the tree nor
the patch has changed, so that a run that was interrupted goes on where it was."""

import argparse
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PATCHES = TOP / "Tests/Simulation/Mutants"
PLACE = TOP / ".build/mutants"
TREE, BUILD, UNPATCHED, RESULTS = PLACE / "tree", PLACE / "build", PLACE / "unpatched", PLACE / "results.json"
# The article that holds the table.
ARTICLE = TOP / "Sources/SyncEngine/SyncEngine.docc/WhatTheSimulationFinds.md"
# Seeds that the tree without patches must pass, and seeds within which each mutant must be found.
SOUND_SEEDS, LIMIT = 500, 1_000
# By how many mutants the rotation goes on each day.
DAILY = 3
# How many seeds run at once: few first, since most mutants are found soon.
FIRST_CHUNK, LARGEST_CHUNK = 20, 640
# Seconds after which a run counts as one that never ends.
PATIENCE = 1_800


def main() -> int:
    arguments = parse_arguments()
    patches = rotated(chosen(None)) if arguments.rotating else chosen(arguments.only)
    if arguments.list:
        for patch in patches:
            print(f"{patch.stem}: {meaning(patch)}")
        return 0
    if arguments.check:
        return 0 if all([applies(patch) for patch in patches]) else 1
    results = Results(arguments.fresh)
    renew_copy()
    if not results.is_built or not UNPATCHED.exists():
        shutil.copy(build(), UNPATCHED)
        results.note("built", True)
    # The rotation leaves that out: the simulation stage of Tests/run runs the tree without patches.
    if results.faults is None and not arguments.rotating:
        results.note("faults", failures(UNPATCHED, 0, SOUND_SEEDS))
    begin = time.monotonic()
    hunted = []
    for patch in patches:
        if arguments.seconds is not None and hunted and time.monotonic() - begin > arguments.seconds:
            break
        if results.of(patch) is None:
            results.keep(patch, hunt(patch))
        hunted.append(patch)
    code = report(hunted, results)
    if arguments.write_table:
        write_table(hunted, results)
    return code


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", metavar="NAME", action="append", help="this mutant alone; may be given again")
    parser.add_argument("--list", action="store_true", help="name the mutants and what each breaks")
    parser.add_argument("--check", action="store_true", help="see whether all patches still apply; nothing is built")
    parser.add_argument("--fresh", action="store_true", help="forget what was found before")
    parser.add_argument("--rotating", action="store_true", help="begin with other mutants each day")
    parser.add_argument("--seconds", metavar="N", type=int, help="begin with no other mutant after so many seconds")
    parser.add_argument("--write-table", action="store_true", help=f"write the table into {ARTICLE.name}")
    arguments = parser.parse_args()
    if arguments.write_table and (arguments.only or arguments.seconds is not None):
        parser.error("the table is of all mutants: --write-table goes neither with --only nor with --seconds")
    return arguments


def rotated(patches: list[Path]) -> list[Path]:
    """All mutants, beginning with others each day."""
    first = datetime.date.today().toordinal() * DAILY % len(patches)
    return patches[first:] + patches[:first]


def chosen(names: list[str] | None) -> list[Path]:
    patches = sorted(PATCHES.glob("*.patch"))
    unknown = set(names or []) - {patch.stem for patch in patches}
    if unknown:
        sys.exit(f"there is no mutant {', '.join(sorted(unknown))}; see --list")
    return [patch for patch in patches if not names or patch.stem in names]


def meaning(patch: Path) -> str:
    """The comment above the diff."""
    return " ".join(patch.read_text().split("\n--- ", 1)[0].split())


def applies(patch: Path) -> bool:
    done = subprocess.run(["git", "apply", "--check", patch], cwd=TOP, capture_output=True, text=True)
    if done.returncode:
        print(f"{patch.relative_to(TOP)} does not apply any more: {done.stderr.strip()}")
    return done.returncode == 0


# MARK: The copy


def sources() -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TOP, check=True, capture_output=True, text=True).stdout
    made = ["Package.resolved"]
    return [name for name in sorted(set(listing.split("\0") + made)) if name and (TOP / name).is_file()]


def renew_copy() -> None:
    """Makes the copy like the tree. What is equal stays untouched, so that it isn't built again."""
    names = sources()
    for name in names:
        origin, copy = TOP / name, TREE / name
        if not copy.is_file() or copy.read_bytes() != origin.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(origin, copy)
    for copy in [path for path in TREE.rglob("*") if path.is_file()]:
        if str(copy.relative_to(TREE)) not in names:
            copy.unlink()


def build() -> Path:
    command = ["swift", "build", "--package-path", TREE, "--scratch-path", BUILD, "-Xswiftc", "-O", "--product", "simulate"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        errors = [line for line in done.stdout.splitlines() if "error:" in line] or done.stdout.splitlines()[-20:]
        sys.exit("\n".join(["the copy can't be built:"] + errors))
    return BUILD / "debug/simulate"


def tree_hash() -> str:
    """Of all that the simulation is built from."""
    digest = hashlib.sha256()
    for name in sources():
        if name.startswith(("Package.", "Sources/", "Tests/Simulation/")) and not name.endswith((".patch", ".py")):
            digest.update(name.encode() + b"\0" + (TOP / name).read_bytes() + b"\0")
    return digest.hexdigest()


# MARK: Running


def failures(simulate: Path, first: int, end: int) -> list[tuple[int, str]]:
    """The seeds that fail, with what is wrong; a crash or a run without end counts for the first seed."""
    try:
        done = subprocess.run(
            [simulate, "--seeds", f"{first}..{end}"], capture_output=True, text=True, timeout=PATIENCE,
            # Sets and dictionaries in one order, so that a seed is the same run in each process.
            env=os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"})
    except subprocess.TimeoutExpired:
        return [(first, "it never ends")]
    failed = [(int(seed), kind) for seed, kind in re.findall(r"^seed (\d+): ([^:]*)", done.stdout, re.MULTILINE)]
    crashed = done.returncode not in (0, 1) or (done.returncode and not failed)
    return failed or ([(first, "it crashes")] if crashed else [])


def hunt(patch: Path) -> dict:
    """Breaks the copy and looks for a seed that fails by it."""
    begin = time.monotonic()
    renew_copy()
    # As outside of a repository: the copy lies in a directory that git ignores.
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(PLACE)}
    done = subprocess.run(["git", "apply", patch], cwd=TREE, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{patch.relative_to(TOP)} does not apply any more: {done.stderr.strip()}")
    simulate = build()
    seed, kind = first_failure(simulate)
    renew_copy()
    print(f"{patch.stem}: " + (f"seed {seed}, {kind}" if kind else "not found"), flush=True)
    return {"seed": seed, "kind": kind, "seconds": round(time.monotonic() - begin)}


def first_failure(simulate: Path) -> tuple[int | None, str | None]:
    """The first seed that fails by the patch alone; (None, None): there is none."""
    first, size = 0, FIRST_CHUNK
    while first < LIMIT:
        end = min(first + size, LIMIT)
        for seed, kind in failures(simulate, first, end):
            if not failures(UNPATCHED, seed, seed + 1):
                return seed, kind
        first, size = end, min(size * 2, LARGEST_CHUNK)
    return None, None


class Results:
    """What was found, as long as it is of this tree."""

    def __init__(self, fresh: bool):
        PLACE.mkdir(parents=True, exist_ok=True)
        self.tree = tree_hash()
        known = {} if fresh or not RESULTS.exists() else json.loads(RESULTS.read_text())
        self.known = known if known.get("tree") == self.tree else {"tree": self.tree, "mutants": {}}

    @property
    def is_built(self) -> bool:
        """Whether `UNPATCHED` is of this tree."""
        return self.known.get("built", False)

    @property
    def faults(self) -> list | None:
        """The first seeds that fail without any patch; None: nobody has looked yet."""
        return self.known.get("faults")

    def note(self, name: str, value: bool | list[tuple[int, str]]) -> None:
        """Keeps something about the tree without patches."""
        self.known[name] = value
        self.write()

    def of(self, patch: Path) -> dict | None:
        known = self.known["mutants"].get(patch.stem)
        return known if known and known["patch"] == patch.read_text() else None

    def keep(self, patch: Path, result: dict) -> None:
        self.known["mutants"][patch.stem] = result | {"patch": patch.read_text()}
        self.write()

    def write(self) -> None:
        RESULTS.write_text(json.dumps(self.known, indent=1))


def table(patches: list[Path], results: Results) -> list[str]:
    """The lines of a table of what was found."""
    lines = ["| mutant | found at seed | by |", "| --- | ---: | --- |"]
    for patch in sorted(patches):
        result = results.of(patch)
        seed = "not found" if result["kind"] is None else result["seed"]
        lines.append(f"| {patch.stem} | {seed} | {result['kind'] or ''} |")
    return lines


def write_table(patches: list[Path], results: Results) -> None:
    """Puts the table in place of the one at the end of the article."""
    lines = ARTICLE.read_text().splitlines()
    first = lines.index(table([], results)[0])
    lines[first:] = table(patches, results)
    ARTICLE.write_text("\n".join(lines) + "\n")
    print(f"The table is in {ARTICLE.relative_to(TOP)}.")


def report(patches: list[Path], results: Results) -> int:
    """Prints what was found."""
    found = [results.of(patch) for patch in patches]
    print("\n".join(["", *table(patches, results)]))
    survivors = sum(result["kind"] is None for result in found)
    print(f"\n{len(found)} mutants, {len(found) - survivors} found within {LIMIT:,} seeds, {survivors} not found")
    for seed, kind in results.faults or []:
        print(f"Without any patch, seed {seed} fails: {kind}")
    return 1 if survivors or results.faults else 0


if __name__ == "__main__":
    sys.exit(main())
