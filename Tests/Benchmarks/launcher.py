"""Runs the measured commands from a process of its own: one command for each line of its input.

Linux counts the memory of the process that starts a program to that program's peak (`execve` keeps `ru_maxrss`). This
process imports nothing large and stays at about 9 MiB, which is the smallest peak that it can report.
"""

import json
import os
import sys
import time


def run(command, environment, directory, errors):
    """Runs a command to its end; returns its exit status, its run time in seconds and its peak memory in bytes."""
    null = os.open(os.devnull, os.O_RDWR)
    log = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.chdir(directory)
    actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, log, 2)]
    began = time.perf_counter()
    try:
        process = os.posix_spawnp(command[0], command, environment, file_actions=actions)
        _, status, usage = os.wait4(process, 0)
    finally:
        seconds = time.perf_counter() - began
        os.close(null)
        os.close(log)
    return {"status": os.waitstatus_to_exitcode(status), "time": seconds, "memory": usage.ru_maxrss * 1024}


def main():
    for line in sys.stdin:
        try:
            answer = run(**json.loads(line))
        except OSError as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
