"""The paths of the binaries, and their environment."""

import glob
import os
import random
import socket
import sys
import time
from pathlib import Path

from .programs import program

# In seconds: longer than anything takes on a slow and busy machine; only a hang reaches it.
PATIENCE = int(os.environ.get("SATCHEL_TEST_PATIENCE", "120"))


def binary(name):
    """The path of an executable under test."""
    directory = os.environ.get("SATCHEL_BIN")
    if not directory:
        sys.exit("SATCHEL_BIN is not set; start with Tests/EndToEnd/run or Tests/bench")
    return str(Path(directory) / name)


def plain_environment(home, **more):
    """An environment without anything from the user who runs the tests, and without automatic sync."""
    environment = {
        "HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm", "TZ": "UTC",
        "SATCHEL_SYNC": "manual"}
    if "LD_LIBRARY_PATH" in os.environ:
        environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
    environment.update({name: str(value) for name, value in more.items()})
    return environment


def clock(setting):
    """Environment variables that set a process's clock: `+16m`, `@1970-01-02 00:00:00`."""
    program("faketime")
    [library] = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    # Waiting must use the true clock, or time limits would never end.
    return {"LD_PRELOAD": library, "FAKETIME": setting, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


def free_port():
    """A port for a server that stops and starts again: the system assigns it to no other process meanwhile.

    It is below the range from which outgoing connections and port 0 are assigned; 0 if there is no room below.
    """
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
    ports = range(10_000, lowest)
    while ports:
        with socket.socket() as probe:
            port = random.SystemRandom().choice(ports)
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:  # in use: another one
                pass
    return 0


def launcher(environment):
    """The prefix of a command in this environment.

    The library's first process moves `environ`, next to which the Swift runtime expects the arguments: let env be that
    process.
    """
    return ["/usr/bin/env"] if "LD_PRELOAD" in environment else []


def wait_until(condition, what):
    """Waits for a condition, and returns its value; at most for `PATIENCE`."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"waited {PATIENCE} s without success until {what}")
