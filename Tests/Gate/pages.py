#!/usr/bin/env python3
"""The documentation is consistent: each library has a page of its own, which links to all articles of the library; ControllerKit's
names all its types; decisions are numbered without a gap. No reference is dead: a page that a comment or another page cites exists
and has the cited section, and so do linked files, paths in backticks, symbols, and the commands and options of Satchel in the pages
for users. The rows of a table have the same number of cells. The list of decisions has all records, each security requirement that
is met names a file, the glossary is sorted, the README is short and names the packages of the programs' version, and the changelog's
newest version is that of the programs, with its day once it is released."""

import ast
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

DECLARED = re.compile(r"^\s*(?:public|open) (?:[\w()]+ )*?(?:actor|struct|enum|class|protocol|func|typealias) (\w+)", re.M)


def landing(module: Path) -> list[str]:
    """The faults of a module's own page."""
    folder = module / f"{module.name}.docc"
    page = folder / f"{module.name}.md"
    if not page.exists():
        return [f"{page}: the module has no page"]
    text = page.read_text(encoding="utf-8")
    articles = {path.stem for path in folder.glob("*.md")} - {module.name}
    linked = set(re.findall(r"<doc:([\w-]+)>", text))
    return (
        [f"{page}: doesn't link to {name}.md" for name in sorted(articles - linked)]
        + symbols(module)
        + decisions(folder, articles)
    )


def symbols(module: Path) -> list[str]:
    """Missing symbols and articles to which a module's pages link."""
    folder = module / f"{module.name}.docc"
    sources = "\n".join(path.read_text(encoding="utf-8") for path in module.rglob("*.swift"))
    types = set(DECLARED.findall(sources)) | {module.name}
    members = set(re.findall(r"\b(?:func|let|var|case|struct|enum|class|actor|protocol|typealias) `?(\w+)", sources)) | {"init"}
    members |= {name for cases in re.findall(r"\bcase ([\w, ]+)$", sources, re.M) for name in cases.split(", ")}
    problems = []
    for page in sorted(folder.glob("*.md")):
        text = without_code(page.read_text(encoding="utf-8"))
        for name in sorted(set(re.findall(r"``([^`\n]+)``", text))):
            first, *rest = re.sub(r"\([^)]*\)", "", name).split("/")
            if first not in types | (members if first == name or "(" in name else set()) or not set(rest) <= members:
                problems.append(f"{page}: the module declares no {name}")
        problems += [f"{page}: there is no {name}.md" for name in sorted(set(re.findall(r"<doc:([\w-]+)>", text)))
                     if not (folder / f"{name}.md").exists()]
    return problems


def without_code(text: str) -> str:
    """A page without its blocks of code."""
    return re.sub(r"(?ms)^```.*?^```", "", text)


LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
# A path of the repository in backticks, without the arguments of a command.
PATH = re.compile(r"`((?:Sources|Tests|Client|Server)/[\w./+-]*\w)(?: [^`]*)?`")


def paths(pages: list[Path]) -> list[str]:
    """Missing files to which pages link or which they name."""
    problems = []
    for page in pages:
        text = without_code(page.read_text(encoding="utf-8"))
        for target in LINK.findall(text):
            places = [page.parent / target, page.parent / "Resources" / target]
            if "://" not in target and not any(place.exists() for place in places):
                problems.append(f"{page}: links to {target}, which doesn't exist")
        problems += [f"{page}: names {name}, which doesn't exist" for name in PATH.findall(text)
                     if not Path(name).exists() and not list(Path(name).parent.glob(f"{Path(name).name}.*"))]
    return problems


