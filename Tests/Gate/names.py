#!/usr/bin/env python3
"""No library contains Satchel's name: a program that is built from them has a name of its own.

The modules that are Satchel itself are excluded, and so are the file formats of Interchange, whose names are in
existing files.
"""

import re
import sys
from pathlib import Path

OWN = {"SatchelScreens", "SatchelApp", "SatcheldApp", "Interchange", "TestSupport"}

COMMENT = re.compile(r"^\s*//")
NAME = re.compile(r"satchel", re.I)
# Names that Swift requires: a function, a case, a module.
CODE = re.compile(r"\bsatchel\(|(?<![\w])\.satchel\b")


def strings(path: Path) -> list[tuple[int, str]]:
    """The lines of a source that name Satchel outside of comments and code."""
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    return [(number, line.strip()) for number, line in lines if not COMMENT.match(line) and NAME.search(CODE.sub("", line))]


def main() -> int:
    modules = [path for path in Path("Sources").iterdir() if path.is_dir() and path.name not in OWN]
    files = [path for module in sorted(modules) for path in sorted(module.rglob("*")) if path.suffix in {".swift", ".mustache", ".js", ".css"}]
    problems = [f"{path}:{number}: names Satchel: {line}" for path in files for number, line in strings(path)]
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
