#!/usr/bin/env python3
"""No string in a library contains Satchel's name: a program that is built from them has a name of its own.

The files that are Satchel itself are excluded, and so are names in existing files: those of Interchange's formats, and
that of the server's database.
"""

import re
import sys
from pathlib import Path

# Satchel's own client and server, and formats whose names are already in users' files.
OWN = {
    "Sources/SatchelScreens/SatchelScreens.swift",
    "Sources/SatcheldApp",
    "Sources/Interchange/Satchel/SatchelFormat.swift",
    "Sources/Interchange/Taskwarrior/TaskwarriorEntry.swift",
    "Sources/Interchange/TodoTxt/TodoTxtFormat.swift",
}

COMMENT = re.compile(r"^\s*//")
NAME = re.compile(r"satchel", re.I)
# Only strings are checked: functions, constants, types and modules may be named after Satchel.
STRING = re.compile(r'#*"(?:[^"\\]|\\.)*"#*')
MULTILINE = '"""'


def is_own(path: Path) -> bool:
    return any(str(path) == own or str(path).startswith(own + "/") for own in OWN)


def strings(path: Path) -> list[tuple[int, str]]:
    """The lines of a source with a string that names Satchel; of other files, all lines that name it."""
    found, inside = [], False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if path.suffix != ".swift":
            texts = [line]
        elif MULTILINE in line:
            inside = not inside
            continue
        else:
            texts = [line] if inside else [] if COMMENT.match(line) else STRING.findall(line)
        found += [(number, line.strip()) for text in texts if NAME.search(text)]
    return found


def main() -> int:
    files = [path for path in sorted(Path("Sources").rglob("*")) if path.suffix in {".swift", ".mustache", ".js", ".css"}]
    problems = [
        f"{path}:{number}: names Satchel: {line}" for path in files if not is_own(path) for number, line in strings(path)
    ]
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
