"""Clients that write and read without a pause through several servers, whatever happens to these, and remember what was acknowledged."""

import http.client
import itertools
import threading
import time
import uuid
from dataclasses import dataclass

from .api import API, task
from .environment import PATIENCE, wait_until

# Time before a refused or broken request is sent again, in seconds.
PAUSE = 0.05
# What a client sees of a server that is killed, or of a proxy without one.
BROKEN = (OSError, http.client.HTTPException)

# Number of records that are sent in one request, at most 1,000 (SyncAPI.docc/Protocol.md, "Writing").
BATCH = 500


@dataclass(frozen=True)
class Acknowledged:
    """A record and its version, as the server acknowledged them."""

    id: str
    version: int
    # On the monotonic clock, in seconds: when the acknowledged request was sent, and answered.
    sent: float
    answered: float


class Space:
    """The personal space of an account, with what its clients know."""

    def __init__(self, api, readers):
        self.id = api.space
        self.token = api.token
        self.acknowledged = []
        self.readers = [Reader() for _ in range(readers)]

    def api(self, port):
        api = API(port)
        api.token, api.space = self.token, self.id
        return api


class Reader:
    """What a client has received that follows the changes of a space."""

    def __init__(self):
        # The version of each record that it has seen.
        self.seen = {}
        self.cursor = ""
        # The answers that said that the server's history is another one: the version up to which both are the same.
        self.shared = []


