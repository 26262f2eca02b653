"""Reads the Dockerfile, and refuses what shouldn't be in it."""

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
# Those of the README, which may break the line.
RELEASE_FLAGS = re.search(r"swift build (-c release .*?) --product", re.sub(r"\\\n\s*", "", README.read_text()))[1]
INSTRUCTIONS = {"FROM", "RUN", "WORKDIR", "COPY", "USER", "VOLUME", "EXPOSE", "ENV", "ENTRYPOINT", "CMD"}


@dataclass
class Stage:
    """The instructions from a FROM to the next: each its name and its argument."""

    base: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def all(self, name: str) -> list[str]:
        return [argument for step, argument in self.steps if step == name]

    def commands(self) -> list[str]:
        return self.all("RUN")

    def packages(self) -> list[str]:
        """What the stage installs with apt."""
        installed = re.search(r"apt-get install ([^&]*)", self.commands()[0]).group(1)
        return [word for word in installed.split() if not word.startswith("-")]

    @property
    def user(self) -> str:
        return self.all("USER")[-1]

    @property
    def variables(self) -> dict[str, str]:
        return dict(word.split("=", 1) for argument in self.all("ENV") for word in shlex.split(argument))

    @property
    def copied(self) -> str:
        """The place of the program that comes from the other stage."""
        return self.all("COPY")[-1].split()[-1]

    @property
    def started(self) -> list[str]:
        return json.loads(self.all("ENTRYPOINT")[-1]) + json.loads(self.all("CMD")[-1])


def stages(path: Path) -> list[Stage]:
    """The stages of a Dockerfile."""
    found: list[Stage] = []
    text = re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*\n", "", path.read_text()))
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, argument = line.partition(" ")
        if name not in INSTRUCTIONS:
            raise SystemExit(f"{path}: unknown instruction {name}")
        if name == "FROM":
            found.append(Stage(argument.split()[0]))
        else:
            found[-1].steps.append((name, argument.strip()))
    problems = [f"the base {stage.base} has no version" for stage in found if not re.search(r":(?!latest$)[\w.-]+$", stage.base)]
    last = found[-1]
    if not last.all("USER") or last.user in {"root", "0"}:
        problems.append("the server would run as root")
    names = [name for name, _ in last.steps]
    if "USER" in names and {"RUN", "COPY"} & set(names[names.index("USER"):]):
        problems.append("the user is set before the last change of files")
    source = re.match(r"--from=(\w+) (\S+) ", last.all("COPY")[-1])
    build = source and f"swift build {RELEASE_FLAGS} --product {source[2].rsplit('/', 1)[1]} "
    if not build or not any(command.startswith(build) for command in found[0].commands()):
        problems.append("the program isn't the one that the first stage builds")
    if problems:
        raise SystemExit("\n".join(f"{path}: {problem}" for problem in problems))
    return found
