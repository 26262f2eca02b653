#!/usr/bin/env python3
"""The top level matches the design, no generated or downloaded file is committed, and all tests are run."""

import re
import subprocess
import sys
from pathlib import Path

TOP = {"Package.swift", "Sources", "Tests", "Server", "Client", "README.md", "LICENSE"}
NEVER = {".build", "Package.resolved", ".swiftpm", "__pycache__"}

# Folders of Tests with their own packages, which a stage of Tests/run runs.
PACKAGES = {"Tutorial"}


def main() -> int:
    listing = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    paths = [path.split("/") for path in listing.split("\0") if path]
    top = sorted({parts[0] for parts in paths if parts[0] not in TOP and not parts[0].startswith(".")})
    made = sorted({"/".join(parts) for parts in paths if NEVER.intersection(parts)})
    for name in top:
        print(f"{name}: the top level holds only {', '.join(sorted(TOP))} and dot files")
    for path in made:
        print(f"{path}: this is made by tools and is not to be committed")
    manifest = Path("Package.swift").read_text()
    tests = {parts[1] for parts in paths if parts[0] == "Tests" and parts[-1].endswith("Tests.swift")} - PACKAGES
    idle = sorted(tests - set(re.findall(r'\btests\(\s*"(\w+)"', manifest)))
    for folder in idle:
        print(f"Tests/{folder}: no target of Package.swift runs these tests")
    return 1 if top or made or idle else 0


sys.exit(main())
