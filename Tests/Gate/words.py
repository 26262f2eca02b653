#!/usr/bin/env python3
"""Names, messages, comments and pages are plain technical English: none uses a word of the lists below.

The lists are STYLE's: words that say less than the field's term ("told" for "reported", "stands" for "is stored"),
and old constructions ("is no date" for "isn't a date"). `ALLOWED` has the exceptions, each with a reason.

Usage: words.py [--self-test]
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

# What is banned, and what to write instead.
EVERYWHERE = {
    r"told": "reported, shown, passed",
    r"tells?": "reports, shows, says",
    r"telling": "reporting",
    r"stands?": "is, is stored, is written, applies",
    r"stood": "was, was stored",
    r"standing": "status",
    r"beside": "next to, together with",
    r"somebody": "the person who uses it, another device, a caller",
    r"nobody": "no one by name: no caller, no device, no other process",
    r"whoever": "the name of who does it",
    r"anew": "again",
    r"mend(?:s|ed|ing)?": "repair, fix",
    r"shall": "is to, must",
    r"reproach(?:es)?": "rejected draft, message",
}
PROSE = {
    r"for ever": "forever, without limit",
    r"give(?:s|n)? way to": "yield to, be replaced by",
    r"whence|thereof|wherein|hither|lest": "plain words",
}
MESSAGES = {
    r"(?<!there )is no(?! longer\b)": "isn't a",
    r"(?<!there )are no(?! longer\b)": "aren't",
    r"(?:it |is |was )so already": "already",
    r"by itself": "automatically",
    r"unforeseen": "unexpected",
    r"took back|take back|taken back": "undo, undid, undone",
    r"make an account|made the account": "create an account",
    r"remarks?": "annotation",
    r"I (?:don't|can't|know|read)": "no first person",
}
NAMES = {r"told", r"tells?", r"telling", r"stands?", r"stood", r"standing", r"beside", r"somebody", r"nobody", r"whoever",
         r"anew", r"mend(?:s|ed|ing)?", r"reproach", r"take", r"takes", r"taken", r"taking"}

# What is allowed all the same: a part of the line, and why.
ALLOWED = {
    "stand-in": "a term of testing",
    "standard": "another word",
    "long-standing": "an adjective",
    "stands for": "a symbol has a meaning",
    "stand for": "a symbol has a meaning",
    "changes-of-others-not-told": "the name of a mutant",
    "results-without-the-records-beside-them": "the name of a mutant",
    "no such": "not the construction",
    "usernameTaken": "the code `username-taken` of the protocol",
    "nameTaken": "a name that is in use",
    "isTaken": "a name that is in use",
}


class Finding(NamedTuple):
    kind: str
    line: int
    word: str
    instead: str
    text: str


LITERAL = re.compile(r'#?"((?:[^"\\]|\\.)*)"#?')
INTERPOLATION = re.compile(r"\\\((?:[^()]|\([^()]*\))*\)")
DECLARED = re.compile(r"\b(?:func|let|var|case|struct|enum|class|actor|protocol|typealias)\s+`?(\w+)")
PARAMETER = re.compile(r"[(,]\s*(\w+)(?: (\w+))?: ")


def parts(source: str) -> tuple[list[tuple[int, str]], list[tuple[int, str]], list[tuple[int, str]]]:
    """The comments, the texts of literals and the code of a Swift source, by line."""
    comments, texts, code = [], [], []
    is_long = False
    for number, line in enumerate(source.splitlines(), start=1):
        if is_long or '"""' in line:
            if line.count('"""') == 1:
                is_long = not is_long
            texts.append((number, INTERPOLATION.sub(" ", line.replace('"""', ""))))
            continue
        # The interpolations first: they may hold literals of their own.
        bare = INTERPOLATION.sub(" ", line)
        for text in LITERAL.findall(bare):
            texts.append((number, text))
        bare = LITERAL.sub('""', bare)
        before, slashes, comment = bare.partition("//")
        code.append((number, before))
        if slashes:
            comments.append((number, comment.lstrip("/")))
    return comments, texts, code


