"""What the kernel reports about a running process."""

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

    def settle(self, patience=5.0):
        """Waits until the process has used almost no time for a quarter of a second, at most for `patience` seconds."""
        deadline = time.monotonic() + patience
        used = self.cpu()
        while time.monotonic() < deadline:
            time.sleep(0.25)
            before, used = used, self.cpu()
            if used - before < 0.005:
                return
