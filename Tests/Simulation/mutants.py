#!/usr/bin/env python3
"""Shows that the simulation finds faults: applies each patch of Tests/Simulation/Mutants in turn to a copy of the tree
and runs seeds until one fails. Fails itself if a mutant survives, or if the tree without patches has faults.

With --write-table it writes the result into the documentation (SyncEngine.docc). With --rotating it begins with
another mutant each day: every mutant is the first one within as many days as there are mutants. A run with --seconds
may run only the first one or two.

The copy is an overlay file system mounted over the checkout in a separate mount namespace: it begins with the debug
build of the checkout, at the same path, so that a change of one file is built in seconds. If the system doesn't allow
such a mount, the copy is a separate directory, which is built from scratch. The results are stored under
.build/mutants and used again while neither the tree nor the patch has changed, so that an interrupted run continues
where it was."""

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
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PATCHES = TOP / "Tests/Simulation/Mutants"
PLACE = TOP / ".build/mutants"
UPPER, WORK, COPY, RESULTS = PLACE / "upper", PLACE / "work", PLACE / "copy", PLACE / "results.json"
# The article that holds the table.
ARTICLE = TOP / "Sources/SyncEngine/SyncEngine.docc/WhatTheSimulationFinds.md"
# Seeds that the tree without patches must pass, and seeds within which each mutant must be found.
SOUND_SEEDS, LIMIT = 500, 1_000
# By how many mutants the rotation advances each day: one, so that every mutant is the first one on some day.
DAILY = 1
# How many seeds run at once: few first, since most mutants are found soon.
FIRST_CHUNK, LARGEST_CHUNK = 20, 640
# Seconds after which a run counts as hanging.
PATIENCE = 1_800
# As Tests/run builds, so that its build is used.
BUILD = ["swift", "build", "--explicit-target-dependency-import-check", "error", "--product", "simulate"]


def main() -> int:
    arguments = parse_arguments()
    patches = rotated(chosen(None)) if arguments.rotating else chosen(arguments.only)
    if arguments.list:
        for patch in patches:
            print(f"{patch.stem}: {meaning(patch)}")
        return 0
    if arguments.check:
        return 0 if all([*(applies(patch) for patch in patches), is_table_complete()]) else 1
    if arguments.in_copy:
        return build_here(patches) if arguments.build else hunt_here(patches, arguments.seconds)
    if arguments.build:
        build()
        print("\n".join(lines_from_copy(patches, "--build")))
        return 0
    results = Results(arguments.fresh)
    simulate = build()
    # The rotation omits that: the simulation stage of Tests/run runs the tree without patches.
    if results.faults is None and not arguments.rotating:
        results.note_faults(failures(simulate, 0, SOUND_SEEDS))
    for name, result in found_in_copy([patch for patch in patches if results.of(patch) is None], arguments.seconds):
        results.keep(PATCHES / f"{name}.patch", result)
        print(f"{name}: " + (f"seed {result['seed']}, {result['kind']}" if result["kind"] else "not found"), flush=True)
    hunted = [patch for patch in patches if results.of(patch) is not None]
    code = report(hunted, results)
    if arguments.write_table:
        write_table(hunted, results)
    return code


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", metavar="NAME", action="append", help="only this mutant; may be repeated")
    parser.add_argument("--list", action="store_true", help="list the mutants and what each breaks")
    parser.add_argument("--check", action="store_true", help="check that all patches apply and are in the table; nothing is built")
    parser.add_argument("--build", action="store_true", help="check that all patches compile; nothing is run")
    parser.add_argument("--fresh", action="store_true", help="discard earlier results")
    parser.add_argument("--rotating", action="store_true", help="begin with another mutant each day")
    parser.add_argument("--seconds", metavar="N", type=int, help="begin no other mutant after this many seconds")
    parser.add_argument("--write-table", action="store_true", help=f"write the table into {ARTICLE.name}")
    # In the copy: runs there, and prints each result as a line of JSON.
    parser.add_argument("--in-copy", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def rotated(patches: list[Path]) -> list[Path]:
    """All mutants, beginning with another one each day."""
    first = datetime.date.today().toordinal() * DAILY % len(patches)
    return patches[first:] + patches[:first]


def chosen(names: list[str] | None) -> list[Path]:
    """The patches of these names, in their order; without names, all."""
    patches = {patch.stem: patch for patch in sorted(PATCHES.glob("*.patch"))}
    if unknown := set(names or []) - patches.keys():
        sys.exit(f"there is no mutant {', '.join(sorted(unknown))}; see --list")
    return [patches[name] for name in names or patches]


def meaning(patch: Path) -> str:
    """The comment above the diff."""
    return " ".join(patch.read_text().split("\n--- ", 1)[0].split())


def applies(patch: Path, quietly: bool = False) -> bool:
    done = subprocess.run(["git", "apply", "--check", patch], cwd=TOP, env=outside(), capture_output=True, text=True)
    if done.returncode and not quietly:
        print(f"{patch.relative_to(TOP)} does not apply any more: {done.stderr.strip()}")
    return done.returncode == 0


# MARK: The copy


def found_in_copy(patches: list[Path], seconds: int | None) -> Iterator[tuple[str, dict]]:
    """Runs the mutants in a copy; yields name and result of each as soon as it has run."""
    for line in lines_from_copy(patches, *([] if seconds is None else ["--seconds", str(seconds)])):
        yield tuple(json.loads(line))


def lines_from_copy(patches: list[Path], *options: str) -> Iterator[str]:
    """Runs this script in a copy, with the option --in-copy; yields the lines that it prints."""
    if not patches:
        return
    command = ["python3", "Tests/Simulation/mutants.py", "--in-copy", *options]
    command += [word for patch in patches for word in ("--only", patch.stem)]
    mount = f"mount -t overlay overlay -o lowerdir={TOP},upperdir={UPPER},workdir={WORK} {TOP} && cd {TOP}"
    remove_copy()
    for directory in (UPPER, WORK):
        directory.mkdir(parents=True)
    try:
        if subprocess.run([*namespace(), "sh", "-c", mount], cwd="/", capture_output=True).returncode == 0:
            command, place = [*namespace(), "sh", "-c", f'{mount} && exec "$@"', "sh", *command], Path("/")
        else:
            print("No overlay can be mounted here: the copy is built from scratch.", flush=True)
            place = copied()
        with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True) as child:
            for line in child.stdout:
                yield line.rstrip("\n")
        if child.returncode:
            sys.exit(f"the script in the copy ended with {child.returncode}")
    finally:
        remove_copy()


