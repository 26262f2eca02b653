"""A network with controlled losses: an HTTP/1.1 proxy in front of one server, one request at a time."""

import socket
import threading
from dataclasses import dataclass, field

from .environment import PATIENCE
from .listener import Listener, start

CUT_BEFORE = "cut before the server saw it"
CUT_AFTER = "the server acted, its answer is lost"
HOLD = "the server acted, its answer stays on the way"
PASS_ON = "nothing is done to it"


@dataclass
class Request:
    method: str
    path: str
    head: bytes
    body: bytes
    status: int = 0


@dataclass
class Rule:
    """The rule for requests of this method and path; it applies to `times` of them."""

    method: str
    suffix: str
    action: object
    times: int = 1

    def matches(self, request):
        path = request.path.split("?")[0]
        return self.times > 0 and request.method == self.method and path.endswith(self.suffix)


@dataclass
class Proxy:
    """Listens on a separate port; `url` is the server's address as devices see it."""

    target: int
    requests: list = field(default_factory=list)
    rules: list = field(default_factory=list)

    def __post_init__(self):
        self.lock = threading.Lock()
        self.closed = threading.Event()
        self.listener = Listener(lambda client: start(self._serve, client))
        self.port = self.listener.port
        self.url = f"http://127.0.0.1:{self.port}"

    # Rules

    def lose_answer(self, method, suffix, times=1):
        """The server acts on the request, and the client never receives the answer."""
        self.rules.append(Rule(method, suffix, CUT_AFTER, times))

    def hold_answer(self, method, suffix, times=1):
        """The server acts on the request, and the answer doesn't arrive while the proxy runs."""
        self.rules.append(Rule(method, suffix, HOLD, times))

    def pass_on(self, method, suffix, times=1):
        """The next ones are passed unchanged, before other rules apply."""
        self.rules.append(Rule(method, suffix, PASS_ON, times))

    def lose_request(self, method, suffix, times=1):
        """The connection is cut before the server receives the request."""
        self.rules.append(Rule(method, suffix, CUT_BEFORE, times))

    def answer(self, method, suffix, status, body=b"", times=1):
        """The proxy answers instead of the server."""
        kind = "application/json" if status < 400 else "application/problem+json"
        head = f"HTTP/1.1 {status} Made up\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        self.rules.append(Rule(method, suffix, head.encode() + body, times))

    def before(self, method, suffix, action, times=1):
        """`action` is called when the request has arrived whole; then it is passed on."""
        self.rules.append(Rule(method, suffix, action, times))

    def received(self, method, suffix):
        """The requests of this method and path that have arrived."""
        rule = Rule(method, suffix, None)
        with self.lock:
            return [request for request in self.requests if rule.matches(request)]

    def close(self):
        self.closed.set()
        self.listener.close()

    # Traffic

    def _serve(self, client):
        with client:
            client.settimeout(60)
            try:
                stream = client.makefile("rb")
                while request := self._read_request(client, stream):
                    if not self._carry(client, request):
                        return
            except OSError:
                return

    def _carry(self, client, request):
        """Applies the rules to a request; False when the connection ends."""
        with self.lock:
            self.requests.append(request)
            rule = next((rule for rule in self.rules if rule.matches(request)), None)
            if rule:
                rule.times -= 1
        action = rule.action if rule else None
        if action == CUT_BEFORE:
            return False
        if isinstance(action, bytes):
            client.sendall(action)
            return True
        if callable(action):
            action()
        answer = self._ask_server(request)
        request.status = int(answer.split(b" ", 2)[1])
        if action == HOLD:
            self.closed.wait(60)
        if action in (CUT_AFTER, HOLD):
            return False
        client.sendall(answer)
        return True

    def _ask_server(self, request):
        with socket.create_connection(("127.0.0.1", self.target), timeout=PATIENCE) as server:
            server.sendall(request.head + request.body)
            stream = server.makefile("rb")
            head = read_head(stream)
            if not head:
                raise OSError("the server hung up")
            if request.method == "HEAD" or head.split(b" ", 2)[1] in (b"204", b"304"):
                return head
            return head + read_body(head, stream)

    @staticmethod
    def _read_request(client, stream):
        head = read_head(stream)
        if not head:
            return None
        if header(head, b"expect") == b"100-continue":
            client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            lines = head.split(b"\r\n")
            head = b"\r\n".join(line for line in lines if not line.lower().startswith(b"expect:"))
        method, path, _ = head.split(b" ", 2)
        return Request(method.decode(), path.decode(), head, read_body(head, stream))


def read_head(stream):
    head = b""
    while line := stream.readline():
        head += line
        if line == b"\r\n":
            return head
    return b""


def header(head, name):
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.strip().lower() == name:
            return value.strip()
    return None


def read_body(head, stream):
    """The body as received, including chunks."""
    if header(head, b"transfer-encoding") == b"chunked":
        body = b""
        while True:
            line = stream.readline()
            body += line
            size = int(line.split(b";")[0], 16)
            body += stream.read(size + 2)
            if size == 0:
                return body
    return stream.read(int(header(head, b"content-length") or 0))
