"""The fault runs of several servers over PostgreSQL; start it with Tests/cluster."""

import argparse
import random
import shutil
import sys
import tempfile
from pathlib import Path

from harness import cluster_runs
from harness.programs import MissingProgram


def main():
    options = parse()
    seed = options.seed
    names = options.names
    print(f"seed {seed}: {', '.join(names)}, {options.seconds} s each", flush=True)
    directory = Path(tempfile.mkdtemp(prefix="satchel-cluster-runs-"))
    try:
        for name in names:
            print(cluster_runs.perform(name, directory, options.seconds, seed), flush=True)
    except BaseException:
        print(f"failed with --seed {seed}; the logs of servers and of PostgreSQL stay in {directory}")
        raise
    shutil.rmtree(directory)


def parse(words=None):
    about = "; ".join(f"{name}: {run.__doc__[0].lower()}{run.__doc__[1:].rstrip('.')}" for name, run in cluster_runs.RUNS.items())
    parser = argparse.ArgumentParser(
        prog="Tests/cluster",
        description="Kills PostgreSQL or servers while clients write, and checks that each acknowledged write is stored once with "
                    "its version, that versions are contiguous, and that readers missed nothing. It ends at the first fault, with "
                    f"exit code 1. The runs: {about}.",
        epilog="SATCHEL_BIN: the directory of the binaries; without it, the programs are built as they are installed. "
               "PostgreSQL and haproxy must be installed; nothing of their system-wide services is used.")
    parser.add_argument("--run", choices=list(cluster_runs.RUNS), help="only this run (all)")
    parser.add_argument("--seconds", type=int, default=60, help="duration of the faults of each run, at least one or two (60)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="seed of the moments of the kills (random)")
    options = parser.parse_args(words)
    options.names = [options.run] if options.run else list(cluster_runs.RUNS)
    try:
        cluster_runs.require_programs(options.names)
    except MissingProgram as missing:
        parser.error(str(missing))
    return options


if __name__ == "__main__":
    sys.exit(main())