def cells(line: str) -> list[str]:
    """The cells of a table's line; none if it isn't one."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] if line.startswith("|") else []


def tables(pages: list[Path]) -> list[str]:
    """The rows of tables that have another number of cells than the heading."""
    problems = []
    for page in pages:
        width = 0
        for line in without_code(page.read_text(encoding="utf-8")).splitlines():
            count = len(cells(line))
            if count and width not in (0, count):
                problems.append(f"{page}: a row has {count} cells in a table of {width} columns: {line}")
            width = (width or count) if count else 0
    return problems


# The pages whose commands are checked, and the columns of commands in their tables.
FOR_USERS = [Path("README.md"), Path("Sources/ServerCore/ServerCore.docc/Operating.md"), *Path("Sources/SatchelScreens").rglob("*.md")]
COMMAND_COLUMNS = {"type", "command", "Satchel"}


def commands(pages: list[Path]) -> list[str]:
    """The commands and options of Satchel in the pages for users that the programs don't have."""
    sources = [path.read_text(encoding="utf-8") for top in ("Sources", "Client", "Server") for path in Path(top).rglob("*.swift")]
    swift = "\n".join(sources)
    verbs = set(re.findall(r'\b(?:Verb|FrontendCommand)\(\s*"([a-z]+)"', swift))
    own = re.search(r"enum PromptCommand: [^{]*\{\s*case ([a-z, ]+)", Path("Sources/LineView/Help/HelpLines.swift").read_text())
    verbs |= set(own.group(1).split(", "))
    # A front end whose command has its own name.
    verbs |= {name for source in sources if re.search(r"FrontendCommand\(\s*name,", source)
              for name in re.findall(r'static var name: String \{ "(\w+)" \}', source)}
    server = {name.lower() for source in Path("Sources/SatcheldApp").rglob("*.swift")
              for name in re.findall(r"(?m)^struct (\w+): (?:AsyncParsable|Owner|Account)Command", source.read_text(encoding="utf-8"))}
    problems = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        code = re.findall(r"`([^`\n]+)`", text) + re.findall(r"(?m)^    (?:sudo )?(\S.*)$", text)
        code += [line for block in re.findall(r"(?ms)^```[a-z]*\n(.*?)^```", text) for line in block.splitlines()]
        used = [word for line in code for word in re.findall(r"(?:^|\$ |; |source <\()satchel ([a-z]+)\b", line)]
        used += [line.split()[0] for line in first_cells(text) if re.match(r"[a-z]+\b", line)]
        problems += [f"{page}: Satchel has no command {name}" for name in sorted(set(used) - verbs - {"satchel", "satcheld"})]
        called = {word.replace("-", "") for line in code for word in re.findall(r"^satcheld ([a-z]+(?:-[a-z]+)*)\b", line)}
        problems += [f"{page}: satcheld has no command {name}" for name in sorted(called - server)]
        options = {word for line in code if not re.match(r"(swift|sudo|apt|curl|docker|tar|Client/|Tests/)", line)
                   for word in re.findall(r"(?<![\w-])--([a-z][a-z-]+)", line)}
        problems += [f"{page}: there is no option --{name}" for name in sorted(options) if not has_option(name, swift)]
    return problems


def first_cells(text: str) -> list[str]:
    """The code in the columns of commands of a page's tables."""
    found, column = [], None
    for line in text.splitlines():
        row = cells(line)
        if not row:
            column = None
        elif column is None:
            column = next((index for index, cell in enumerate(row) if cell in COMMAND_COLUMNS), -1)
        elif 0 <= column < len(row):
            found += [code.removeprefix("satchel ") for code in re.findall(r"`([^`]+)`", row[column])]
    return found


def has_option(name: str, swift: str) -> bool:
    """Whether a program declares an option: by its name, by a property, or as the file of an argument."""
    property = re.sub(r"-([a-z])", lambda match: match.group(1).upper(), name)
    if f'"{name}"' in swift or re.search(rf"\bvar {property}\b|\bcase {property}\b|case [\w, ]*\b{property}\b", swift):
        return True
    return name.endswith("-file") and has_option(name.removesuffix("-file"), swift)


def recorded(pages: list[Path]) -> list[str]:
    """The recorded decisions that the list of all decisions lacks, and its lines without a record."""
    page = Path("Sources/Controllers/Controllers.docc/Decisions.md")
    listed = {(title, place) for title, place in re.findall(r"(?m)^\| \w+ \| (.*) \| ([\w./-]+\.md) \|$", page.read_text(encoding="utf-8"))}
    records = set()
    for path in pages:
        text, place = path.read_text(encoding="utf-8"), "/".join(path.parts[-2:])
        if re.match(r"\d{4}-", path.name):
            records.add((re.match(r"# \d+\. (.*)", text).group(1), place))
        records |= {(title.removesuffix("."), place) for title in re.findall(r"(?m)^\*\*\d+\. (.*?)\*\* Status:", text)}
    return [f"{page}: lacks “{title}” of {place}" for title, place in sorted(records - listed)] + [
        f"{page}: there is no “{title}” in {place}" for title, place in sorted(listed - records)]


# The README is an overview; longer texts belong in other pages.
README_LINES = 180


