#!/usr/bin/env python3
"""Runs the fuzz targets, each for some seconds, and keeps the inputs that it finds faults with in Tests/Fuzzing/Corpus."""

import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
CORPUS = TOP / "Tests" / "Fuzzing" / "Corpus"
# What earlier runs found; `--keep` adds some of it to the corpus.
WORK = TOP / ".build" / "fuzz" / "work"
# An input takes microseconds; only a hang reaches this, in seconds.
TIMEOUT = 10
MEMORY = 2048
LENGTH = 4096
# The most inputs that `--keep` keeps for each target, and their size in bytes: less than a MiB for all targets.
KEPT_FILES = 16
KEPT_BYTES = 512


def main():
    options = argparse.ArgumentParser(prog="Tests/fuzz", description=__doc__)
    options.add_argument("targets", nargs="*", metavar="TARGET", help="the targets; all by default")
    options.add_argument("--seconds", type=int, default=60, help="how long each target runs; 60 by default")
    options.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="how many run at once; by default one for each processor")
    options.add_argument(
        "--keep", action="store_true",
        help="afterwards add the inputs that reach more than the kept ones to Tests/Fuzzing/Corpus, the smallest ones: "
        f"at most {KEPT_FILES} for each target, of at most {KEPT_BYTES} bytes")
    options.add_argument("--list", action="store_true", help="print the names of the targets")
    options.add_argument("--program", help=argparse.SUPPRESS)
    options = options.parse_args()
    names = subprocess.run([options.program, "--list"], check=True, capture_output=True, text=True).stdout.split()
    if options.list:
        print("\n".join(names))
        return 0
    if unknown := [name for name in options.targets if name not in names]:
        sys.exit(f"Tests/fuzz: there is no target {unknown[0]}; see --list")
    print(f"{'target':<20} {'runs':>10} {'a second':>9} {'branches':>9} {'inputs':>7} {'peak MiB':>9}")
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda name: fuzz(options.program, name, options.seconds), options.targets or names))
    failed = [name for name, is_well in results if not is_well]
    if options.keep:
        for name, is_well in results:
            added = keep_found(options.program, name) if is_well else []
            if added:
                print(f"{name}: kept", *added, sep="\n  ")
    print(f"\n{len(results) - len(failed)} passed, {len(failed)} failed" + "".join(f"\n  {name}" for name in failed))
    return 1 if failed else 0


def fuzz(program, name, seconds):
    """Runs a target; returns its name and whether it found no fault."""
    work, found = WORK / name, WORK / "found" / name
    shutil.rmtree(found, ignore_errors=True)
    for directory in (work, found):
        directory.mkdir(parents=True, exist_ok=True)
    done = run(
        program, name, f"-max_total_time={seconds}", f"-artifact_prefix={found}/", "-print_final_stats=1",
        "-use_value_profile=1", work, CORPUS / name)
    log = done.stderr.decode(errors="replace")
    (work.parent / f"{name}.log").write_text(log)
    print(row(name, log), flush=True)
    # `slow-unit-…` are only reports of inputs that took long, without a fault.
    stored = [store_failure(name, file) for file in sorted(found.iterdir()) if not file.name.startswith("slow-unit")]
    if done.returncode == 0 and not stored:
        return name, True
    reason = re.findall(r"^(?:violation: .*|.*Fatal error: .*|SUMMARY: .*)", log, re.MULTILINE)
    print(f"{name} failed: " + "\n".join(reason[:3] or [log[-2000:]]), *stored, sep="\n  ", flush=True)
    return name, False


def run(program, name, *arguments):
    """Runs libFuzzer for a target."""
    limits = [f"-timeout={TIMEOUT}", f"-rss_limit_mb={MEMORY}", f"-max_len={LENGTH}"]
    # Without Swift's own handler of crashes, which keeps libFuzzer from writing the input.
    environment = dict(os.environ, SWIFT_BACKTRACE="enable=no", FUZZ_TARGET=name)
    return subprocess.run(
        [program, *limits, *map(str, arguments)], env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)


def keep_found(program, name):
    """Adds found inputs that reach more than the corpus to it, the smallest ones; returns their paths.

    libFuzzer selects them. It works on a copy, since it would add any number.
    """
    merged, known = WORK / "merged" / name, CORPUS / name
    shutil.rmtree(merged, ignore_errors=True)
    shutil.copytree(known, merged)
    done = run(program, name, "-merge=1", merged, WORK / name)
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace")[-2000:]
        sys.exit(f"Tests/fuzz: libFuzzer can't merge the inputs of {name}:\n{reason}")
    sizes = sorted(
        (file.stat().st_size, file.name) for file in merged.iterdir() if not (known / file.name).exists())
    room = max(0, KEPT_FILES - len(list(known.glob("kept-*.input"))))
    places = []
    for _, file in [entry for entry in sizes if entry[0] <= KEPT_BYTES][:room]:
        places.append(known / f"kept-{file[:12]}.input")
        shutil.copyfile(merged / file, places[-1])
    return [place.relative_to(TOP) for place in places]


def store_failure(name, file):
    """Copies an input to the corpus, whose files the Swift tests replay; returns its path."""
    place = CORPUS / name / f"{file.name[:20]}.input"
    shutil.copyfile(file, place)
    return place.relative_to(TOP)


def row(name, log):
    def last(pattern):
        values = re.findall(pattern, log, re.MULTILINE)
        return values[-1] if values else "-"
    return (
        f"{name:<20} {last(r'number_of_executed_units: *([0-9]+)'):>10} {last(r'average_exec_per_sec: *([0-9]+)'):>9} "
        f"{last(r'cov: ([0-9]+)'):>9} {last(r'corp: ([0-9]+)'):>7} {last(r'peak_rss_mb: *([0-9]+)'):>9}")


if __name__ == "__main__":
    sys.exit(main())
