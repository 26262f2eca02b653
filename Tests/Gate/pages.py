#!/usr/bin/env python3
"""The documentation of the modules holds together: each library has a page of its own, whose symbols are declared, and
which leads to every article beside it; ControllerKit's names all its types; decisions are numbered without a gap; a page that
a comment or another page cites exists, and has the section that is cited."""

import ast
import io
import re
import subprocess
import sys
import tokenize
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
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    symbols = sorted({re.split(r"[(/]", name)[0] for name in re.findall(r"``([^`]+)``", prose)} - known)
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


# A page of the repository, by the end of its path, and one of its sections: SyncAPI.docc/Protocol.md, "Data".
CITED = re.compile(r'(?<![\w/"\'.-])((?:[\w.-]+/)*[A-Z][\w-]*\.md)\b(?:, "([^"]+)")?')


def prose(path: Path, text: str) -> str:
    """What of a file is written for its readers: the text of a page, the comments of a source."""
    match path.suffix:
        case ".md":
            return text
        case ".patch":
            return text.partition("diff --git")[0]
        case ".swift":
            return "\n".join(re.findall(r"^.*?//+(.*)$|^$", text, re.M))
        case ".py":
            comments = [token.string[1:] for token in tokenize.generate_tokens(io.StringIO(text).readline)
                        if token.type == tokenize.COMMENT]
            nodes = [node for node in ast.walk(ast.parse(text))
                     if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))]
            return "\n".join([*comments, *(ast.get_docstring(node) or "" for node in nodes)])
        case "" | ".sh":
            return "\n".join(re.findall(r"^\s*#(.*)$|^$", text, re.M))
        case _:
            return ""


def citations(paths: list[Path]) -> list[str]:
    """The pages and sections that are cited and are not there."""
    pages = [path for path in paths if path.suffix == ".md"]
    headings = {page: set(re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)) for page in pages}
    problems = []
    for path in paths:
        if path.suffix not in {".md", ".patch", ".swift", ".py", ".sh", ""}:
            continue
        text = " ".join(prose(path, path.read_text(encoding="utf-8")).split())
        for name, section in CITED.findall(text):
            found = [page for page in pages if page.parts[-name.count("/") - 1:] == tuple(name.split("/"))]
            if len(found) != 1:
                named = f"{len(found)} pages of this name; begin with the folder" if found else "no such page"
                problems.append(f"{path}: cites {name}: {named}")
            elif section and section not in headings[found[0]]:
                problems.append(f"{path}: cites {name}, \"{section}\": the page has no such section")
    return problems


def tracked() -> list[Path]:
    """The repository's files, those that are not committed yet included."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [path for path in map(Path, filter(None, listing.split("\0"))) if path.is_file()]


def main() -> int:
    modules = sorted(path for path in Path("Sources").iterdir() if any(path.rglob("*.swift")))
    problems = [problem for module in modules for problem in landing(module)] + unnamed(Path("Sources/ControllerKit"))
    problems += citations(tracked())
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
