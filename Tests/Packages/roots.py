#!/usr/bin/env python3
"""Installs the packages on bare systems, made by debootstrap: the .debs on a Debian 12 that systemd boots, the tarball on Debian 12
and Ubuntu 24.04, the image of the Dockerfile on Debian 12.

Usage: roots.py OUTPUT PROGRAMS: the directory of the packages, and the one of the programs that the image gets."""

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from dockerfile import Stage, stages
from release import VERSION, run, write

UBUNTU = "http://archive.ubuntu.com/ubuntu"
# Debian 12 has no package with Ubuntu's keys. This one is of the release noble.
UBUNTU_KEYS = f"{UBUNTU}/pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb"
UBUNTU_KEYS_SHA256 = "36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8"
# The bound of everything that runs in a root, in seconds: several times the duration.
LIMIT = 200

# Runs a server, and syncs a record through it with a second home. Usage: begin with `start`, which starts the server.
USE = r"""
set -euxo pipefail
answer() {
    exec 3<>/dev/tcp/127.0.0.1/8280 || return
    printf 'GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
    timeout 5 cat <&3
    exec 3>&-
}
# With ! alone, a success would not end the script.
refused() { if "$@"; then exit 1; fi; }
wait_until_ready() {
    for ((tries = 0; tries < 100; tries++)); do
        if answer 2>/dev/null | grep -q '"ready"'; then return; fi
        sleep 0.2
    done
    return 1
}
sync_a_record() {
    local name=$1
    printf 'correct horse battery staple %s' "$name" >/tmp/password
    HOME=/tmp/desk-$name satchel add "Milk of $name"
    HOME=/tmp/desk-$name satchel register "$name" --server http://127.0.0.1:8280 --password-file /tmp/password
    HOME=/tmp/desk-$name satchel sync
    HOME=/tmp/laptop-$name satchel login "$name" --server http://127.0.0.1:8280 --password-file /tmp/password
    HOME=/tmp/laptop-$name satchel sync
    HOME=/tmp/laptop-$name satchel list --plain | grep "Milk of $name"
}
"""

# In a Debian that systemd has booted, without a network: apt has the packages of both programs.
PACKAGES = USE + r"""
export DEBIAN_FRONTEND=noninteractive
apt-get install --yes --no-install-recommends /packages/satchel_*.deb /packages/satcheld_*.deb
satchel --version
systemctl is-enabled satcheld
systemctl is-active satcheld
wait_until_ready
# The restrictions are those of the unit, and not only written there.
status=/proc/$(systemctl show --property MainPID --value satcheld)/status
grep -P '^Uid:\t[1-9]' "$status"
grep -P '^CapBnd:\t0+$' "$status"
grep -P '^NoNewPrivs:\t1$' "$status"
grep -P '^Seccomp:\t2$' "$status"
test "$(stat --format '%U %a' /var/lib/satcheld)" = "satcheld 700"
test -z "$(find /var/lib/satcheld -perm /077 -print)"
sync_a_record ada
# Nothing that the server needs is refused. Swift's runtime reports that it can't raise the priority of threads, which it need not.
journalctl --unit satcheld --no-pager | grep -v 'Failed to set thread priority' >/tmp/journal
refused grep -iE 'fail|error|denied|not permitted' /tmp/journal
printf 'SATCHELD_REGISTRATION=closed\n' >>/etc/default/satcheld
systemctl restart satcheld
wait_until_ready
refused sync_a_record eve
runuser --user satcheld -- satcheld backup /var/lib/satcheld/copy --data /var/lib/satcheld
HOME=/tmp/laptop-ada satchel add 'Bread'
HOME=/tmp/laptop-ada satchel sync
for file in /usr/share/man/man1/satchel.1.gz /usr/share/man/man8/satcheld.8.gz; do test -e "$file"; done
for file in fail2ban/filter.d/satcheld.conf fail2ban/jail.d/satcheld.conf grafana/satcheld.json; do
    test -s /usr/share/doc/satcheld/examples/$file
done
for program in satchel satcheld; do
    bash -n /usr/share/bash-completion/completions/$program
    test -e /usr/share/zsh/vendor-completions/_$program
    test -e /usr/share/fish/vendor_completions.d/$program.fish
done
apt-get remove --yes satchel satcheld
refused systemctl is-active satcheld
for program in satchel satcheld; do refused test -e /usr/bin/$program; done
# What people wrote is kept, even by purge.
apt-get purge --yes satchel satcheld
test -s /var/lib/satcheld/satchel.sqlite
refused test -e /etc/default/satcheld
echo DONE
"""

