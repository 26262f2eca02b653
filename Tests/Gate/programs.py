#!/usr/bin/env python3
"""Tests look up programs in one place, so that a missing one is reported with its package (Tests/programs):
Python through `program`, Swift through `TestProgram`. `TestProgram` also says why Swift runs none by Foundation's `Process`."""

import re
import subprocess
import sys
from pathlib import Path

NAMES = [line.split()[0] for line in Path("Tests/programs").read_text().splitlines() if line and not line.startswith("#")]

# A program at the beginning of a command, or one that is looked up without the harness.
PYTHON = re.compile(r"""\[\s*"(?:%s)",|\bshutil\.which\(|"/usr/s?bin/(?!env")""" % "|".join(map(re.escape, NAMES)))
SWIFT = re.compile(r'"/(?:usr/)?bin/(?!sh")[\w-]+"|file(?:URLWith)?Path: "/usr/bin/|\bProcess\(\)')


def main() -> int:
    listing = subprocess.run(["git", "ls-files", "-z", "Tests", "Sources"], check=True, capture_output=True, text=True).stdout
    wrong = []
    for path in map(Path, filter(None, listing.split("\0"))):
        own = path.suffix == ".py" and path.parts[1] == "EndToEnd" and path.name != "programs.py"
        pattern = PYTHON if own else SWIFT if path.suffix == ".swift" else None
        if pattern and path.exists():
            lines = path.read_text(encoding="utf-8").splitlines()
            wrong += [f"{path}:{number}: {line.strip()}" for number, line in enumerate(lines, 1) if pattern.search(line)]
    for line in wrong:
        print(f"{line}\n  run or look up the program with `program` (Python) or `TestProgram` (Swift)")
    return 1 if wrong else 0


sys.exit(main())
