#!/usr/bin/env python3
"""Every public symbol has a doc comment.

The compiler reports what is public and its comment: this reads the symbol graphs of the modules that were built.
Usage: documented.py BINARIES, after `swift build`; BINARIES is what `swift build --show-bin-path` prints.

No comment is needed for the implementation of a documented requirement (it inherits the comment), coding keys, and
an initialiser that only sets properties, which have their own comments.
"""

import sys
from pathlib import Path

from symbols import graph, modules

ROOT = Path.cwd()


def undocumented(graph: dict) -> list[str]:
    symbols = graph["symbols"]
    properties = {tuple(symbol["pathComponents"]) for symbol in symbols if is_kind(symbol, "property")}
    return [place(symbol) for symbol in symbols if "docComment" not in symbol and is_due(symbol, properties)]


def is_due(symbol: dict, properties: set[tuple[str, ...]]) -> bool:
    """Whether a symbol needs its own comment."""
    path = symbol["pathComponents"]
    if "location" not in symbol or "CodingKeys" in path or is_kind(symbol, "extension"):
        return False
    return not (is_kind(symbol, "init") and takes_only_properties(path, properties))


def takes_only_properties(path: list[str], properties: set[tuple[str, ...]]) -> bool:
    labels = path[-1].removeprefix("init(").removesuffix(")").split(":")[:-1]
    return all((*path[:-1], label) in properties for label in labels)


def is_kind(symbol: dict, kind: str) -> bool:
    return symbol["kind"]["identifier"] == f"swift.{kind}"


def place(symbol: dict) -> str:
    location = symbol["location"]
    path = Path(location["uri"].removeprefix("file://"))
    path = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    return f"{path}:{location['position']['line'] + 1}: {'.'.join(symbol['pathComponents'])} has no doc comment"


def main() -> int:
    missing = []
    for module in modules():
        missing += undocumented(graph(module, Path(sys.argv[1])))
    print("\n".join(sorted(missing)))
    return 1 if missing else 0


sys.exit(main())