# With the tarball alone; then with libcurl, which syncing needs.
TARBALL = USE + r"""
tar --extract --file /packages/satchel-*.tar.gz --directory /usr/local --strip-components=1
satchel --version
test -s /usr/local/share/doc/satchel/examples/fail2ban/filter.d/satcheld.conf
HOME=/tmp/alone satchel add 'Buy milk'
HOME=/tmp/alone satchel list --plain | grep 'Buy milk'
satcheld serve --data /tmp/data >/tmp/satcheld.log 2>&1 &
wait_until_ready
refused sync_a_record eve 2>/tmp/missing
grep libcurl /tmp/missing
DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends libcurl4
sync_a_record ada
kill %1
wait %1
echo DONE
"""

# A unit that runs a script after the boot, and ends the system.
CHECK_UNIT = """[Unit]
After=multi-user.target

[Service]
Type=oneshot
ExecStart=/bin/bash /check
ExecStopPost=/bin/systemctl poweroff
StandardOutput=file:/check.log
StandardError=file:/check.log
"""


class Root:
    """A root file system, in which commands run in namespaces of their own (systemd-nspawn)."""

    def __init__(self, path: Path):
        self.path = path

    @staticmethod
    def make(path: Path, release: str, mirror: str, *options: str) -> "Root":
        run("debootstrap", "--variant=minbase", *options, release, path, mirror, *(["gutsy"] if release == "noble" else []), timeout=1200)
        settings = [line for line in run("apt-config", "dump").splitlines() if re.match("Acquire::(http|https|Retries)", line)]
        write(path / "etc/apt/apt.conf.d/50settings", "\n".join(settings) + "\n")
        return Root(path)

    def copy(self, name: str) -> "Root":
        run("cp", "--archive", "--reflink=auto", self.path, self.path.with_name(name))
        return Root(self.path.with_name(name))

    def run(self, command: str, *options: str) -> str:
        """The output of a shell command, as root; the network is this machine's."""
        return run(*self.nspawn("--resolv-conf=copy-host", *options), "/bin/bash", "-c", command, stdin=subprocess.DEVNULL, timeout=LIMIT)

    def download(self, packages: str) -> None:
        """Downloads packages for scripts that have no network."""
        self.run(f"apt-get update --quiet=2 && apt-get install --quiet=2 --yes --no-install-recommends --download-only {packages}")

    def check(self, script: str, what: str) -> None:
        """Runs a script that prints DONE at its end, without a network."""
        report(self.run(script, "--private-network"), what)

    def boot(self, script: str, what: str) -> None:
        """Boots the system without a network and runs a script in it."""
        write(self.path / "check", script)
        write(self.path / "etc/systemd/system/check.service", CHECK_UNIT)
        wants = self.path / "etc/systemd/system/multi-user.target.wants"
        wants.mkdir(exist_ok=True)
        (wants / "check.service").symlink_to("/etc/systemd/system/check.service")
        run(*self.nspawn("--private-network", "--boot"), stdin=subprocess.DEVNULL, timeout=LIMIT)
        report((self.path / "check.log").read_text(), what)

    def nspawn(self, *options: str) -> list[str]:
        # With the option, the script isn't the first process, and gets the signals of its children.
        kind = [] if "--boot" in options else ["--as-pid2"]
        return ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", *kind, "--directory", str(self.path), *options]


