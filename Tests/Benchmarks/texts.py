"""Merging long texts, beside git's own merge of the same files."""

import contextlib

from harness import binary
from measuring import Row, timed


@contextlib.contextmanager
def merge_texts(place):
    """10,000 lines, of which each side has changed 250 here and there."""
    base = [f"line {number % 900}\n" for number in range(10_000)]
    sides = [list(base), list(base)]
    for number in range(10, 10_000, 40):
        sides[0][number] = f"mine {number}\n"
        sides[1][number + 20] = f"theirs {number}\n"
    files = []
    for name, lines in zip(["base", "one", "other"], [base, *sides]):
        files.append(place / name)
        files[-1].write_text("".join(lines))
    git = ["git", "merge-file", "-p", *map(str, (files[1], files[0], files[2]))]
    yield Row(
        "merge of 10,000 lines", "`git merge-file` of the same files",
        lambda _: timed([binary("MergeTexts"), *map(str, files)]), lambda _: timed(git))
