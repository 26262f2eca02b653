#!/usr/bin/env python3
"""The folders of a module use each other in one direction, and no two modules declare public types of one name.

Usage: folders.py BINARIES, after a debug build; BINARIES is what `swift build --show-bin-path` prints.

The compiler's index says which file declares and which file uses a symbol. A module's folders may have no cycle of uses.
The module's own directory counts as one of the folders: the files that are directly in it.
"""

import collections
import re
import sys
from pathlib import Path

from compilerindex import DEFINITION, NO_DECLARATIONS, REFERENCE, CompilerIndex, Symbol
from symbols import modules

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
    found: dict[str, dict[Path, list[Symbol]]] = collections.defaultdict(dict)
    for module, path, record in index.files():
        if path.parts[0] == "Sources" and path.parts[1] == module:
            found[module][path] = index.symbols(record)
    return found


def edges(files: dict[Path, list[Symbol]]) -> Edges:
    """Which folder uses which, with the files and the symbols that they use."""
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


def path(start: str, end: str, uses: Edges) -> list[str] | None:
    """The shortest chain of folders by which one uses another; None if it doesn't."""
    chains = [[start]]
    seen = {start}
    while chains:
        chain = chains.pop(0)
        if chain[-1] == end:
            return chain
        following = sorted({other for one, other in uses if one == chain[-1]} - seen)
        seen.update(following)
        chains += [[*chain, other] for other in following]
    return None


def cycles(module: str, uses: Edges) -> list[str]:
    """The faults of a module's folders."""
    problems = []
    for (one, other), places in sorted(uses.items()):
        back = path(other, one, uses)
        if back is None:
            continue
        found = sorted(set(places))
        problems.append(f"{module}: a cycle of folders: {' -> '.join([one, *back])}; {one} uses of {other}:")
        problems += [f"    {path}: {name}" for path, name in found[:SHOWN]]
        if len(found) > SHOWN:
            problems.append(f"    and {len(found) - SHOWN} more")
    return problems


TYPE = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:public|package)\s+(?:(?:final|indirect)\s+)*(?:actor|class|enum|protocol|struct|typealias)\s+(\w+)",
    re.M,
)


def shared_names() -> list[str]:
    """The names of public and package types that more than one module declares at its top level."""
    homes: dict[str, list[str]] = collections.defaultdict(list)
    for module in modules():
        texts = [path.read_text(encoding="utf-8") for path in Path("Sources", module).rglob("*.swift")]
        for name in sorted({name for text in texts for name in TYPE.findall(text)}):
            homes[name].append(module)
    return [
        f"{name} is a public type of more than one module: {', '.join(found)}"
        for name, found in sorted(homes.items()) if len(found) > 1 and name not in SHARED_NAMES
    ]


def main() -> int:
    index = CompilerIndex(Path(sys.argv[1]))
    problems = shared_names()
    for module, files in sorted(sources(index).items()):
        problems += cycles(module, edges(files))
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
