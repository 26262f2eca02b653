"""Merging long texts, compared with git's merge of the same files."""

import contextlib
import random
import subprocess

from harness import binary
from measuring import Goal, Row, timed


@contextlib.contextmanager
def friendly(place):
    """10,000 lines, of which each side has changed 250."""
    base = [f"line {number % 900}\n" for number in range(10_000)]
    sides = [list(base), list(base)]
    for number in range(10, 10_000, 40):
        sides[0][number] = f"mine {number}\n"
        sides[1][number + 20] = f"theirs {number}\n"
    yield row(place, base, *sides)


@contextlib.contextmanager
def rewritten(place):
    """10,000 lines that both sides have rewritten with the same 20: long runs without a match, and many matches."""
    dice = random.Random(5)
    texts = [[f"line {dice.randrange(20)}\n" for _ in range(10_000)] for _ in range(3)]
    yield row(place, *texts)


def row(place, *texts):
    files = [place / name for name in ("base", "one", "other")]
    for file, lines in zip(files, texts):
        file.write_text("".join(lines))
    merge = [binary("MergeTexts"), *map(str, files)]
    git = ["git", "merge-file", "-p", *map(str, (files[1], files[0], files[2]))]
    conflicts = subprocess.run(git, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    return Row(
        lambda _: timed(merge, status=1 if conflicts else 0), lambda _: timed(git, status=conflicts),
        "`git merge-file` of the same files", {"time": Goal(value=0.1)})