def report(output: str, what: str) -> None:
    # systemd-nspawn may add a line of its own.
    if "DONE" not in output.splitlines():
        raise SystemExit(f"{output}\n{what}: failed")
    print(f"{what}: passed", flush=True)


def debian_mirror() -> str:
    """This machine's mirror of Debian 12, else Debian's own."""
    targets = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages")
    return next((line.split()[0] for line in targets.splitlines() if line.endswith(" bookworm")), "http://deb.debian.org/debian")


def ubuntu_keys(directory: Path) -> Path:
    """Downloads the keys with which Ubuntu's archive is signed, and checks that they are the known ones."""
    with urllib.request.urlopen(UBUNTU_KEYS, timeout=60) as answer:
        package = answer.read()
    if hashlib.sha256(package).hexdigest() != UBUNTU_KEYS_SHA256:
        raise SystemExit(f"{UBUNTU_KEYS}: not the known file")
    write(directory / "keys.deb", package)
    run("dpkg-deb", "--extract", directory / "keys.deb", directory / "keys")
    return directory / "keys/usr/share/keyrings/ubuntu-archive-keyring.gpg"


def add_packages(root: Root, output: Path) -> None:
    for file in [*output.glob("*.deb"), *output.glob("*.tar.gz")]:
        write(root.path / "packages" / file.name, file.read_bytes())


def check_image(root: Root, build: Stage, image: Stage, programs: Path) -> None:
    """Does what an engine does with the last stage of the Dockerfile, and uses the image as its user."""
    names, before = " ".join(build.packages()), size(root)
    root.copy("image-build").run(f"apt-get update --quiet=2 && apt-get install --simulate {names}")
    for command in image.commands():
        root.run(command)
    program = root.path / image.copied.lstrip("/")
    shutil.copy(programs / "satcheld", program)
    run("strip", program)
    variables = [f"--setenv={name}={value}" for name, value in image.variables.items()]
    started = f"{' '.join(image.started)} >/tmp/log 2>&1 &\n"
    script = USE + 'refused test "$(id --user)" = 0\n' + started + "wait_until_ready\nkill %1\nwait %1\necho DONE\n"
    report(root.run(script, f"--user={image.user}", "--private-network", *variables), "Dockerfile: its steps, and the server as its user")
    print(f"Dockerfile: the steps add {(size(root) - before) / 1e6:.0f} MB to the base; the program has {program.stat().st_size / 1e6:.0f} MB")


def size(root: Root) -> int:
    """The bytes of a root's files."""
    return int(run("du", "--summarize", "--bytes", root.path).split()[0])


def main(output: Path, programs: Path) -> int:
    build, image = stages(Path("Server/Package/Dockerfile"))
    with tempfile.TemporaryDirectory(prefix="satchel-packages-") as name:
        directory = Path(name)
        debian = Root.make(directory / "debian", "bookworm", debian_mirror())
        for kind in "tarball-debian", "packages":
            add_packages(debian.copy(kind), output)
        unpacked = Root(directory / "tarball-debian")
        unpacked.download("libcurl4")
        unpacked.check(TARBALL, "the tarball on a bare Debian 12")
        booted = Root(directory / "packages")
        booted.run("apt-get update --quiet=2 && DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends"
                   " systemd systemd-sysv")
        # They are installed while systemd runs, then without a network.
        booted.download("/packages/*.deb")
        booted.boot(PACKAGES, "the .debs on a bare Debian 12: installed, started, used, removed")
        check_image(debian.copy("image"), build, image, programs)
        ubuntu = Root.make(directory / "ubuntu", "noble", UBUNTU, f"--keyring={ubuntu_keys(directory)}")
        add_packages(ubuntu, output)
        ubuntu.download("libcurl4")
        ubuntu.check(TARBALL, "the tarball on a bare Ubuntu 24.04")
    print(f"the packages of {VERSION} are in {output}")
    return 0


sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
