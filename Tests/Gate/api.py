#!/usr/bin/env python3
"""The public API of the library products is what public-api.txt lists: one line for each symbol, sorted.

Usage: api.py BINARIES [--write | --count], after a debug build; BINARIES is what `swift build --show-bin-path` prints.

  --write   writes the list, for an intended change of the API, which belongs in the changelog
  --count   prints how many public symbols each module has
"""

import difflib
import sys
from pathlib import Path

from symbols import graph, libraries

LISTING = Path("Tests/Gate/public-api.txt")


def declaration(symbol: dict) -> str:
    """A symbol as it is declared, in one line, without attributes."""
    fragments = [part["spelling"] for part in symbol.get("declarationFragments", []) if part["kind"] != "attribute"]
    return " ".join("".join(fragments).split())


def conformances(graph: dict) -> dict[str, list[str]]:
    """The protocols to which each type conforms, by the type's identifier."""
    found: dict[str, list[str]] = {}
    for relation in graph["relationships"]:
        if relation["kind"] == "conformsTo":
            name = relation.get("targetFallback", relation["target"]).split(".")[-1]
            found.setdefault(relation["source"], []).append(name)
    return found


def lines(module: str, binaries: Path) -> list[str]:
    """The public symbols of a module, except those that the compiler derives from conformances."""
    symbols = graph(module, binaries)
    protocols = conformances(symbols)
    found = []
    for symbol in symbols["symbols"]:
        if "location" not in symbol or symbol["kind"]["identifier"] == "swift.extension":
            continue
        names = sorted(set(protocols.get(symbol["identifier"]["precise"], [])))
        kept = [name for name in names if not name.startswith("s:")]
        place = ".".join([module, *symbol["pathComponents"][:-1]])
        found.append(f"{place}: {declaration(symbol)}" + (f" : {', '.join(kept)}" if kept else ""))
    return found


def main() -> int:
    binaries, option = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    found = {module: lines(module, binaries) for module in libraries()}
    listing = sorted(line for lines in found.values() for line in lines)
    if option == "--count":
        for module, symbols in found.items():
            print(f"{len(symbols):6} {module}")
        print(f"{len(listing):6} in all")
        return 0
    if option == "--write":
        LISTING.write_text("\n".join(listing) + "\n", encoding="utf-8")
        return 0
    committed = LISTING.read_text(encoding="utf-8").splitlines() if LISTING.exists() else []
    changes = [line for line in difflib.unified_diff(committed, listing, lineterm="", n=0) if line[:1] in "+-"][2:]
    if changes:
        print("\n".join(changes))
        print(f"The public API differs from {LISTING}. If that is meant, run `Tests/Gate/api.py BINARIES --write`, and")
        print("describe the change in the changelog; otherwise make the declarations internal or package.")
    return 1 if changes else 0


sys.exit(main())
