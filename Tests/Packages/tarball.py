#!/usr/bin/env python3
"""Builds the tarball from programs that are linked to glibc and the C++ runtime alone.

Usage: tarball.py PROGRAMS OUTPUT, two directories; OUTPUT gets the tarball, to be unpacked below a prefix such as /usr/local."""

import platform
import re
import shutil
import sys
from datetime import datetime, timezone
from pathlib import Path

from release import DAY, PROGRAMS, VERSION, add_examples, add_program, notices, run, write

PREFIX = "/usr/local"
# The Debian packages whose libraries are linked into the programs.
LINKED = ("libargon2-dev", "libbsd-dev", "libcmark-gfm-dev", "libedit-dev", "libmd-dev", "libncurses-dev", "libsqlite3-dev", "zlib1g-dev")
# The libraries that remain: those of glibc, and of the C++ runtime, which apt itself needs.
LIBRARIES = {"libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def main(programs: Path, output: Path) -> int:
    name = f"satchel-{VERSION}-linux-{platform.machine()}"
    top = output / "tarball" / name
    shutil.rmtree(top.parent, ignore_errors=True)
    for program in PROGRAMS:
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", programs / program)))
        if needed - LIBRARIES:
            raise SystemExit(f"{programs / program}: it needs {', '.join(sorted(needed - LIBRARIES))}, which a bare system may lack")
        add_program(program, programs, top, zsh="site-functions")
    documents = top / "share/doc/satchel"
    write(documents / "LICENSE", Path("LICENSE").read_text())
    write(documents / "NEWS.md", Path("Sources/Controllers/Controllers.docc/Changelog.md").read_text(encoding="utf-8"))
    write(documents / "third-party-licences.gz", notices(LINKED))
    add_examples(documents)
    unit = Path("Server/Package/satcheld.service").read_text()
    write(top / "lib/systemd/system/satcheld.service", unit.replace("ExecStart=/usr/", f"ExecStart={PREFIX}/"))
    write(top / "lib/sysusers.d/satcheld.conf", Path("Server/Package/satcheld.sysusers").read_text())
    seconds = int(datetime.fromisoformat(DAY).replace(tzinfo=timezone.utc).timestamp())
    # A bare system has gzip and no xz.
    archive = output / f"{name}.tar.gz"
    run("tar", "--create", f"--file={archive}", "--use-compress-program=gzip --no-name", f"--directory={top.parent}", "--sort=name",
        f"--mtime=@{seconds}", "--owner=0", "--group=0", "--numeric-owner", name)
    print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB")
    return 0


sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
