"""Runs a command, passes its standard input and output on, and writes each line of both to a file: `relay.py FILE COMMAND …`."""

import subprocess
import sys
import threading


def copy(source, target, mark, log, lock):
    for line in source:
        with lock:
            log.write(mark + b" " + line)
            log.flush()
        try:
            target.write(line)
            target.flush()
        except BrokenPipeError:
            break
    target.close()


def main():
    lock = threading.Lock()
    with open(sys.argv[1], "wb") as log, subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        threading.Thread(target=copy, args=(sys.stdin.buffer, process.stdin, b">", log, lock), daemon=True).start()
        copy(process.stdout, sys.stdout.buffer, b"<", log, lock)
    sys.exit(process.returncode)


main()
