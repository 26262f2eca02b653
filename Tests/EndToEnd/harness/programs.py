"""Programs of the system that tests call. A missing one fails its test at once and is named with its Debian package."""

import shutil
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "programs"
PACKAGES = dict(
    line.split() for line in TABLE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#"))


class MissingProgram(Exception):
    """A program that a test needs is not installed."""

    def __init__(self, name):
        package = PACKAGES.get(name)
        hint = f"; on Debian: apt-get install {package}" if package else ""
        super().__init__(f"the program {name} is missing{hint}")


def program(name):
    """The path of a program, looked up on the PATH."""
    path = shutil.which(name)
    if path is None:
        raise MissingProgram(name)
    return path
