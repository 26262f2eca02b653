"""What schemathesis must know about the API: its sessions, and the account's own space. `conformance.py` names this file."""

import json
import os
import time
import urllib.error
import urllib.request
import uuid

import schemathesis
from hypothesis import strategies

BASE = os.environ["SATCHEL_API"]
PASSWORD = "correct horse"


class Account:
    """An account with a session, which is created again when a request has ended it."""

    def __init__(self, name):
        self.name = name
        self.session = self._post("/v1/accounts")

    @property
    def token(self):
        return self.session["accessToken"]

    @property
    def space(self):
        return self.session["account"]["personalSpace"]

    def log_in(self):
        self.session = self._post("/v1/sessions")

    def cursor(self):
        """A cursor that the server has issued."""
        return self._call("GET", "changes")["cursor"]

    def put(self, record):
        """Creates a record."""
        self._call("PUT", f"records/tasks/{record}", {"fields": {"title": record}}, {"If-None-Match": "*"})

    def _call(self, method, path, body=None, headers={}):
        request = urllib.request.Request(
            f"{BASE}/v1/spaces/{self.space}/{path}", json.dumps(body).encode() if body else None,
            {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **headers}, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def _post(self, path):
        body = {"username": self.name, "password": PASSWORD, "device": {"name": "schemathesis"}}
        request = urllib.request.Request(
            BASE + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        # Repeated: the server lowers the number of log-ins that an address may have under way.
        for _ in range(20):
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                if error.code not in (429, 503):
                    raise
                time.sleep(float(error.headers.get("Retry-After", "1")))
        raise TimeoutError(f"{path} was refused 20 times")


user = Account("u-" + uuid.uuid4().hex[:12])
# Its sessions are ended by each call of `logOut`, so that those of `user` live on.
leaving = Account("l-" + uuid.uuid4().hex[:12])
# The operations that may end the session of `user`.
ENDING = {"revokeDevice", "signOutDevices"}
CLOCK = "0192f0c1a2b3-0001-schemathesis"
RECORDS = ["r1", "r2", "r3"]
for record in RECORDS:
    user.put(record)
cursor = user.cursor()

# Texts whose limits are in bytes, which a schema can't say.
schemathesis.openapi.format("password", strategies.uuids().map(str))
# Without surrogates, control characters and separators of lines and paragraphs.
letters = strategies.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"))
schemathesis.openapi.format("device-name", strategies.text(letters, min_size=1, max_size=64))


@schemathesis.auth(refresh_interval=None)
class Sessions:
    """A valid access token for each request."""

    def get(self, case, context):
        if case.operation.definition.raw.get("operationId") != "logOut":
            return user.token
        leaving.log_in()
        return leaving.token

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def after_call(context, case, response):
    """Signs in again after the requests that end sessions."""
    if case.operation.definition.raw.get("operationId") in ENDING and response.status_code < 300:
        user.log_in()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Names what exists, and adds what no schema can ask for, to requests that are meant to be valid."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    path, query, body = case.path_parameters or {}, case.query or {}, case.body
    # Any other space is answered 404 before all else is checked, and most records as well.
    if isinstance(path.get("space"), str) and len(path["space"]) % 4 != 3:
        path["space"] = user.space
        if isinstance(path.get("id"), str) and len(path["id"]) % 2:
            path["collection"], path["id"] = "tasks", RECORDS[len(path["id"]) % len(RECORDS)]
    # A cursor is opaque: no schema describes those that the server has issued.
    if "since" in query:
        query["since"] = cursor
    # Whatever their pattern is, some cases of the coverage phase have an empty text.
    for name in ("If-Match", "If-None-Match"):
        if case.headers.get(name) == "":
            case.headers[name] = '"1", W/"2"'
    if case.method in ("PUT", "PATCH", "DELETE") and len(path.get("id", "")) % 4:
        # Otherwise most writes would be refused for want of a precondition.
        if "If-Match" not in case.headers and "If-None-Match" not in case.headers:
            case.headers["If-Match"] = "*"
    # Any other is refused, and delays the next request with a password.
    if case.operation.definition.raw.get("operationId") == "createAppPassword" and isinstance(body, dict):
        body["password"] = PASSWORD
    if "Idempotency-Key" in case.headers:
        # A key that was used for another request is refused.
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    if isinstance(body, dict) and isinstance(body.get("mutations"), list):
        body["mutations"] = with_clocks(body["mutations"])
        # Only a device that has seen nothing may leave it out.
        if "since" in body or any(mutation["base"] for mutation in body["mutations"]):
            body["since"] = cursor


def with_clocks(mutations):
    """The mutations of different records, with a clock for each field that they set: one of `at` and `clock` must have it."""
    records = {}
    for mutation in mutations:
        if "set" in mutation:
            mutation.setdefault("at", CLOCK)
        records.setdefault((mutation["collection"], mutation["id"]), mutation)
    return list(records.values())
