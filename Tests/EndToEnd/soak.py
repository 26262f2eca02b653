"""Rounds of kill -9 against devices and their server; start it with Tests/soak."""

import argparse
import random
import shutil
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from harness import Cluster, ClusterDatabase, Device, Household, Server, cluster_runs
from harness.programs import MissingProgram


def main():
    options = parse()
    print(f"seed {options.seed}: {options.rounds} rounds with {options.devices} devices", flush=True)
    directory = Path(tempfile.mkdtemp(prefix="satchel-soak-"))
    try:
        household = soak(directory, options)
        for name in cluster_runs.RUNS if options.postgres else []:
            print(cluster_runs.perform(name, directory, options.seconds, options.seed), flush=True)
    except BaseException:
        what = "the homes and the logs, also PostgreSQL's," if options.postgres else "the homes, the data and the server's log"
        print(f"failed with --seed {options.seed}; {what} stay in {directory}")
        raise
    shutil.rmtree(directory)
    print(summary(options, household))


def summary(options, household):
    """The last line of a call that found no fault."""
    times = f"{options.rounds} times"
    postgresql = f" and PostgreSQL {times}" if options.postgres else ""
    return (f"{options.rounds} rounds, {len(household.book.edits)} edits, nothing lost; killed were {household.kills} commands, "
            f"the server {times}{postgresql}; seed {options.seed}")


def parse(words=None):
    parser = argparse.ArgumentParser(
        prog="Tests/soak",
        description="Three devices work at random, their commands and the server are killed (kill -9) at random moments. "
                    "After each kill, and when all are in step again, everything must be there that was acknowledged: by a "
                    "command on its device, by a sync on the server. It ends at the first fault, with exit code 1.",
        epilog="SATCHEL_BIN: the directory of the binaries; without it, the programs are built as they are installed.")
    parser.add_argument("--rounds", type=int, default=200, help="how often the devices work and the server is killed (200)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="seed of commands and kills (random)")
    parser.add_argument("--devices", type=int, default=3, help="how many (3)")
    parser.add_argument(
        "--postgres", action="store_true",
        help="store in a PostgreSQL of its own, which is killed after each round; afterwards, all runs of Tests/cluster, which "
             "checks among others that eight readers on three servers miss no version of eight writers. It needs PostgreSQL and "
             "haproxy")
    parser.add_argument(
        "--seconds", type=int, default=60, help="with --postgres: the duration of each run of Tests/cluster (60)")
    options = parser.parse_args(words)
    try:
        if options.postgres:
            cluster_runs.require_programs(cluster_runs.RUNS)
    except MissingProgram as missing:
        parser.error(str(missing))
    return options


def soak(directory, options):
    with ExitStack() as closing:
        cluster = None
        if options.postgres:
            cluster = Cluster(log=directory / "postgresql.log")
            closing.callback(cluster.close)
            cluster.start()
        server = Server(directory / "server", ClusterDatabase(cluster) if cluster else None).start()
        closing.callback(server.close)
        devices = [Device(directory / f"device-{number}") for number in range(options.devices)]
        for number, device in enumerate(devices):
            closing.callback(device.close)
            if number == 0:
                device.register(server)
            else:
                device.log_in(server)
        household = Household(server, devices, options.seed)
        begin = time.monotonic()
        for number in range(1, options.rounds + 1):
            household.round()
            if cluster:
                cluster.kill()
                cluster.start()
            print(f"round {number}: {len(household.book.edits)} edits, {household.kills} commands killed, "
                  f"{time.monotonic() - begin:.0f} s", flush=True)
        if cluster:
            # What a kill loses, the next round notices; nothing follows the last one.
            household.check_server(household.book.edits)
        return household


if __name__ == "__main__":
    sys.exit(main())
