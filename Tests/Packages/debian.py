#!/usr/bin/env python3
"""Builds the Debian packages from the programs of a release build, and checks them: lintian, systemd's rating of the unit, and the
form of the Dockerfile.

Usage: debian.py PROGRAMS OUTPUT [--quick]: two directories, of which OUTPUT gets the packages; with --quick, they are hardly
compressed."""

import os
import re
import shutil
import sys
from datetime import datetime, timezone
from email.utils import format_datetime
from pathlib import Path

from dockerfile import stages
from release import DAY, PROGRAMS, VERSION, add_examples, add_program, notices, run, write

MAINTAINER = "The Satchel authors <maintainers@users.noreply.github.com>"
# The folder in which each program's source and its package's files are.
FOLDER = {"satchel": "Client", "satcheld": "Server"}
# systemd's rating of the unit: 0 is without any exposure, 10 unprotected.
RATING_LIMIT = 2.0

SOURCE = f"""Source: satchel
Section: utils
Priority: optional
Maintainer: {MAINTAINER}
Build-Depends: debhelper-compat (= 13), dh-sequence-installsysusers
Standards-Version: 4.6.2
Rules-Requires-Root: no
"""

# The programs are built and stripped before.
RULES = """#!/usr/bin/make -f
%:
	dh $@
override_dh_builddeb:
	dh_builddeb -- $(COMPRESSION)
"""


def source_tree(programs: Path, top: Path) -> None:
    """Writes the tree from which debhelper makes the packages."""
    day = datetime.fromisoformat(DAY).replace(tzinfo=timezone.utc)
    control, licences = [SOURCE], notices()
    for name in PROGRAMS:
        folder, files = Path(FOLDER[name], "Package"), top / name
        control.append((folder / "control").read_text())
        add_program(name, programs, files / "usr", zsh="vendor-completions")
        write(files / f"usr/share/doc/{name}/third-party-licences.gz", licences)
        write(top / f"debian/{name}.install", f"{name}/* /\n")
        write(files / f"usr/share/doc/{name}/NEWS.md", Path("Sources/Controllers/Controllers.docc/Changelog.md").read_text(encoding="utf-8"))
        if (folder / "lintian-overrides").exists():
            shutil.copy(folder / "lintian-overrides", top / f"debian/{name}.lintian-overrides")
    for kind in "service", "sysusers":
        shutil.copy(f"Server/Package/satcheld.{kind}", top / f"debian/satcheld.{kind}")
    add_examples(top / "satcheld/usr/share/doc/satcheld")
    write(top / "satcheld/etc/default/satcheld", Path("Server/Package/satcheld.default").read_text())
    write(top / "debian/control", "\n".join(control))
    write(top / "debian/rules", RULES, 0o755)
    write(top / "debian/copyright", copyright_file())
    write(top / "debian/changelog", f"satchel ({VERSION}) unstable; urgency=medium\n\n  * Version {VERSION}; NEWS.md names the changes.\n\n"
          f" -- {MAINTAINER}  {format_datetime(day)}\n")


def copyright_file() -> str:
    """The machine-readable form of LICENSE (Debian's DEP 5)."""
    title, _, text = Path("LICENSE").read_text().partition("\n\n")
    holder, _, licence = text.partition("\n\n")
    lines = "\n".join(f" {line}" if line else " ." for line in licence.strip().splitlines())
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Satchel\n"
        "Comment: The program contains Swift's runtime and Swift packages; third-party-licences.gz has their licences.\n\n"
        f"Files: *\nCopyright: {holder.removeprefix('Copyright ')}\nLicense: {title.split()[0]}\n{lines}\n")


def build(top: Path, output: Path, compression: str) -> list[Path]:
    """Makes the packages, and moves them to the output directory."""
    seconds = int(datetime.fromisoformat(DAY).replace(tzinfo=timezone.utc).timestamp())
    environment = os.environ | {"DEB_BUILD_OPTIONS": "noautodbgsym nostrip", "SOURCE_DATE_EPOCH": str(seconds),
                                "LC_ALL": "C.UTF-8", "COMPRESSION": compression}
    run("debian/rules", "binary", cwd=top, env=environment)
    return [Path(shutil.move(file, output / file.name)) for file in sorted(top.parent.glob("*.deb"))]


def check_examples(package: Path) -> None:
    """The files that an owner copies from the server's package are in it, not compressed."""
    contents = {line.split()[-1] for line in run("dpkg-deb", "--contents", package).splitlines()}
    examples = "./usr/share/doc/satcheld/examples"
    for file in "fail2ban/filter.d/satcheld.conf", "fail2ban/jail.d/satcheld.conf", "grafana/satcheld.json":
        if f"{examples}/{file}" not in contents:
            raise SystemExit(f"{package.name}: it lacks {examples}/{file}")


def rating(unit: Path) -> float:
    """systemd's rating of a unit's exposure."""
    # The program of the unit need not be installed: what is missing is reported and doesn't count.
    report = run("systemd-analyze", "security", "--offline=true", f"--threshold={int(RATING_LIMIT * 10)}", "--no-pager", unit)
    return float(re.search(r"Overall exposure level for \S+: ([\d.]+)", report).group(1))


def main(programs: Path, output: Path, quick: bool) -> int:
    stages(Path("Server/Package/Dockerfile"))
    work = output / "debian" / f"satchel-{VERSION}"
    shutil.rmtree(work.parent, ignore_errors=True)
    source_tree(programs, work)
    packages = build(work, output, "-Zgzip -z1" if quick else "-Zxz")
    print(run("lintian", "--allow-root", "--fail-on", "error,warning", *packages), end="")
    measured = rating(Path("Server/Package/satcheld.service"))
    if measured >= RATING_LIMIT:
        raise SystemExit(f"satcheld.service: systemd rates its exposure {measured}, not below {RATING_LIMIT}")
    for package in packages:
        if package.name.startswith("satcheld_"):
            check_examples(package)
        print(f"{package.name}: {package.stat().st_size / 1e6:.1f} MB")
    print(f"satcheld.service: exposure {measured} of 10")
    return 0


sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), "--quick" in sys.argv[3:]))
