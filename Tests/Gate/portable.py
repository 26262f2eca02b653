#!/usr/bin/env python3
"""Portable modules must build on every platform of Swift, including Apple's, as far as the source shows.

They use nothing that only Linux has: no such module, none of the C library's functions that only Linux has,
and no part under `#if os(Linux)` without an alternative. Code under a condition that has a branch for the others
may be Linux's. (There is no Apple machine to build on; this reads the sources.)

Before the modules it checks the samples at its end, so that a check that finds nothing any more is a failure, too.
"""

import re
import sys
from pathlib import Path

# Modules of controllers. Views, transports and servers may depend on a platform.
PORTABLE = "Locking SQLiteRows ControllerKit Records SyncAPI Backend Interchange LocalStore SyncEngine Controllers"

# Modules that Apple's platforms lack, and our own that wrap a Debian library or a process.
MODULES = {
    *("Glibc", "Musl", "SwiftGlibc", "Android", "CRT", "FoundationNetworking", "FoundationXML"),
    *("FoundationEssentials", "FoundationInternationalization"),
    *("CArgon2", "CCurl", "CLibedit", "CZlib", "CurlTransport", "Processes", "Subprocess"),
}

# In the C library: what Darwin doesn't have under this name.
FUNCTIONS = re.compile(
    r"\b(?:accept4|dup3|epoll_\w+|eventfd|fdatasync|getrandom|gettid|inotify_\w+|memfd_create|mremap|pipe2|prctl"
    r"|renameat2|sched_setaffinity|signalfd|splice|timerfd_\w+)\s*\(|\b(?:O_PATH|O_TMPFILE|SOCK_CLOEXEC|SOCK_NONBLOCK"
    r"|MSG_NOSIGNAL|CLOCK_BOOTTIME|st_[amc]tim)\b|\"/(?:proc|sys)/"
)
LINUX = re.compile(r"\b(?:os\((?:Linux|Android)\)|canImport\((?:Glibc|Musl|FoundationEssentials|FoundationNetworking)\))")
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:typealias|struct|class|enum|protocol|let|var|func)\s+)?(\w+)"
)
DIRECTIVE = re.compile(r"^\s*#(if|elseif|else|endif)\b(.*)")


class Condition:
    """A `#if` with its findings, until its end shows whether there is another branch, too."""

    def __init__(self, number: int, text: str):
        self.number = number
        self.is_for_linux = bool(LINUX.search(text)) and "!" not in text
        self.has_others = False
        self.found: list[tuple[int, str]] = []

    def objections(self) -> list[tuple[int, str]]:
        if self.has_others:
            return []
        alone = [(self.number, "a part for Linux without one for others")] if self.is_for_linux else []
        return alone + self.found


def objections(source: str) -> list[tuple[int, str]]:
    """The parts of a source that only Linux has: line numbers and reasons."""
    open_conditions = [Condition(0, "")]
    for number, line in enumerate(source.splitlines(), start=1):
        code = line.split("//")[0] if not line.lstrip().startswith("//") else ""
        if directive := DIRECTIVE.match(code):
            take(directive[1], directive[2], number, open_conditions)
        elif (match := IMPORT.match(code)) and match[1] in MODULES:
            open_conditions[-1].found.append((number, f"{match[1]} is a module that other platforms lack"))
        elif match := FUNCTIONS.search(line if '"/' in code else code):
            open_conditions[-1].found.append((number, f"{match[0].rstrip('( ')} is Linux's alone"))
    return sorted(open_conditions[0].objections())


def take(directive: str, condition: str, number: int, open_conditions: list[Condition]) -> None:
    if directive == "if":
        open_conditions.append(Condition(number, condition))
    elif directive == "endif":
        ended = open_conditions.pop()
        open_conditions[-1].found += ended.objections()
    else:
        open_conditions[-1].has_others = True


# What must be found, by line, and what must not.
SAMPLES = {
    "import Foundation\ninternal import Glibc\n": [2],
    "public import FoundationEssentials\n": [1],
    "#if os(Linux)\nimport Glibc\n#else\nimport Darwin\n#endif\n": [],
    "#if canImport(Glibc)\nimport Glibc\n#endif\n": [1, 2],
    "func f() {\n    #if os(Linux)\n        g()\n    #endif\n}\n": [2],
    "#if DEBUG\nlet id = gettid()\n#endif\n": [2],
    'let status = read("/proc/self/status")\n': [1],
    "// like inotify_init() of Linux\nlet open = O_CLOEXEC\n": [],
}


def main() -> int:
    for sample, lines in SAMPLES.items():
        found = [number for number, _ in objections(sample)]
        if found != lines:
            sys.exit(f"this check is blind: in\n{sample}it found lines {found} instead of {lines}")
    problems = []
    for module in PORTABLE.split():
        sources = sorted(Path(f"Sources/{module}").rglob("*.swift"))
        if not sources:
            problems.append(f"Sources/{module}: there is nothing of that name; see {sys.argv[0]}")
        for path in sources:
            problems += [f"{path}:{line}: {why}" for line, why in objections(path.read_text(encoding="utf-8"))]
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
