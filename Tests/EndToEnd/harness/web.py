"""A session of `satchel web`, and its page over plain HTTP, also for requests that no browser sends."""

import http.client
import re
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from .environment import PATIENCE, plain_environment, wait_until

LINK = re.compile(r"http://127\.0\.0\.1:\d+/\S+")


@dataclass
class Reply:
    """The answer to a request: the names of `headers` in lower case; `cookies` as they were set."""

    status: int
    headers: dict
    cookies: list
    text: str


class Web:
    """A process that serves the page of a device's home. It ends with its device."""

    def __init__(self, device, *flags, environment=None):
        self.device = device
        self.log = device.directory / "web.log"
        self.process = device.start("web", *(flags or ("--port", 0)), environment=environment)
        self.link = self._link()

    @property
    def origin(self):
        parts = urlsplit(self.link)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def port(self):
        return urlsplit(self.link).port

    def _link(self):
        """The one-time link, which the process prints when it listens."""
        said = []
        while line := self.process.stdout.readline().decode():
            said.append(line)
            if match := LINK.search(line):
                return match.group()
        raise AssertionError(f"no link came; it said {said} and {self.process.stderr.read().decode()}")

    def request(self, method, path, form=None, *, cookie=None, host=None, **headers):
        return request(self.port, method, path, form, cookie=cookie, host=host, **headers)

    def stop(self):
        """Like Ctrl-C; returns the exit code."""
        self.process.terminate()
        return self.process.wait(timeout=PATIENCE)


def request(port, method, path, form=None, *, cookie=None, host=None, **headers):
    """Sends one request. Header names are written with `_`; `Host` is the correct one unless given."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    sent["Host"] = host or f"127.0.0.1:{port}"
    if cookie:
        sent["Cookie"] = cookie
    body = None
    if form is not None:
        body = form if isinstance(form, bytes) else urlencode(form).encode()
        sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        cookies = [value for name, value in answer.getheaders() if name.lower() == "set-cookie"]
        names = {name.lower(): value for name, value in answer.getheaders()}
        # The stream of events never ends: only its head is read.
        text = "" if names.get("content-type", "").startswith("text/event-stream") else answer.read().decode()
        return Reply(answer.status, names, cookies, text)
    finally:
        connection.close()
