"""The public symbols of the modules, from the compiler's symbol graphs."""

import json
import platform
import subprocess
import sys
from pathlib import Path


def package() -> dict:
    """The description of Package.swift."""
    dump = subprocess.run(["swift", "package", "dump-package"], check=True, capture_output=True, text=True)
    return json.loads(dump.stdout)


def libraries() -> list[str]:
    """The modules that other packages can import."""
    products = [product["targets"] for product in package()["products"] if "library" in product["type"]]
    return sorted({target for targets in products for target in targets})


def modules() -> list[str]:
    """All modules except the programs and the tests."""
    return sorted(target["name"] for target in package()["targets"] if target["type"] == "regular")


def graph(module: str, binaries: Path) -> dict:
    """The symbol graph of a module that was built, with its extensions of other modules' types.

    It is stored with the build until the module is built again or this script changes.
    """
    output = binaries / "public-symbols"
    output.mkdir(exist_ok=True)
    file, built = output / f"{module}.symbols.json", binaries / "Modules" / f"{module}.swiftmodule"
    # A module of C has no such file.
    changed = max(path.stat().st_mtime for path in (built, Path(__file__)) if path.exists())
    if not file.exists() or file.stat().st_mtime < changed:
        for old in output.glob(f"{module}@*.symbols.json"):
            old.unlink()
        command = ["swift", "symbolgraph-extract", "-module-name", module, *_search_paths(binaries)]
        command += ["-minimum-access-level", "public", "-skip-synthesized-members"]
        command += ["-target", f"{platform.machine()}-unknown-linux-gnu", "-output-dir", str(output)]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{module}: its symbols can't be read\n{result.stderr}")
    files = [file, *sorted(output.glob(f"{module}@*.symbols.json"))]
    parts = [json.loads(part.read_text(encoding="utf-8")) for part in files]
    return {name: [entry for part in parts for entry in part[name]] for name in ("symbols", "relationships")}


def _search_paths(binaries: Path) -> list[str]:
    """The directories of the compiled modules and the C modules that they use."""
    checkouts = binaries.resolve().parent.parent / "checkouts"
    maps = [*Path.cwd().glob("Sources/*/module.modulemap"), *checkouts.glob("*/Sources/**/module.modulemap")]
    paths = ["-I", str(binaries / "Modules")]
    for map in maps:
        paths += ["-I", str(map.parent)]
    for map in binaries.glob("*.build/module.modulemap"):
        paths += ["-Xcc", f"-fmodule-map-file={map}"]
    return paths
