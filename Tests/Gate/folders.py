#!/usr/bin/env python3
"""The folders of a module use each other in one direction, and no two modules declare public types of one name.

Usage: folders.py BINARIES, after a debug build; BINARIES is what `swift build --show-bin-path` prints.

The compiler's index says which file declares and which file uses a symbol. A module's folders may have no cycle of uses.
The module's own directory counts as one of the folders: the files that are directly in it.
"""

import collections
import json
import re
import subprocess
import sys
from pathlib import Path

from compilerindex import DEFINITION, NO_DECLARATIONS, REFERENCE, CompilerIndex, Symbol

# Modules whose folders are not in order yet.
UNCHECKED = {"LineView", "WebPageView", "Controllers", "SatchelScreens", "ControllerKit", "Records"}

# Names that two modules may use for types of their own, and why.
SHARED_NAMES: dict[str, str] = {}

ROOT = "the module's directory"
SHOWN = 8

Edges = dict[tuple[str, str], list[tuple[Path, str]]]


def folder(path: Path) -> str:
    """The folder of a source file `Sources/Module/Folder/…`."""
    return path.parts[2] if len(path.parts) > 3 else ROOT


def sources(index: CompilerIndex) -> dict[str, dict[Path, list[Symbol]]]:
    """The symbols of each file of each module below Sources."""
    modules: dict[str, dict[Path, list[Symbol]]] = collections.defaultdict(dict)
    for module, path, record in index.files():
        if path.parts[0] == "Sources" and path.parts[1] == module:
            modules[module][path] = index.symbols(record)
    return modules


def edges(files: dict[Path, list[Symbol]]) -> Edges:
    """Which folder uses which, with the files that do and what they use."""
    declared = {
        symbol.usr: folder(path) for path, symbols in files.items() for symbol in symbols
        if symbol.roles & DEFINITION and symbol.kind not in NO_DECLARATIONS
    }
    found: Edges = collections.defaultdict(list)
    for path, symbols in files.items():
        for symbol in symbols:
            other = declared.get(symbol.usr)
            if symbol.roles & REFERENCE and other is not None and other != folder(path):
                found[folder(path), other].append((path, symbol.name))
    return found


def reached(start: str, uses: Edges) -> set[str]:
    """The folders that one uses, directly and indirectly."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        following = {other for one, other in uses if one == name} - found
        found |= following
        waiting += following
    return found


def cycles(module: str, uses: Edges) -> list[str]:
    """What is wrong with a module's folders."""
    problems = []
    for (one, other), places in sorted(uses.items()):
        if one not in reached(other, uses):
            continue
        problems.append(f"{module}: {one} uses {other}, which uses {one}, directly or through others")
        problems += [f"    {path}: {name}" for path, name in sorted(set(places))[:SHOWN]]
        if len(set(places)) > SHOWN:
            problems.append(f"    and {len(set(places)) - SHOWN} more")
    return problems


TYPE = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:public|package)\s+(?:(?:final|indirect)\s+)*(?:actor|class|enum|protocol|struct|typealias)\s+(\w+)",
    re.M,
)


def libraries() -> list[str]:
    dump = subprocess.run(["swift", "package", "dump-package"], check=True, capture_output=True, text=True)
    return [target["name"] for target in json.loads(dump.stdout)["targets"] if target["type"] == "regular"]


def shared_names() -> list[str]:
    """The names of public and package types that more than one module declares at its top level."""
    homes: dict[str, list[str]] = collections.defaultdict(list)
    for module in libraries():
        texts = [path.read_text(encoding="utf-8") for path in Path("Sources", module).rglob("*.swift")]
        for name in sorted({name for text in texts for name in TYPE.findall(text)}):
            homes[name].append(module)
    return [
        f"{name} is a public type of more than one module: {', '.join(modules)}"
        for name, modules in sorted(homes.items()) if len(modules) > 1 and name not in SHARED_NAMES
    ]


def main() -> int:
    index = CompilerIndex(Path(sys.argv[1]))
    modules = sources(index)
    problems = shared_names()
    for module, files in sorted(modules.items()):
        if module not in UNCHECKED:
            problems += cycles(module, edges(files))
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