def namespace() -> list[str]:
    """The command that runs another one with its own mounts."""
    return ["unshare", "--mount", "--propagation", "private"] + ([] if os.geteuid() == 0 else ["--map-root-user"])


def copied() -> Path:
    """A directory with the sources."""
    for name in sources():
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / name, COPY / name)
    return COPY


def remove_copy() -> None:
    for directory in (UPPER, WORK, COPY):
        shutil.rmtree(directory, ignore_errors=True)


def sources() -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TOP, check=True, capture_output=True, text=True).stdout
    made = ["Package.resolved"]
    return [name for name in sorted(set(listing.split("\0") + made)) if name and (TOP / name).is_file()]


def build() -> Path:
    """Builds the simulation of this tree."""
    done = subprocess.run(BUILD, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        errors = [line for line in done.stdout.splitlines() if "error:" in line] or done.stdout.splitlines()[-20:]
        sys.exit("\n".join(["the simulation can't be built:"] + errors))
    return TOP / ".build/debug/simulate"


def tree_hash() -> str:
    """A hash of everything that the simulation is built from."""
    digest = hashlib.sha256()
    for name in sources():
        if name.startswith(("Package.", "Sources/", "Tests/Simulation/")) and not name.endswith((".patch", ".py")):
            digest.update(name.encode() + b"\0" + (TOP / name).read_bytes() + b"\0")
    return digest.hexdigest()


# MARK: Running


def failures(simulate: Path, first: int, end: int) -> list[tuple[int, str]]:
    """The failing seeds with their faults; a crash or a hanging run counts for the first seed."""
    try:
        done = subprocess.run(
            [simulate, "--seeds", f"{first}..{end}"], capture_output=True, text=True, timeout=PATIENCE,
            # Sets and dictionaries have a fixed order, so that a seed is the same run in each process.
            env=os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"})
    except subprocess.TimeoutExpired:
        return [(first, "it never ends")]
    failed = [(int(seed), kind) for seed, kind in re.findall(r"^seed (\d+): ([^:]*)", done.stdout, re.MULTILINE)]
    crashed = done.returncode not in (0, 1) or (done.returncode and not failed)
    return failed or ([(first, "it crashes")] if crashed else [])


def build_here(patches: list[Path]) -> int:
    """Builds this tree, which is the copy, with all mutants: in each round with as many as apply together."""
    left = patches
    while left:
        applied = []
        for patch in left:
            if applies(patch, quietly=bool(applied)):
                patch_tree(patch)
                applied.append(patch)
        if not applied:
            return 1
        build()
        for patch in reversed(applied):
            patch_tree(patch, "--reverse")
        left = [patch for patch in left if patch not in applied]
        print(f"{len(applied)} mutants compile, {len(left)} are left", flush=True)
    return 0


def hunt_here(patches: list[Path], seconds: int | None) -> int:
    """Patches this tree, which is the copy, with one mutant after the other."""
    unpatched = Path(shutil.copy(build(), TOP / ".build/unpatched"))
    begin = time.monotonic()
    for number, patch in enumerate(patches):
        if seconds is not None and number > 0 and time.monotonic() - begin > seconds:
            break
        print(json.dumps([patch.stem, hunt(patch, unpatched)]), flush=True)
    return 0


def hunt(patch: Path, unpatched: Path) -> dict:
    """Breaks the tree and searches for a seed that fails because of it."""
    begin = time.monotonic()
    patch_tree(patch)
    seed, kind = first_failure(build(), unpatched)
    patch_tree(patch, "--reverse")
    return {"seed": seed, "kind": kind, "seconds": round(time.monotonic() - begin)}


def patch_tree(patch: Path, *options: str) -> None:
    subprocess.run(["git", "apply", *options, patch], cwd=TOP, env=outside(), check=True, stdout=sys.stderr)


def outside() -> dict[str, str]:
    """The environment of a git that works as if outside a repository: a copy may be in a directory that git ignores."""
    return os.environ | {"GIT_CEILING_DIRECTORIES": str(TOP.parent)}


def first_failure(simulate: Path, unpatched: Path) -> tuple[int | None, str | None]:
    """The first seed that fails only with the patch; (None, None): there is none."""
    first, size = 0, FIRST_CHUNK
    while first < LIMIT:
        end = min(first + size, LIMIT)
        for seed, kind in failures(simulate, first, end):
            if not failures(unpatched, seed, seed + 1):
                return seed, kind
        first, size = end, min(size * 2, LARGEST_CHUNK)
    return None, None


class Results:
    """The earlier results, if they are of this tree."""

    def __init__(self, fresh: bool):
        PLACE.mkdir(parents=True, exist_ok=True)
        self.tree = tree_hash()
        known = {} if fresh or not RESULTS.exists() else json.loads(RESULTS.read_text())
        self.known = known if known.get("tree") == self.tree else {"tree": self.tree, "mutants": {}}

    @property
    def faults(self) -> list | None:
        """The first seeds that fail without any patch; None: these haven't been run."""
        return self.known.get("faults")

    def note_faults(self, faults: list[tuple[int, str]]) -> None:
        self.known["faults"] = faults
        self.write()

    def of(self, patch: Path) -> dict | None:
        known = self.known["mutants"].get(patch.stem)
        return known if known and known["patch"] == patch.read_text() else None

    def keep(self, patch: Path, result: dict) -> None:
        self.known["mutants"][patch.stem] = result | {"patch": patch.read_text()}
        self.write()

    def write(self) -> None:
        RESULTS.write_text(json.dumps(self.known, indent=1))


HEAD = ["| mutant | found at seed | by |", "| --- | ---: | --- |"]


def table(patches: list[Path], results: Results) -> list[str]:
    """The rows of the table of results."""
    lines = []
    for patch in sorted(patches):
        result = results.of(patch)
        seed = "not found" if result["kind"] is None else result["seed"]
        lines.append(f"| {patch.stem} | {seed} | {result['kind'] or ''} |")
    return lines


def stored_table() -> tuple[list[str], dict[str, str]]:
    """The lines of the article before its table, and the rows of the table by the names of the mutants."""
    lines = ARTICLE.read_text().splitlines()
    first = lines.index(HEAD[0])
    return lines[:first], {line.split("|")[1].strip(): line for line in lines[first + len(HEAD):]}


def is_table_complete() -> bool:
    """Whether the table in the article has a row for each mutant, and no others."""
    listed, existing = set(stored_table()[1]), {patch.stem for patch in chosen(None)}
    for name in sorted(existing - listed):
        print(f"{ARTICLE.name}: {name} is missing; run --only {name} --write-table")
    for name in sorted(listed - existing):
        print(f"{ARTICLE.name}: there is no mutant {name}")
    return listed == existing


def write_table(patches: list[Path], results: Results) -> None:
    """Replaces the rows of these mutants in the table at the end of the article, and removes those of former mutants."""
    before, rows = stored_table()
    rows.update(zip((patch.stem for patch in sorted(patches)), table(patches, results)))
    existing = [patch.stem for patch in sorted(chosen(None))]
    ARTICLE.write_text("\n".join([*before, *HEAD, *(rows[name] for name in existing if name in rows)]) + "\n")
    print(f"The table is in {ARTICLE.relative_to(TOP)}.")


def report(patches: list[Path], results: Results) -> int:
    """Prints a result."""
    found = [results.of(patch) for patch in patches]
    print("\n".join(["", *HEAD, *table(patches, results)]))
    survivors = sum(result["kind"] is None for result in found)
    print(f"\n{len(found)} mutants, {len(found) - survivors} found within {LIMIT:,} seeds, {survivors} not found")
    for seed, kind in results.faults or []:
        print(f"Without any patch, seed {seed} fails: {kind}")
    return 1 if survivors or results.faults else 0


if __name__ == "__main__":
    sys.exit(main())
