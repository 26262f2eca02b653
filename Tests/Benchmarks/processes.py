"""What the kernel reports about a running process."""

import contextlib
import os
import re
import time
from pathlib import Path


class Process:
    """A process, usually a server."""

    def __init__(self, number):
        self.number = number

    def _status(self, name):
        found = re.search(rf"^{name}:\s*(\d+) kB$", Path(f"/proc/{self.number}/status").read_text(), re.M)
        return int(found.group(1)) * 1024

    def memory(self):
        """The resident memory, in bytes."""
        return self._status("VmRSS")

    def peak_memory(self):
        return self._status("VmHWM")

    def cpu(self):
        """The time that its threads have run, those that have ended included, in seconds. It is read from the process's
        clock (clock_getcpuclockid(3)), which counts nanoseconds; `stat` would count hundredths of a second."""
        return time.clock_gettime(~self.number << 3 | 2)

    def cpu_with_children(self):
        """The same with that of its children, those that have ended included, in hundredths of a second."""
        own = _stat(Path(f"/proc/{self.number}/stat"))
        ticks = sum(map(int, own[11:15]))
        for path in Path("/proc").glob("[0-9]*/stat"):
            # A process may end meanwhile. If it is a child, its time is that of an ended one from then on.
            with contextlib.suppress(OSError):
                other = _stat(path)
                if int(other[1]) == self.number:
                    ticks += sum(map(int, other[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def settle(self, patience=5.0):
        """Waits until the process has used almost no time for a quarter of a second, at most for `patience` seconds."""
        deadline = time.monotonic() + patience
        used = self.cpu()
        while time.monotonic() < deadline:
            time.sleep(0.25)
            before, used = used, self.cpu()
            if used - before < 0.005:
                return


def _stat(path):
    """The fields of /proc/PID/stat after the name, which may contain spaces and parentheses (proc(5)): the second is the parent,
    the twelfth to fifteenth are the times in user and in kernel mode, of the process and of its children that have ended."""
    return path.read_text(errors="replace").rpartition(")")[2].split()
