"""Requests that are not valid HTTP, byte for byte; the server continues. The other tests of invalid requests are in
Tests/Integration."""

import http.client
import json
import uuid

import pytest

from harness.environment import PATIENCE


@pytest.fixture
def api(server):
    """A signed-in user with curl; afterwards, the server must still be the same process, answer, and hold nothing."""
    api = server.api.register()
    process = server.process
    yield api
    assert process.poll() is None, "the server died"
    assert api.request("GET", "/healthz").status == 200
    assert api.records() == []
    assert "level=error" not in server.log.read_text()


def test_a_body_that_is_too_large_is_413_with_or_without_its_length(api):
    head = (
        f"POST /v1/spaces/{api.space}/changes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {api.token}\r\n"
        f"Idempotency-Key: {uuid.uuid4()}\r\nContent-Type: application/json\r\n")
    answer = api.raw(f"{head}Content-Length: 99999999999\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 413 ")
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    streamed = api.raw(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + chunk * 140 + b"0\r\n\r\n")
    assert streamed.startswith(b"HTTP/1.1 413 ")


def test_a_connection_goes_on_after_a_head(api):
    connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=PATIENCE)
    try:
        for path in ("/v1/", "/v1/events", "/v1/account"):
            for method in ("HEAD", "GET", "HEAD") if path != "/v1/events" else ("HEAD", "HEAD"):
                connection.request(method, path, headers={"Authorization": f"Bearer {api.token}"})
                answer = connection.getresponse()
                assert answer.status == 200
                # A byte after the head would be the beginning of the next answer.
                assert bool(answer.read()) == (method == "GET")
                assert path == "/v1/events" or int(answer.headers["Content-Length"]) > 2
    finally:
        connection.close()


def test_invalid_http_does_no_harm(api):
    assert b"200" not in api.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200))[:20]
    api.raw(b"GET / HTTP/9.9\r\n\r\n")
    api.raw(b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n")
    api.raw(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000 + b"\r\n\r\n")


@pytest.mark.parametrize("data", [
    b"GET /healthz NOTHTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 20_000 + b"\r\n\r\n",
    b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
], ids=["line", "headers", "url", "negative-length", "two-lengths"])
def test_the_answer_to_a_request_that_cannot_be_parsed_has_the_headers_of_every_answer(api, data):
    status, *lines = api.raw(data).split(b"\r\n\r\n")[0].split(b"\r\n")
    assert status.startswith(b"HTTP/1.1 400 ")
    headers = [line.lower() for line in lines]
    policy = b"content-security-policy: default-src 'none'; frame-ancestors 'none'"
    for header in [b"cache-control: no-store", b"x-content-type-options: nosniff", policy, b"connection: close"]:
        assert headers.count(header) == 1, headers


@pytest.mark.parametrize("hosts", [[], ["a.test", "b.test"], [""]], ids=str)
def test_a_request_that_does_not_name_its_host_once(api, hosts):
    lines = "".join(f"Host: {host}\r\n" for host in hosts)
    head, body = api.raw(f"GET /healthz HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode()).split(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body)["code"] == "invalid-request" and b"Host" in body
    headers = [line.lower() for line in head.split(b"\r\n")]
    assert headers.count(b"cache-control: no-store") == 1 and headers.count(b"x-content-type-options: nosniff") == 1
