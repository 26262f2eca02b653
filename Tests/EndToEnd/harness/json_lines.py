"""A session of `satchel --view json`."""

import json
import queue
import threading

from .environment import PATIENCE


class JSONLines:
    """Sends requests and receives events. A thread reads, so that waiting has a limit."""

    def __init__(self, process):
        self.process = process
        self.events = queue.Queue()
        self.next_id = 0
        threading.Thread(target=self._read, daemon=True).start()
        self.hello = self.event()

    def _read(self):
        for line in self.process.stdout:
            self.events.put(json.loads(line))
        self.events.put(None)

    def event(self):
        """The next line; None at the end."""
        return self.events.get(timeout=PATIENCE)

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, verb, **arguments):
        """Sends a request, and returns the states and the outcome with its id."""
        self.next_id += 1
        request = {"id": self.next_id, "verb": verb, "arguments": arguments}
        self.send(json.dumps(request).encode() + b"\n")
        states = []
        while event := self.event():
            if event.get("id") != self.next_id:
                continue
            if event["type"] != "state":
                return states, event
            states.append(event)
        raise AssertionError(f"the session ended before {verb} had an outcome")

    def finish(self):
        """Ends the input; returns the exit code."""
        self.process.stdin.close()
        return self.process.wait(timeout=PATIENCE)
