"""What the kernel reports about a running process."""

import re
import time
from pathlib import Path


class Process:
    """A process, usually a server."""

    def __init__(self, number):
        self.directory = Path(f"/proc/{number}")

    def _status(self, name):
        found = re.search(rf"^{name}:\s*(\d+) kB$", (self.directory / "status").read_text(), re.M)
        return int(found.group(1)) * 1024

    def memory(self):
        """The resident memory, in bytes."""
        return self._status("VmRSS")

    def peak_memory(self):
        return self._status("VmHWM")

    def cpu(self):
        """The time that its threads have run, in seconds. Unlike `stat`, `schedstat` counts nanoseconds; a thread that
        has ended isn't counted any more."""
        nanoseconds = 0
        for thread in (self.directory / "task").iterdir():
            nanoseconds += int((thread / "schedstat").read_text().split()[0])
        return nanoseconds / 1e9

    def settle(self, patience=5.0):
        """Waits until the process has used almost no time for a quarter of a second, at most for `patience` seconds."""
        deadline = time.monotonic() + patience
        used = self.cpu()
        while time.monotonic() < deadline:
            time.sleep(0.25)
            before, used = used, self.cpu()
            if used - before < 0.005:
                return