def readme() -> list[str]:
    """Whether the README is short, and names the packages of the programs' version."""
    text = Path("README.md").read_text(encoding="utf-8")
    lines, version = len(text.splitlines()), constant("version")
    problems = [f"README.md: {lines} lines, more than {README_LINES}"] if lines > README_LINES else []
    named = re.findall(r"\bsatcheld?[_-](\d[\w.]*?)[_-]", text)
    return problems + [f"README.md: names a package of {other}, not of {version}" for other in named if other != version]


def constant(name: str) -> str:
    """A constant of `Release`: the version of the programs, or its day."""
    source = Path("Sources/Manual/Manual.swift").read_text(encoding="utf-8")
    return re.search(rf'static let {name} = "(.*)"', source).group(1)


def glossary() -> list[str]:
    """Whether the glossary is sorted and has each term once."""
    page = Path("Sources/Controllers/Controllers.docc/Glossary.md")
    terms = re.findall(r"(?m)^- \*\*([^*]+)\*\*: ", page.read_text(encoding="utf-8"))
    pairs = zip(terms, terms[1:])
    return [f"{page}: {after} should be before {before}" for before, after in pairs if before.lower() >= after.lower()]


def changelog() -> list[str]:
    """Whether the changelog's newest version is that of the programs; a tagged one has its day."""
    page, version, day = Path("Sources/Controllers/Controllers.docc/Changelog.md"), constant("version"), constant("day")
    newest = re.search(r"(?m)^## (.*)$", page.read_text(encoding="utf-8")).group(1)
    tags = subprocess.run(["git", "tag", "--list", version], check=True, capture_output=True, text=True).stdout.split()
    released, planned = f"{version} ({day})", f"{version} (not released yet)"
    if newest == released or newest == planned and not tags:
        return []
    return [f"{page}: the newest section isn't {released}" + ("" if tags else f", nor {planned}")]


# The numbers of requirements of OWASP's ASVS 5.0.0, by level.
REQUIREMENTS = {"1": 70, "2": 183}
REQUIREMENT = re.compile(r"(?m)^\| v5\.0\.0-([\d.]+) \| ([12]) \| [^|]+ \| (met|not applicable|not met) \| ([^|]+) \|$")


def requirements() -> list[str]:
    """Whether the page of security requirements has each once, in order, with a file if it is met, and counts them right."""
    page = Path("Sources/ServerCore/ServerCore.docc/SecurityRequirements.md")
    text = page.read_text(encoding="utf-8")
    rows = REQUIREMENT.findall(text)
    problems = [f"{page}: {text.count('| v5.0.0-') - len(rows)} rows have another form"] if text.count("| v5.0.0-") != len(rows) else []
    numbers = [tuple(map(int, row[0].split("."))) for row in rows]
    problems += [f"{page}: {after} isn't after {before}" for before, after in zip(numbers, numbers[1:]) if before >= after]
    problems += [f"{page}: {number} is met and names no file" for number, _, state, by in rows
                 if state == "met" and not re.search(r"`(?:(?:Sources|Tests|Client|Server)/[^`]+|Package\.swift)`", by)]
    levels = [(level, {level}, count) for level, count in REQUIREMENTS.items()]
    for level, included, count in [*levels, (" and ".join(REQUIREMENTS), set(REQUIREMENTS), sum(REQUIREMENTS.values()))]:
        counts = [sum(row[1] in included and row[2] == state for row in rows) for state in ("met", "not applicable", "not met")]
        line = "| " + " | ".join(map(str, [level, *counts, count])) + " |"
        if sum(counts) != count or line not in text.splitlines():
            problems.append(f"{page}: level {level} has {sum(counts)} of {count} requirements; the line of counts is to be {line}")
    return problems


def unnamed(module: Path) -> list[str]:
    """The public top-level types of a module that its page doesn't name."""
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
    """The documentation in a file: the text of a page, the comments of a source."""
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
    """The pages and sections that are cited and missing."""
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
    """The repository's files, including uncommitted ones."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [path for path in map(Path, filter(None, listing.split("\0"))) if path.is_file()]


def main() -> int:
    modules = sorted(path for path in Path("Sources").iterdir() if any(path.rglob("*.swift")))
    problems = [problem for module in modules for problem in landing(module)] + unnamed(Path("Sources/ControllerKit"))
    files = tracked()
    pages = [path for path in files if path.suffix == ".md"]
    problems += citations(files) + paths(pages) + tables(pages) + commands(FOR_USERS) + glossary() + recorded(pages) + readme() + changelog() + requirements()
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
