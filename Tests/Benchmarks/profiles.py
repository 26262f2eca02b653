"""Where the CPU time of rows goes: `Tests/bench --profile`.

perf samples all processors while the product's side of a row runs again and again. Printed is, for each program, the CPU time of a
round and its parts: the kernel, libraries, Swift's runtime and our modules, by the file and the module that a symbol belongs to. What a
row prepares between the measured commands counts under the programs that do it.
"""

import collections
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from measuring import Failure
from results import markdown

# Samples per second and processor. The clock works in virtual machines, too.
RATE = 2_000
SECONDS = 10
MISSING = "perf isn't installed; on Debian: apt-get install linux-perf"
PROGRAMS = ["satchel", "satcheld", "Yardstick", "YardstickServer", "wrk", "curl", "sqlite3", "postgres"]
# Parts with a smaller share of a program are summed up.
SMALLEST = 0.02

# Of modules with one purpose.
GROUPS = {
    "HTTP server": r"NIO\w*|HTTP\w*|Hummingbird\w*|AsyncAlgorithms|ServiceLifecycle|_NIO\w*|c_nio\w*",
    "GRDB": "GRDB",
    "Foundation": r"Foundation\w*|_Foundation\w*",
    "Swift's standard library": r"Swift|_Concurrency|Dispatch|Synchronization|_StringProcessing|RegexBuilder",
    "TLS and hashes": r"Crypto\w*|NIOSSL|_CryptoExtras|CCrypto\w*",
}
LIBRARIES = {
    r"libsqlite3": "SQLite", r"libcurl|libssl|libcrypto|libnghttp2|libgnutls": "curl and TLS", r"libc\.so|ld-linux|libm\.so": "C library",
    r"libpq": "libpq", r"libstdc\+\+|libgcc": "C++ library", r"\[kernel|\[unknown\]|\.ko|vmlinux": "kernel", r"\[vdso\]": "kernel",
}
RUNTIME = re.compile(r"_?swift(_|::)|swift\w*_|_ZN5swift|_ZNK5swift|_ZN12_GLOBAL__N_1|\$s(?:Wl|ML)|__swift")
MODULE = re.compile(r"\$s(?:(\d+)(\w+)|([Ss]))")


def part(library, symbol):
    """What a sample counts as: by the file of its code, within a program by the module of the symbol."""
    for pattern, name in LIBRARIES.items():
        if re.search(pattern, library):
            return name
    if RUNTIME.match(symbol):
        return "Swift's runtime"
    if match := MODULE.match(symbol):
        module = match[2][:int(match[1])] if match[1] else "Swift"
        return next((name for name, pattern in GROUPS.items() if re.fullmatch(pattern, module)), module)
    return "dispatch" if re.match(r"_?dispatch|_os_|CF|__CF", symbol) else "other C code"


def profile(plan, directory, seconds=SECONDS):
    """The CPU time of each program in a round of a row, in seconds, by its parts; and the number of rounds."""
    with tempfile.TemporaryDirectory(dir=directory) as place, plan.make(Path(place)) as row:
        row.product(0)
        data = Path(place) / "perf.data"
        perf = subprocess.Popen(
            ["perf", "record", "--quiet", "--all-cpus", "--event", "cpu-clock", "--freq", str(RATE), "--output", data],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            rounds, end = 0, time.monotonic() + seconds
            while time.monotonic() < end:
                rounds += 1
                row.product(rounds)
        finally:
            perf.send_signal(signal.SIGINT)
            errors = perf.communicate()[1]
        if not data.exists():
            raise Failure(f"perf recorded nothing: {errors}")
        return samples(data, rounds), rounds


def samples(data, rounds):
    report = subprocess.run(
        ["perf", "report", "--input", data, "--stdio", "--sort", "pid,dso,symbol", "--show-nr-samples", "--no-demangle", "--percent-limit",
         "0", "--field-separator", "\t", "--no-inline"], capture_output=True, text=True)
    if report.returncode != 0:
        raise Failure(f"perf report: {report.stderr}")
    processes = collections.defaultdict(collections.Counter)
    names = {}
    for line in report.stdout.splitlines():
        fields = [field.strip() for field in line.split("\t")]
        if line.startswith("#") or len(fields) < 5:
            continue
        _, number, process, library, symbol = fields[:5]
        processes[process][part(library, symbol.removeprefix("[k] ").removeprefix("[.] "))] += int(number) / RATE / rounds
        # The threads of a program have names of their own.
        if library in PROGRAMS:
            names[process] = library
    found = collections.defaultdict(collections.Counter)
    for process, parts in processes.items():
        if process in names:
            found[names[process]].update(parts)
    return found


def page(plan, found, rounds):
    """The programs of a row as a table, the largest first."""
    lines = [["program", "CPU time of a round", "of which"]]
    for program, parts in sorted(found.items(), key=lambda one: -sum(one[1].values())):
        total = sum(parts.values())
        large = [(name, time) for name, time in parts.most_common() if time >= SMALLEST * total]
        rest = total - sum(time for _, time in large)
        shown = [f"{name} {time / total:.0%}" for name, time in large] + ([f"others {rest / total:.0%}"] if rest > 0 else [])
        lines.append([program, f"{total * 1_000:.2f} ms", ", ".join(shown)])
    return f"{plan.name}: {rounds} rounds\n\n{markdown(lines)}\n"


def is_installed():
    return shutil.which("perf") is not None
