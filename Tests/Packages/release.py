"""What all packages contain: the version, and the files that the programs themselves make."""

import gzip
import json
import re
import subprocess
from pathlib import Path

PROGRAMS = ("satchel", "satcheld")
# The section of each program's manual.
SECTION = {"satchel": 1, "satcheld": 8}
# The directory of a shell's completions below a prefix's share, and the name of a program's file in it.
COMPLETIONS = {"bash": ("bash-completion/completions", "{}"), "zsh": ("zsh/{}", "_{}"), "fish": ("fish/vendor_completions.d", "{}.fish")}


def declared(name: str) -> str:
    """A constant of `Release` in Sources/Manual/Manual.swift, where the version and its day are declared."""
    source = Path("Sources/Manual/Manual.swift").read_text(encoding="utf-8")
    return re.search(rf'public static let {name} = "(.*)"', source).group(1)


VERSION, DAY = declared("version"), declared("day")


def run(*command: str | Path, **options) -> str:
    """The output of a command; ends the script with the command's errors if it fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options)
    except subprocess.TimeoutExpired as expired:
        raise SystemExit(f"{(expired.output or b'').decode(errors='replace')}\n{expired}"[:10_000]) from None
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{' '.join(map(str, command))[:200]}: exited with {done.returncode}")
    return done.stdout


def write(path: Path, content: str | bytes, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)


def add_program(name: str, programs: Path, prefix: Path, zsh: str) -> None:
    """Copies a program below a prefix, with its manual and completions. `zsh` is the folder of zsh's completions there."""
    program = prefix / "bin" / name
    write(program, (programs / name).read_bytes(), 0o755)
    run("strip", "--remove-section=.comment", "--remove-section=.note", program)
    # SwiftPM lets programs look for libraries next to themselves.
    run("chrpath", "--delete", program)
    if run(program, "--version").strip() != VERSION:
        raise SystemExit(f"{programs / name}: its version isn't {VERSION}; build it again")
    write(prefix / f"share/man/man{SECTION[name]}/{name}.{SECTION[name]}", run(program, "--man"))
    for shell, (folder, file) in COMPLETIONS.items():
        option = ["completions"] if name == "satchel" else ["--generate-completion-script"]
        # The file is read by a shell and not run, so it has no interpreter.
        text = run(program, *option, shell).removeprefix("#!/bin/bash\n")
        write(prefix / "share" / folder.format(zsh) / file.format(name), text)


def add_examples(documents: Path) -> None:
    """Copies what an owner of the server may install elsewhere, and doesn't work by itself, below a folder of documentation."""
    for folder in ("fail2ban", "grafana"):
        for file in sorted(file for file in Path("Server", folder).rglob("*") if file.is_file()):
            write(documents / "examples" / file.relative_to("Server"), file.read_bytes())


def notices(packages: tuple[str, ...] = ()) -> bytes:
    """What is linked into the programs, compressed: a list of the libraries with their versions, then their licences. It is
    Swift's runtime, the Swift packages, and Debian packages."""
    swift = Path(run("swift", "-print-target-info").partition('"runtimeResourcePath": "')[2].partition('"')[0])
    files = [swift.parent.parent / "share/swift/LICENSE.txt"]
    for checkout in sorted(Path(".build/checkouts").iterdir()):
        files += sorted([*checkout.glob("LICENSE*"), *checkout.glob("NOTICE*")])
    files += [Path("/usr/share/doc") / package / "copyright" for package in packages]
    texts = [f"==== {file.parent.name}: {file.name}\n\n{file.read_text(encoding='utf-8', errors='replace')}" for file in files]
    return gzip.compress("\n".join([libraries(packages), *texts]).encode(), 9, mtime=0)


def libraries(packages: tuple[str, ...]) -> str:
    """A line with name and version of each library."""
    lines = [run("swift", "--version").splitlines()[0]]
    state = json.loads(Path(".build/workspace-state.json").read_text(encoding="utf-8"))
    for dependency in state["object"]["dependencies"]:
        # A package in a directory is this one, as the tutorial's programs use it.
        if dependency["packageRef"]["kind"] == "fileSystem":
            continue
        version = dependency["state"]["checkoutState"]["version"]
        lines.append(f"{dependency['packageRef']['location']} {version}")
    lines += [f"{package} {run('dpkg-query', '--show', '--showformat=${Version}', package)}" for package in packages]
    return "==== Libraries\n\n" + "\n".join(sorted(lines)) + "\n"
