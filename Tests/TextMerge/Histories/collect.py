#!/usr/bin/env python3
"""Collects versions of this repository's own files into histories.json, for the tests of merges.

Each entry is a base and the two versions that come from it: where two branches met in a merge commit, what both had
made of the file; else, of three versions in a row, the middle one as the base and its neighbours as the sides. A text is
runs of lines (the number of the first, and how many), so that the file stays small. Run it in a full clone: Tests/TextMerge/Histories/collect.py
"""

import json
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT = 250_000
KINDS = (".md", ".swift", ".py", ".sh")
VERSIONS, FILES = 8, 60


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=HERE, capture_output=True, check=True).stdout


def content(commit, path):
    try:
        return git("show", f"{commit}:{path}").decode()
    except (subprocess.CalledProcessError, UnicodeDecodeError):
        return None


def merged():
    """(base, one, other) of each file that both parents of a merge had changed."""
    for line in git("log", "--merges", "--format=%H %P").decode().splitlines():
        _, one, other = line.split()[:3]
        base = git("merge-base", one, other).decode().strip()
        changed = [set(git("diff", "--name-only", base, side).decode().splitlines()) for side in (one, other)]
        for path in sorted(changed[0] & changed[1]):
            if path.endswith(KINDS):
                yield tuple(content(commit, path) for commit in (base, one, other))


def in_a_row():
    """(middle, before, after) of the files with the longest histories."""
    paths = [path for path in git("ls-files", ":/").decode().splitlines() if path.endswith(KINDS)]
    logs = {path: git("log", "--no-merges", "--format=%H", "--", f":/{path}").decode().split()[::-1] for path in paths}
    for path in sorted(paths, key=lambda path: (-len(logs[path]), path))[:FILES]:
        versions = [text for text in (content(commit, path) for commit in logs[path][-VERSIONS:]) if text is not None]
        for before, middle, after in zip(versions, versions[1:], versions[2:]):
            yield middle, before, after


def runs(numbers):
    """The numbers as [first, how many, first, how many, …]."""
    runs = []
    for number in numbers:
        if runs and number == runs[-2] + runs[-1]:
            runs[-1] += 1
        else:
            runs += [number, 1]
    return runs


def main():
    numbers, triples = {}, []
    for triple in [*merged(), *in_a_row()]:
        if None in triple or len(set(triple)) < 3 or sum(map(len, triple)) > 60_000:
            continue
        texts = [runs(numbers.setdefault(line, len(numbers)) for line in text.split("\n")) for text in triple]
        if texts not in triples:
            triples.append(texts)
        if len(text := json.dumps({"lines": list(numbers), "triples": triples}, separators=(",", ":"))) > LIMIT:
            triples.pop()
            break
        kept = text
    (HERE / "histories.json").write_text(kept + "\n")
    print(f"{len(triples)} triples, {len(kept)} bytes")


if __name__ == "__main__":
    main()
