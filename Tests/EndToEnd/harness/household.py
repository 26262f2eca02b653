"""Devices of one account that are all in use, record their edits, and are sometimes killed."""

import itertools
import random
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from .book import ADDED, ELEMENTS, REMOVED, VALUES, Book, Edit
from .device import PASSWORD

UNREACHABLE = 5


def in_step(*devices):
    """All sync, and then hold the same, with nothing left to send."""
    for _ in range(2):
        for device in devices:
            device.sync()
    exports = [device.export() for device in devices]
    assert all(export == exports[0] for export in exports), "the devices differ"
    for device in devices:
        status = device.run("status").out
        assert "unsent     nothing" in status, status


class Hand:
    """One device in use: one command at a time, each of which may be killed."""

    def __init__(self, name, device, book, seed):
        self.name = name
        self.device = device
        self.book = book
        self.random = random.Random(seed)
        self.edits = []
        self.numbers = itertools.count(1)
        self.kills = 0
        # In seconds: how long a command takes here, by its verb.
        self.durations = {}

    def act(self, shared, deadly):
        """Edits one of the shared records or one of its own; `deadly`: how often it is killed."""
        kill = self.random.random() < deadly
        if self.random.random() < 0.3:
            return self.sync(kill)
        edit, words = self._plan(shared)
        self.book.edits.append(edit)
        self.edits.append(edit)
        code = self._run(words, kill)
        assert code == 0 or kill, f"exit {code} of {words} without a kill"
        edit.done = code == 0
        if kill:
            self.check()

    def sync(self, kill=False):
        """Syncs; the server may be down."""
        before = [edit for edit in self.edits if edit.done]
        code = self._run(["sync"], kill)
        assert code in (0, UNREACHABLE) or kill, f"exit {code} of sync"
        if code == 0:
            for edit in before:
                edit.sent = True
        if kill:
            self.check()

    def check(self):
        """Checks that every edit that this device reported as done is on it."""
        faults = self.book.faults(self.device.records(), self.edits)
        assert not faults, f"on {self.name}:\n" + "\n".join(faults)

    def _plan(self, shared):
        """An edit, and the command for it."""
        value = f"by {self.name} {next(self.numbers)}"
        record = self.random.choice(shared)
        field = self.random.choice([*ELEMENTS, *VALUES, ADDED, REMOVED])
        if field == "tags":
            value = value.replace(" ", "-")
            return Edit(field, value, record), ["tag", record, f"+{value}"]
        if field == "annotations":
            return Edit(field, value, record), ["annotate", record, value]
        if field == "body":
            body = self.device.fields(record).get("body", "")
            return Edit(field, value, record), ["edit", record, "--body-file", self.device.write("body", f"{body}{value}\n")]
        if field in VALUES:
            before = self.device.fields(record).get(field, "")
            words = ["--title", value] if field == "title" else [f"project:{value}"]
            return Edit(field, value, record, before), ["edit", record, *words]
        if field == REMOVED and (own := self._own_records()):
            title, id = self.random.choice(own)
            return Edit(REMOVED, title), ["rm", id]
        return Edit(ADDED, value), ["add", value]

    def _own_records(self):
        """The title and id of what was added here and still exists."""
        added = {edit.value for edit in self.edits if edit.field == ADDED}
        tasks = self.device.records("tasks")
        return [(task["fields"]["title"], task["id"]) for task in tasks if task["fields"]["title"] in added]

    def _run(self, words, kill):
        """The exit code; with `kill`, the command is killed at a random moment within the time that it took before."""
        begin = time.monotonic()
        process = self.device.start(*words)
        if kill:
            try:
                process.wait(self.random.uniform(0, 1.1 * self.durations.get(words[0], 0.05)))
            except subprocess.TimeoutExpired:
                process.kill()
                self.kills += 1
        code = self.device.finish(process, words).code
        if code == 0:
            self.durations[words[0]] = time.monotonic() - begin
        return code


class Household:
    """Devices and their server. A seed determines the commands and the kills; their times depend on the machine."""

    def __init__(self, server, devices, seed):
        self.server = server
        self.random = random.Random(seed)
        self.book = Book()
        self.hands = [Hand(f"d{number}", device, self.book, self.random.random()) for number, device in enumerate(devices)]

    @property
    def kills(self):
        """The number of commands that were killed before their end."""
        return sum(hand.kills for hand in self.hands)

    def round(self, actions=4, deadly=0.3):
        """All devices work at once while the server is killed and restarted; afterwards nothing is missing anywhere."""
        shared = self._shared_records()
        with ThreadPoolExecutor(len(self.hands)) as pool:
            busy = [pool.submit(self._use, hand, shared, actions, deadly) for hand in self.hands]
            self._kill_server()
            for work in busy:
                work.result()
        in_step(*(hand.device for hand in self.hands))
        for edit in self.book.edits:
            edit.sent = edit.done
        for hand in self.hands:
            hand.check()
        self.check_server(self.book.edits)

    def _shared_records(self):
        """Two new tasks that all devices have."""
        first = self.hands[0].device
        for number in range(2):
            first.run("add", f"shared {len(self.book.edits)} {number}")
        for hand in self.hands:
            hand.device.sync()
        newest = sorted(first.records("tasks"), key=lambda task: task["version"])[-2:]
        return [task["id"] for task in newest]

    @staticmethod
    def _use(hand, shared, actions, deadly):
        for _ in range(actions):
            hand.act(shared, deadly)

    def _kill_server(self):
        """Kills the server at a random moment and starts it again; what it had acknowledged must be there."""
        time.sleep(self.random.uniform(0, 0.4))
        self.server.kill()
        sent = [edit for edit in list(self.book.edits) if edit.sent]
        self.server.start()
        self.check_server(sent)

    def check_server(self, sent):
        """Checks that the server has these edits."""
        faults = self.book.faults(self.server.api.log_in(password=PASSWORD).records(), sent)
        assert not faults, "on the server:\n" + "\n".join(faults)