class Clients:
    """Writers and readers for each of a few accounts. Each request reaches the next of the servers."""

    def __init__(self, ports, accounts=2, writers=3, readers=1):
        self.ports = itertools.cycle(ports)
        self.spaces = [self._space(f"user-{number}", readers) for number in range(accounts)]
        self.refused, self.broken, self.faults = [], [], []
        self._done = threading.Event()
        self._halt = threading.Event()
        self._names = itertools.count(1)
        self._writers = [self._thread(self._write, space) for space in self.spaces for _ in range(writers)]
        self._readers = [self._thread(self._read, space, reader) for space in self.spaces for reader in space.readers]

    def _space(self, name, readers):
        api = API(next(self.ports)).register(name)
        # Its secret needs no refresh.
        answer = api.request(
            "POST", "/v1/account/app-passwords", {"name": "client", "scope": "full", "password": "correct horse"})
        assert answer.status == 201, answer
        api.token = answer.json["secret"]
        return Space(api, readers)

    def _thread(self, work, *parts):
        thread = threading.Thread(target=self._guarded, args=(work, *parts), daemon=True)
        thread.start()
        return thread

    def _guarded(self, work, *parts):
        try:
            work(*parts)
        except Exception as fault:
            self.faults.append(fault)

    # Writers

    def _write(self, space):
        while not self._done.is_set():
            self._create(space, f"r{next(self._names)}")

    def _create(self, space, name):
        """Creates a record: the same request with the same key until it is acknowledged or the writers are stopped."""
        key = str(uuid.uuid4())
        answer, sent = self._sent_again(space, lambda api: api.push({"mutations": [task(name)]}, key=key))
        if answer is None:
            return
        [result] = answer.json["results"]
        assert result["status"] == "applied", f"{name}: {result}"
        space.acknowledged.append(Acknowledged(name, result["version"], sent, time.monotonic()))

    def _sent_again(self, space, request):
        """The answer to a request that is sent again as a device does, and when it was sent; None: the writers are stopped."""
        while not self._done.is_set():
            sent = time.monotonic()
            answer = self._attempt(space, request)
            if answer is not None and answer.status == 200:
                return answer, sent
            # 409: the first request with the key is still under way.
            assert answer is None or answer.status == 503 or answer.code == "idempotency-key-in-use", answer
            time.sleep(PAUSE)
        return None, 0

    def _answered(self, space, request):
        """The answer to a request that is sent again until the servers have recovered."""

        def attempt():
            answer = self._attempt(space, request)
            assert answer is None or answer.status in (200, 503), answer
            return answer if answer is not None and answer.status == 200 else None

        return wait_until(attempt, "a request is answered")

    def _attempt(self, space, request):
        """The answer of the next server; None if there was none."""
        try:
            answer = request(space.api(next(self.ports)))
        except BROKEN as error:
            self.broken.append(repr(error))
            return None
        if answer.status in (502, 504):
            # Of a proxy whose server ended while it answered.
            self.broken.append(answer.status)
            return None
        if answer.status == 503:
            assert "retry-after" in answer.headers or answer.code is None, answer
            self.refused.append(answer.status)
        return answer

    # Readers

    def _read(self, space, reader):
        """Follows the changes as a device does; after another history, it reads everything again."""
        deadline = None
        while True:
            is_last = self._halt.is_set()
            if is_last:
                deadline = deadline or time.monotonic() + PATIENCE
                assert time.monotonic() < deadline, "a reader could not read to the end"
            answer = self._attempt(space, lambda api: api.pull(reader.cursor and f"?since={reader.cursor}"))
            if answer is None or answer.status == 503:
                time.sleep(PAUSE)
            elif answer.status == 410:
                assert answer.code == "epoch-changed", answer
                reader.shared.append(answer.json["shared"])
                reader.seen, reader.cursor = {}, ""
            else:
                assert answer.status == 200, answer
                page = answer.json
                reader.seen.update((record["id"], record["version"]) for record in page["records"])
                reader.cursor = page["cursor"]
                if is_last and not page["more"]:
                    return
                time.sleep(PAUSE)

    # Control

    @property
    def count(self):
        """Number of acknowledged writes."""
        return sum(len(space.acknowledged) for space in self.spaces)

    def wait_for(self, count):
        """Waits until so many more writes are acknowledged."""
        target = self.count + count
        wait_until(lambda: self.faults or self.count >= target, f"{target} writes are acknowledged")
        self.check_faults()

    def wait_for_readers(self, count):
        """Waits until each reader has noticed this many other histories."""
        wait_until(
            lambda: self.faults or all(len(reader.shared) >= count for space in self.spaces for reader in space.readers),
            "each reader has noticed that the history is another one")
        self.check_faults()

    def first_after(self, moment):
        """When the first write was acknowledged that was sent after a moment, or None."""
        answers = [one.answered for space in self.spaces for one in space.acknowledged if one.sent >= moment]
        return min(answers, default=None)

    def end(self):
        """Lets all clients end, without waiting for them."""
        self._done.set()
        self._halt.set()

    def stop(self):
        """Stops the writers, then the readers, which read to the end."""
        for event, threads in ((self._done, self._writers), (self._halt, self._readers)):
            event.set()
            for thread in threads:
                thread.join(PATIENCE)
                assert not thread.is_alive(), "a client does not end"
        self.check_faults()

    def check_faults(self):
        """Raises what ended a client."""
        if self.faults:
            raise self.faults[0]

    # Checks

    def stored(self, space):
        """The version of each record that is stored. Each must be there once."""
        found, query, is_over = [], "", False
        while not is_over:
            page = self._answered(space, lambda api: api.pull(query)).json
            found += page["records"]
            query, is_over = f"?since={page['cursor']}", not page["more"]
        versions = {record["id"]: record["version"] for record in found}
        assert len(versions) == len(found), "a record is on two pages"
        return versions

    def lost(self):
        """The acknowledged writes that aren't stored, for each space."""
        # First what was acknowledged, since the writers go on.
        before = {space.id: list(space.acknowledged) for space in self.spaces}
        stored = {space.id: self.stored(space) for space in self.spaces}
        return {space: [one for one in acknowledged if one.id not in stored[space]] for space, acknowledged in before.items()}

    def send_again(self, space, lost):
        """Creates lost records again, with another key, as a device does after it has compared what it has with the server."""
        for start in range(0, len(lost), BATCH):
            part = lost[start:start + BATCH]
            key = str(uuid.uuid4())
            answer = self._answered(
                space, lambda api: api.push({"mutations": [task(one.id) for one in part]}, key=key))
            for one, result in zip(part, answer.json["results"]):
                assert result["status"] == "applied", f"{one.id}: {result}"
                space.acknowledged.append(Acknowledged(one.id, result["version"], 0, time.monotonic()))


def faults_of(acknowledged, stored, seen, histories=1):
    """What is wrong in a space: a list of sentences, empty if all is well.

    `acknowledged`: pairs of a record and a version; a record that was lost and sent again has two, of which the last is the
    stored one. `stored` and `seen`: the version of each record on the server, and at the reader. `histories`: how many
    epochs there were; the versions of each are contiguous.
    """
    faults = []
    last = dict(acknowledged)
    faults += [f"{name}, version {version}, is lost" for name, version in last.items() if name not in stored]
    faults += [
        f"{name} has version {stored[name]}, not {version}" for name, version in last.items()
        if stored.get(name, version) != version]
    faults += [f"version {version} was assigned to {names}" for version, names in assigned_twice(acknowledged, stored).items()]
    versions = sorted(stored.values())
    gaps = [(before, after) for before, after in zip([0, *versions], versions) if after != before + 1]
    if len(gaps) >= histories:
        faults.append(f"versions have gaps: {gaps[:5]}")
    faults += [f"the reader missed {name}" for name in stored if seen.get(name) != stored[name]]
    return faults


def assigned_twice(acknowledged, stored):
    """The versions that two records have, or had when they were acknowledged."""
    names = {}
    for name, version in [*acknowledged, *stored.items()]:
        names.setdefault(version, set()).add(name)
    return {version: sorted(held) for version, held in names.items() if len(held) > 1}
