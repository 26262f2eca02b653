"""Measuring two sides against each other: in turn, in the same state of the machine, as medians.

A side returns a sample: a dictionary of quantities, in seconds or bytes. In every quantity less is better; a throughput
is measured as the time per request.
"""

import atexit
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

# A peer that takes longer than this, in seconds, is measured in two rounds only.
PATIENCE_WITH_PEERS = 5


class Failure(Exception):
    """A command failed, or did not do its work. The message says which, and why."""


# What may end a row; the others are measured all the same. The harness and the checks after a round assert.
FAILURES = (Failure, AssertionError, OSError, subprocess.SubprocessError)


class Launcher:
    """The process that starts the measured commands, see launcher.py."""

    def __init__(self):
        self.errors = tempfile.mkstemp(prefix="satchel-bench-errors-")[1]
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__).with_name("launcher.py"))], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        atexit.register(self.close)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        os.unlink(self.errors)

    def run(self, command, environment, directory):
        order = {"command": command, "environment": environment, "directory": str(directory), "errors": self.errors}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Failure("the process that starts the measured commands ended unexpectedly")
        return json.loads(line)


_launcher = None


def timed(command, environment=None, status=0, directory="/"):
    """Runs a command that must end with this status; returns its run time in seconds and its peak memory in bytes."""
    global _launcher
    _launcher = _launcher or Launcher()
    command = list(map(str, command))
    done = _launcher.run(command, dict(environment or os.environ), directory)
    if "error" in done:
        raise Failure(f"{command[0]} could not be started: {done['error']}")
    if done["status"] != status:
        errors = Path(_launcher.errors).read_text(errors="replace")
        raise Failure(f"{' '.join(command)[:500]}\nended with {done['status']}, not {status}: {errors}")
    return {"time": done["time"], "memory": done["memory"]}


def in_sequence(*samples):
    """The sample of several commands that ran one after the other: their time in all, and the largest memory."""
    return {"time": sum(sample["time"] for sample in samples), "memory": max(sample["memory"] for sample in samples)}


def stopwatch(work):
    """The time of a call, in seconds."""
    began = time.perf_counter()
    work()
    return {"time": time.perf_counter() - began}


@dataclass(frozen=True)
class Goal:
    """What a quantity should be at most: a ratio to the yardstick, a value in its unit, or what a peer has."""

    ratio: float | None = None
    value: float | None = None
    unit: str = "s"
    peer: str | None = None


@dataclass
class Row:
    """What is measured, on each side.

    `product`, `yardstick` and the peers receive the number of the round and return a sample, of which `quantities`
    names the quantities that count. Without a yardstick the ratio is that to the goal's value.
    """

    product: Callable
    yardstick: Callable | None
    yardstick_name: str
    quantities: dict[str, Goal]
    peers: dict[str, Callable] = field(default_factory=dict)
    name: str = ""
    samples: dict[str, list] = field(default_factory=dict)

    def measure(self, rounds, warm_ups=1):
        """More rounds than counted: the first ones warm the caches. The sides take turns at being first."""
        sides = {"satchel": self.product, **({"yardstick": self.yardstick} if self.yardstick else {}), **self.peers}
        self.samples = {side: [] for side in sides}
        slow = set()
        for number in range(1 - warm_ups, rounds + 1):
            for side in sides if number % 2 else reversed(sides):
                if side in slow and number > 2:
                    continue
                began = time.perf_counter()
                sample = sides[side](number)
                if side in self.peers and time.perf_counter() - began > PATIENCE_WITH_PEERS:
                    slow.add(side)
                if number > 0:
                    self.samples[side].append(sample)
        return self

    def results(self):
        """The results of the row's quantities. That of the time has the name of the row."""
        return [self._result(*quantity) for quantity in self.quantities.items()]

    def _result(self, quantity, goal):
        sides = {side: statistics_of([sample[quantity] for sample in samples if quantity in sample])
                 for side, samples in self.samples.items() if any(quantity in sample for sample in samples)}
        satchel, yardstick = sides.pop("satchel"), sides.pop("yardstick", None)
        reference = yardstick["median"] if yardstick else goal.value
        return {
            "name": self.name if quantity == "time" else f"{self.name}: {quantity}", "unit": goal.unit, "satchel": satchel,
            "yardstick": yardstick, "yardstick_name": self.yardstick_name if yardstick else "the goal" if reference else "",
            "ratio": satchel["median"] / reference if reference else None,
            "goal_ratio": goal.ratio, "goal_value": goal.value, "goal_peer": goal.peer, "peers": sides}


def statistics_of(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "values": values}
