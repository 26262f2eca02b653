"""The server over plain HTTP, byte for byte, also for invalid requests."""

import http.client
import json
import socket
import uuid
from dataclasses import dataclass

from .environment import PATIENCE


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The stable code of a problem; None for any other answer."""
        return self.json.get("code") if "problem+json" in self.headers.get("content-type", "") else None


def task(name, title="x"):
    """A mutation that creates a task."""
    return {"collection": "tasks", "id": name, "base": 0, "at": "019350000000-0000-x", "set": {"title": title}}


class API:
    """A user with curl."""

    def __init__(self, port):
        self.port = port
        self.token = None
        self.session = None
        self.space = None

    def request(self, method, path, body=None, *, token=True, **headers):
        """Sends a request. `body`: bytes are sent unchanged, the rest as JSON. Header names are written with `_`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        if token and self.token:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            try:
                connection.request(method, path, body, sent)
            except (BrokenPipeError, ConnectionResetError):
                # A refused body isn't read to its end; the answer has arrived nevertheless.
                pass
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, names, answer.read())
        finally:
            connection.close()

    def register(self, username="ada", password="correct horse"):
        return self._open("/v1/accounts", username, password)

    def log_in(self, username="ada", password="correct horse"):
        return self._open("/v1/sessions", username, password)

    def _open(self, path, username, password):
        body = {"username": username, "password": password, "device": {"name": "curl"}}
        answer = self.request("POST", path, body, token=False)
        assert answer.status == 201, answer
        self.session = answer.json
        self.token = self.session["accessToken"]
        self.space = self.session["account"]["personalSpace"]
        return self

    def push(self, body, key=None):
        return self.request(
            "POST", f"/v1/spaces/{self.space}/changes", body, Idempotency_Key=key or str(uuid.uuid4()))

    def pull(self, query=""):
        return self.request("GET", f"/v1/spaces/{self.space}/changes{query}")

    def records(self):
        """All live records of the space."""
        records, query = [], ""
        while True:
            page = self.pull(query).json
            records += page["records"]
            if not page["more"]:
                return records
            query = f"?since={page['cursor']}"

    def raw(self, data):
        """Sends bytes on a connection, and returns the answer until its head is complete or the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            received = b""
            try:
                connection.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass
            try:
                while b"\r\n\r\n" not in received and (piece := connection.recv(65536)):
                    received += piece
            except ConnectionResetError:
                pass
            return received