def words_of(name: str) -> list[str]:
    """takeNextWord → take, next, word."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def search(kind: str, number: int, text: str, banned: dict[str, str]) -> list[Finding]:
    plain = text
    for allowed in ALLOWED:
        plain = plain.replace(allowed, " ")
    # Code in a comment or a page is checked as a name.
    plain = re.sub(r"``[^`]*``|`[^`]*`", " ", plain)
    if kind == "comment":
        plain = re.sub(r"^ *- (?:Parameter )?\w+:", " ", plain)
    return [Finding(kind, number, found.group(0).strip(), instead, text.strip()) for word, instead in banned.items()
            for found in re.finditer(rf"\b(?:{word})(?!\w)", plain, re.I)]


def in_swift(source: str) -> list[Finding]:
    comments, texts, code = parts(source)
    found = [one for number, text in comments for one in search("comment", number, text, EVERYWHERE | PROSE)]
    found += [one for number, text in texts if " " in text.strip()
              for one in search("message", number, text, EVERYWHERE | PROSE | MESSAGES)]
    for number, line in code:
        names = {*DECLARED.findall(line), *(name for pair in PARAMETER.findall(line) for name in pair if name)}
        for name in sorted(names - set(ALLOWED)):
            bad = [word for word in words_of(name) if any(re.fullmatch(banned, word) for banned in NAMES)]
            found += [Finding("name", number, name, "a name of the field or the glossary", line.strip()) for _ in bad[:1]]
    return found


def in_page(text: str) -> list[Finding]:
    """A page of the documentation, its examples left out."""
    found, is_code = [], False
    for number, line in enumerate(text.splitlines(), start=1):
        is_code ^= line.lstrip().startswith("```")
        if not is_code and not line.startswith("    "):
            found += search("page", number, line, EVERYWHERE | PROSE)
    return found


def in_template(text: str) -> list[Finding]:
    """The text of a template, without its tags."""
    lines = enumerate(text.splitlines(), start=1)
    return [one for number, line in lines
            for one in search("message", number, re.sub(r"<[^>]*>|\{\{[^}]*\}\}", " ", line), EVERYWHERE | PROSE | MESSAGES)]


def tracked() -> list[Path]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "README.md", "Sources", "Client", "Server"]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [path for path in map(Path, filter(None, listing.split("\0"))) if path.is_file()]


def findings(path: Path) -> list[Finding]:
    match path.suffix:
        case ".swift":
            return in_swift(path.read_text(encoding="utf-8"))
        case ".md":
            return in_page(path.read_text(encoding="utf-8"))
        case ".mustache":
            return in_template(path.read_text(encoding="utf-8"))
        case _:
            return []


def self_test() -> None:
    """The gate finds what it must find, and nothing else."""
    bad = {
        "/// Nobody is told.": {"comment"},
        'throw Failure(.usage, "“\\(word)” is no date.")': {"message"},
        'let text = "Say it anew."  // and whoever asks': {"message", "comment"},
        "func takeWord(_ word: String) {}": {"name"},
        "init(standing value: Int) {}": {"name"},
        'let text = """\n    It stands there.\n    """': {"message"},
    }
    for source, kinds in bad.items():
        found = {one.kind for one in in_swift(source)}
        assert found == kinds, f"{source}: found {found}, not {kinds}"
    for source in [
        "/// The standard input; a stand-in for `tell`.", 'let key = "told"', 'print("It is no longer used.")',
        "/// - Parameter tell: Called with each signal.", "let known = usernameTaken", "let understandable = 1", 'open("https://nobody")',
    ]:
        assert not in_swift(source), f"{source}: {in_swift(source)}"
    assert in_page("It stands beside.") and not in_page("```\nIt stands beside.\n```\n")
    assert in_template("<p>Nobody</p>") and not in_template("{{#isNobody}}{{/isNobody}}")


def main() -> int:
    self_test()
    if "--self-test" in sys.argv:
        return 0
    problems = [f"{path}:{one.line}: {one.kind} “{one.word}” (write: {one.instead}): {one.text}"
                for path in tracked() for one in findings(path)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
