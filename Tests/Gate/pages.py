#!/usr/bin/env python3
"""The documentation of the modules holds together: each library has a page of its own, whose symbols are declared, and
which leads to every article beside it; ControllerKit's names all its types; decisions are numbered without a gap."""

import re
import sys
from pathlib import Path

DECLARED = re.compile(r"^\s*(?:public|open) (?:[\w()]+ )*?(?:actor|struct|enum|class|protocol|func|typealias) (\w+)", re.M)


def landing(module: Path) -> list[str]:
    """What is wrong with a module's own page, and with what it names."""
    folder = module / f"{module.name}.docc"
    page = folder / f"{module.name}.md"
    if not page.exists():
        return [f"{page}: the module has no page"]
    text = page.read_text(encoding="utf-8")
    sources = "\n".join(path.read_text(encoding="utf-8") for path in module.rglob("*.swift"))
    known = set(DECLARED.findall(sources)) | {module.name}
    symbols = sorted({re.split(r"[(/]", name)[0] for name in re.findall(r"``([^`]+)``", text)} - known)
    articles = {path.stem for path in folder.glob("*.md")} - {module.name}
    linked = set(re.findall(r"<doc:([\w-]+)>", text))
    return (
        [f"{page}: the module declares no {name}" for name in symbols]
        + [f"{page}: leads to no {name}.md" for name in sorted(articles - linked)]
        + [f"{page}: there is no {name}.md" for name in sorted(linked - articles)]
        + decisions(folder, articles)
    )


def unnamed(module: Path) -> list[str]:
    """The public types of a module, those within others left out, that its page doesn't name."""
    page = (module / f"{module.name}.docc" / f"{module.name}.md").read_text(encoding="utf-8")
    sources = "\n".join(path.read_text(encoding="utf-8") for path in module.rglob("*.swift"))
    types = set(re.findall(r"^public (?:final )?(?:actor|struct|enum|class|protocol|typealias) (\w+)", sources, re.M))
    return [f"{module}: its page doesn't name {name}" for name in sorted(types) if f"``{name}``" not in page]


def decisions(folder: Path, articles: set[str]) -> list[str]:
    """Whether the numbers of decisions are 1, 2, 3, …, in names and headings alike."""
    numbered = sorted(name for name in articles if re.match(r"\d{4}-", name))
    wrong = [name for count, name in enumerate(numbered, start=1) if int(name[:4]) != count]
    headings = [name for name in numbered if not (folder / f"{name}.md").read_text().startswith(f"# {int(name[:4])}. ")]
    return [f"{folder}/{name}.md: the number isn't the next one, or not that of its heading" for name in wrong + headings]


def main() -> int:
    modules = sorted(path for path in Path("Sources").iterdir() if any(path.rglob("*.swift")))
    problems = [problem for module in modules for problem in landing(module)] + unnamed(Path("Sources/ControllerKit"))
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
