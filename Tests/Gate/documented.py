#!/usr/bin/env python3
"""Every public symbol has a doc comment.

The compiler says what is public and what stands above it: this reads the symbol graphs of the modules that were built.
Usage: documented.py BINARIES, after `swift build`; BINARIES is what `swift build --show-bin-path` prints.

Without a comment may be: what fulfils a requirement that has one (the compiler hands its comment on), coding keys, and
an initialiser that only takes the values of properties, which have their comments themselves.
"""

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path.cwd()


def modules() -> list[str]:
    dump = subprocess.run(["swift", "package", "dump-package"], check=True, capture_output=True, text=True)
    targets = json.loads(dump.stdout)["targets"]
    return sorted(target["name"] for target in targets if target["type"] == "regular")


def search_paths(binaries: Path) -> list[str]:
    """Where the compiled modules and the C modules below them are found."""
    checkouts = binaries.parent.parent / "checkouts"
    maps = [*ROOT.glob("Sources/*/module.modulemap"), *checkouts.glob("*/Sources/**/module.modulemap")]
    generated = [f"-fmodule-map-file={path}" for path in binaries.glob("*.build/module.modulemap")]
    paths = ["-I", str(binaries / "Modules")]
    for map in maps:
        paths += ["-I", str(map.parent)]
    for map in generated:
        paths += ["-Xcc", map]
    return paths


def graph(module: str, paths: list[str], output: str) -> dict:
    command = ["swift", "symbolgraph-extract", "-module-name", module, *paths, "-minimum-access-level", "public"]
    command += ["-skip-synthesized-members", "-target", f"{platform.machine()}-unknown-linux-gnu"]
    result = subprocess.run([*command, "-output-dir", output], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{module}: its symbols can't be read\n{result.stderr}")
    return json.loads((Path(output) / f"{module}.symbols.json").read_text(encoding="utf-8"))


def undocumented(graph: dict) -> list[str]:
    symbols = graph["symbols"]
    properties = {tuple(symbol["pathComponents"]) for symbol in symbols if is_kind(symbol, "property")}
    return [place(symbol) for symbol in symbols if "docComment" not in symbol and is_due(symbol, properties)]


def is_due(symbol: dict, properties: set[tuple[str, ...]]) -> bool:
    """Whether a symbol needs a comment of its own."""
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
    paths = search_paths(Path(sys.argv[1]))
    missing = []
    with tempfile.TemporaryDirectory() as output:
        for module in modules():
            missing += undocumented(graph(module, paths, output))
    print("\n".join(sorted(missing)))
    return 1 if missing else 0


sys.exit(main())
