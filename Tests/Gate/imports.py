#!/usr/bin/env python3
"""Allowed imports.

The build itself refuses an import that a target doesn't declare (--explicit-target-dependency-import-check error). This
check refuses the declaration, too, if the design doesn't allow it: it reads what Package.swift declares and what the
sources import, and compares both with the tables below. A new module needs a line here. The diagram of the modules in
the architecture page has to show the same dependencies.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

CLIENT = "SafeText ControllerKit Records SyncAPI Backend CurlTransport LocalStore Notebook SyncEngine Controllers Interchange Processes Manual PrivateFiles Locking"
VIEWS = "Terminal LineView JSONLinesView MCPView WebPageView SatchelScreens"
SERVER = "TextMerge SyncAPI Records ServerCore SQLiteServerStore PostgreSQLServerStore Manual PrivateFiles"

# Our own modules that each target may import directly.
OURS = {
    "SafeText": "",
    "ControllerKit": "SafeText",
    "CanonicalJSON": "",
    "TextMerge": "",
    "Records": "CanonicalJSON TextMerge",
    "SyncAPI": "Records",
    "Interchange": "Records",
    "Backend": "SyncAPI Records Locking",
    "CurlTransport": "Backend Locking CCurl",
    "LocalStore": "Records Backend PrivateFiles Locking SQLiteRows",
    "Notebook": "TextMerge Records LocalStore Interchange",
    "SyncEngine": "Records SyncAPI Backend LocalStore",
    "Controllers": "ControllerKit TextMerge Records Notebook SyncAPI Backend LocalStore SyncEngine Interchange PrivateFiles Locking",
    "Processes": "PrivateFiles",
    "Manual": "",
    "Markdown": "CMarkGFM Locking",
    "PrivateFiles": "",
    "Locking": "",
    "SQLiteRows": "",
    "TOMLText": "",
    "Terminal": "SafeText PrivateFiles Locking CLibedit",
    "LineView": "ControllerKit Terminal TextMerge Manual SafeText",
    "JSONLinesView": "ControllerKit CanonicalJSON",
    "MCPView": "ControllerKit CanonicalJSON SafeText",
    "WebPageView": "ControllerKit SafeText PrivateFiles",
    "SatchelScreens": "ControllerKit Controllers Records SafeText Terminal LineView WebPageView Manual Markdown",
    "ServerCore": "SyncAPI Records CArgon2 CMalloc CZlib",
    "SQLiteServerStore": "ServerCore SyncAPI Records PrivateFiles SQLiteRows",
    "PostgreSQLServerStore": "CPostgreSQL ServerCore SyncAPI Records",
    "SatchelApp": f"{CLIENT} {VIEWS} TOMLText CMalloc",
    "satchel": f"{CLIENT} {VIEWS} SatchelApp",
    "SatcheldApp": f"{SERVER} SafeText",
    "satcheld": "SatcheldApp",
    "TestSupport": f"{CLIENT} {VIEWS} {SERVER}",
    "FuzzTargets": f"{CLIENT} {VIEWS} {SERVER} CanonicalJSON Markdown TOMLText",
    "fuzz": "FuzzTargets",
    "CSimulatedDisk": "",
    "Simulation": f"{CLIENT} {SERVER} TestSupport CSimulatedDisk",
    "simulate": "Simulation",
    "Yardstick": "",
    "YardstickServer": "",
    "MergeTexts": "Records",
    "recur": "Records",
}

# Third-party libraries that few targets may import, and these targets. The server that tests start in process runs
# Hummingbird's application, and the benchmarks' yardsticks are GRDB, or Hummingbird, and nothing else.
WALLED = {
    r"GRDB(SQLite)?": "LocalStore SQLiteServerStore SQLiteRows Yardstick",
    r"Hummingbird\w*": "ServerCore WebPageView TestSupport YardstickServer",
    r"TOMLKit": "TOMLText",
}

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:typealias|struct|class|enum|protocol|let|var|func)\s+)?(\w+)"
)


def package() -> dict:
    dump = subprocess.run(["swift", "package", "dump-package"], check=True, capture_output=True, text=True)
    return json.loads(dump.stdout)


def declared(target: dict) -> list[str]:
    """The names of a target's direct dependencies: targets and products alike."""
    return [next(iter(dependency.values()))[0] for dependency in target["dependencies"]]


def imports(folder: Path) -> list[tuple[str, str]]:
    """Each import below a folder: its file and line, and the module."""
    found = []
    for path in sorted(folder.rglob("*.swift")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if match := IMPORT.match(line):
                found.append((f"{path}:{number}", match[1]))
    return found


def objection(name: str, module: str, own: set[str]) -> str | None:
    """Why a target may not depend on a module; None if it may."""
    if module in own and module != name and module not in OURS[name].split():
        return f"{name} may not depend on {module}; the design lets it depend on: {OURS[name] or 'nothing of ours'}"
    for pattern, allowed in WALLED.items():
        if re.fullmatch(pattern, module) and name not in allowed.split():
            return f"{name} may not depend on {module}; that is for {', '.join(allowed.split())}"
    return None


ARCHITECTURE = Path("Sources/Controllers/Controllers.docc/Architecture.md")


def reached(name: str, graph: dict[str, set[str]]) -> set[str]:
    """The targets on which one depends, directly and indirectly."""
    return set().union(*({other} | reached(other, graph) for other in graph.get(name, ())))


def drawn() -> set[tuple[str, str]]:
    """The arrows of the diagram."""
    lines = re.search(r"```mermaid\ngraph TD\n(.*?)```", ARCHITECTURE.read_text(encoding="utf-8"), re.S)
    arrows = [line.split("-->") for line in lines[1].splitlines()] if lines else []
    return {(name.strip(), other.strip()) for name, others in arrows for other in others.split("&")}


def differences(targets: list[dict]) -> list[str]:
    """Differences between the diagram and the package."""
    shown = {target["name"] for target in targets if not target.get("path", "").startswith("Tests/")}
    shown -= {target["name"] for target in targets if target["type"] == "system"}
    graph = {target["name"]: shown.intersection(declared(target)) for target in targets if target["name"] in shown}
    direct = {
        (name, other) for name, others in graph.items() for other in others
        if not any(other in reached(third, graph) for third in others)
    }
    return [f"{ARCHITECTURE}: the diagram lacks {name} --> {other}" for name, other in sorted(direct - drawn())] + [
        f"{ARCHITECTURE}: Package.swift has no dependency {name} --> {other}, or it follows from others"
        for name, other in sorted(drawn() - direct)
    ]


def main() -> int:
    targets = [target for target in package()["targets"] if target["type"] != "test"]
    own = {target["name"] for target in targets}
    problems = []
    for target in targets:
        name = target["name"]
        if target["type"] == "system":
            continue
        if name not in OURS:
            problems.append(f"Package.swift: the target {name} has no line in Tests/Gate/imports.py")
            continue
        folder = Path(target.get("path") or f"Sources/{name}")
        uses = [("Package.swift", module) for module in declared(target)] + imports(folder)
        reasons = [(where, objection(name, module, own)) for where, module in uses]
        problems += [f"{where}: {reason}" for where, reason in reasons if reason]
    problems += differences(targets)
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
