"""Invalid requests: exact statuses and codes, and the server continues."""

import json
import uuid

import pytest

from harness import wait_until

AT = "019350000000-0000-tester"
MEBIBYTE = 1 << 20


def mutation(id=None, **changes):
    body = {"collection": "tasks", "id": str(uuid.uuid4()) if id is None else id, "base": 0, "at": AT, "set": {"title": "x"}}
    body.update(changes)
    return {name: value for name, value in body.items() if value is not ...}


def push_body(*mutations, **more):
    return {"mutations": list(mutations), **more}


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


def check(answer, status, code):
    assert (answer.status, answer.code) == (status, code), answer
    problem = answer.json
    assert problem["status"] == status and problem["title"] and problem["requestID"] and "type" in problem
    return problem


NOT_JSON = {
    "text": b"hello",
    "nothing": b"",
    "cut off": b'{"mutations": [',
    "a trailing comma": b'{"mutations": [],}',
    "something after it": b'{"mutations": []} []',
    "a duplicate key": b'{"mutations": [], "mutations": []}',
    "a duplicate key that is spelled differently": b'{"mutations": [], "\\u006dutations": []}',
    "invalid UTF-8": b'{"mutations": [], "since": "\xff\xfe"}',
    "an overlong encoding": b'{"mutations": [], "since": "\xc0\xaf"}',
    "a lone surrogate": b'{"mutations": [], "since": "\\ud800"}',
    "a byte order mark": b'\xef\xbb\xbf{"mutations": []}',
    "a control character": b'{"mutations": [], "since": "\x01"}',
    "too deep": b"[" * 100_000,
    "too deep inside": b'{"mutations":' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "an invalid number": b'{"mutations": [], "limit": 01}',
    "NaN": b'{"mutations": [NaN]}',
}


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON.keys())
def test_a_body_that_is_not_json_is_400(api, body):
    check(api.push(body), 400, "invalid-json")


WRONG_SHAPE = {
    "an array": (b"[]", ""),
    "a text": (b'"x"', ""),
    "no mutations": ({}, "/mutations"),
    "invalid mutations": ({"mutations": {}}, "/mutations"),
    "an invalid mutation": ({"mutations": [7]}, "/mutations/0"),
    "no id": (push_body(mutation(id=...) | {"id": 5}), "/mutations/0/id"),
    "a base below 0": (push_body(mutation(base=-1)), "/mutations/0/base"),
    "a base with a fraction": (push_body(mutation(base=1.5)), "/mutations/0/base"),
    "an invalid clock": (push_body(mutation(at="yesterday")), "/mutations/0/at"),
    "no clock": (push_body(mutation(at=...)), "/mutations/0/at"),
    "set and delete": (push_body(mutation(delete=True)), "/mutations/0"),
    "neither set nor delete": (push_body(mutation(set=...)), "/mutations/0"),
    "invalid fields": (push_body(mutation(set=[1])), "/mutations/0/set"),
    "a record twice": (push_body(mutation("same"), mutation("same")), "/mutations"),
    "a base without since": (push_body(mutation(base=7)), "/since"),
    "1,001 mutations": (push_body(*[mutation() for _ in range(1_001)]), "/mutations"),
    "since that is not a text": (push_body(since=5), "/since"),
}


@pytest.mark.parametrize("body, pointer", WRONG_SHAPE.values(), ids=WRONG_SHAPE.keys())
def test_a_body_of_the_wrong_shape_is_422_with_the_place(api, body, pointer):
    problem = check(api.push(body), 422, "invalid-body")
    assert pointer in [error["pointer"] for error in problem["errors"]]
    assert all(error["detail"] for error in problem["errors"])


def test_a_body_that_is_too_large_is_413_with_or_without_its_length(api):
    large = b'{"mutations": [' + b" " * (8 * MEBIBYTE) + b"]}"
    check(api.push(large), 413, "too-large")
    head = (
        f"POST /v1/spaces/{api.space}/changes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {api.token}\r\n"
        f"Idempotency-Key: {uuid.uuid4()}\r\nContent-Type: application/json\r\n")
    answer = api.raw(f"{head}Content-Length: 99999999999\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 413 ")
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    streamed = api.raw(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + chunk * 140 + b"0\r\n\r\n")
    assert streamed.startswith(b"HTTP/1.1 413 ")


def test_nothing_of_a_body_is_read_before_the_request_is_known_to_be_authorised(api):
    large = b"{" * (9 * MEBIBYTE)
    path = f"/v1/spaces/{api.space}/changes"
    check(api.request("POST", path, large, token=False), 401, "token-missing")
    check(api.request("POST", path, large, token=False, Authorization="Bearer made-up"), 401, "token-invalid")
    check(api.request("POST", "/v1/spaces/another/changes", large), 404, "not-found")


def test_401_says_how_to_authenticate(api):
    answer = api.request("GET", "/v1/account", token=False)
    check(answer, 401, "token-missing")
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_another_media_type_is_415(api):
    path = f"/v1/spaces/{api.space}/changes"
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"]:
        answer = api.request("POST", path, b"{}", Content_Type=media_type, Idempotency_Key=str(uuid.uuid4()))
        check(answer, 415, "unsupported-media-type")


@pytest.mark.parametrize("cursor", ["made-up", "%00", "AAAA", "9" * 5_000, "%ff", "..", "e30="])
def test_an_invalid_cursor_is_400(api, cursor):
    check(api.pull(f"?since={cursor}"), 400, "invalid-cursor")


def test_an_invalid_cursor_is_400_in_a_push_too(api):
    check(api.push(push_body(mutation(), since="made-up")), 400, "invalid-cursor")


def test_a_cursor_of_another_database_is_410(api, make_server):
    elsewhere = make_server().start().api.register()
    cursor = elsewhere.pull().json["cursor"]
    check(api.pull(f"?since={cursor}"), 410, "epoch-changed")
    check(api.push(push_body(mutation(), since=cursor)), 410, "epoch-changed")


@pytest.mark.parametrize("limit", ["0", "-1", "many", "1e3", ""])
def test_an_invalid_limit_is_400(api, limit):
    check(api.pull(f"?limit={limit}"), 400, "invalid-request")


def test_a_push_without_a_key_or_with_an_invalid_key_is_400(api):
    path = f"/v1/spaces/{api.space}/changes"
    check(api.request("POST", path, push_body()), 400, "idempotency-key-missing")
    check(api.request("POST", path, push_body(), Idempotency_Key="a-key-of-my-own"), 400, "invalid-request")


def test_the_same_key_with_another_body_is_422(api):
    key = str(uuid.uuid4())
    assert api.push(push_body(), key).status == 200
    check(api.push({"mutations": [], "since": api.pull().json["cursor"]}, key), 422, "idempotency-key-reused")


@pytest.mark.parametrize("names", [
    {"id": "a/b"}, {"id": ""}, {"id": "x" * 65}, {"id": "naïve"}, {"id": "../../etc/passwd"}, {"id": "a b"},
    {"collection": "Tasks"}, {"collection": ""}, {"collection": "t" * 65}, {"collection": "a/b"},
], ids=str)
def test_a_mutation_of_a_record_with_a_bad_name_is_rejected_and_its_neighbours_are_not(api, names):
    good = str(uuid.uuid4())
    answer = api.push(push_body(mutation(**names), mutation(good)))
    bad, neighbour = answer.json["results"]
    assert bad["status"] == "rejected" and bad["problem"]["code"] == "invalid-request"
    assert neighbour["status"] == "applied"
    version = {"If_Match": f'"{neighbour["version"]}"'}
    assert api.request("DELETE", f"/v1/spaces/{api.space}/records/tasks/{good}", **version).status == 204


def test_an_id_with_a_slash_in_a_path_is_422(api):
    for id in ["a%2Fb", "%20", "x" * 65]:
        answer = api.request("PUT", f"/v1/spaces/{api.space}/records/tasks/{id}", {"fields": {}}, If_None_Match="*")
        check(answer, 422, "invalid-request")


def test_fields_of_more_than_a_mebibyte_are_rejected_with_413(api):
    answer = api.push(push_body(mutation(set={"title": "x" * MEBIBYTE})))
    [result] = answer.json["results"]
    assert result["status"] == "rejected"
    assert (result["problem"]["status"], result["problem"]["code"]) == (413, "too-large")


@pytest.mark.parametrize("path", ["/", "/v2/", "/v1/nothing", "/v1/spaces/x", "/%", "/v1/%ff", "/v1//account", "/etc/passwd"])
def test_an_unknown_path_is_404(api, path):
    check(api.request("GET", path), 404, "not-found")


def test_a_wrong_method_is_405_with_the_allowed_ones(api):
    answer = api.request("PUT", f"/v1/spaces/{api.space}/changes", {})
    check(answer, 405, "method-not-allowed")
    assert {method.strip() for method in answer.headers["allow"].split(",")} == {"GET", "POST"}


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
    for header in [b"cache-control: no-store", b"x-content-type-options: nosniff", b"connection: close"]:
        assert headers.count(header) == 1, headers


def test_a_title_of_a_mebibyte_is_refused_on_the_device_and_stops_nothing_else(laptop):
    laptop.run("add", "Small")
    result = laptop.try_(stdin="add " + "x" * MEBIBYTE + "\n")
    assert result.code != 0 and "title" in result.err, str(result)[:2_000]
    laptop.sync()
    assert laptop.titles() == ["Small"]


def test_registrations_with_invalid_names_and_passwords_are_422_and_create_nothing(server):
    api = server.api
    for body in [
        {"username": "", "password": "long enough", "device": {"name": "x"}},
        {"username": "a/b", "password": "long enough", "device": {"name": "x"}},
        {"username": "x" * 300, "password": "long enough", "device": {"name": "x"}},
        {"username": "ada", "password": "short", "device": {"name": "x"}},
        {"username": "ada", "password": "x" * 1_025, "device": {"name": "x"}},
        {"username": "ada", "password": "long enough"},
        {"username": ["ada"], "password": "long enough", "device": {"name": "x"}},
    ]:
        answer = api.request("POST", "/v1/accounts", body)
        check(answer, 422, "invalid-body")
    assert json.loads(api.request("GET", "/v1/").body)["registration"] == "open"


def test_wrong_passwords_are_401_then_slowed_down_with_429(server):
    api = server.api.register()
    body = {"username": "ada", "password": "wrong password", "device": {"name": "x"}}
    unknown = body | {"username": "nobody"}
    first = api.request("POST", "/v1/sessions", body)
    check(first, 401, "invalid-credentials")
    second = api.request("POST", "/v1/sessions", body)
    check(second, 429, "rate-limited")
    assert int(second.headers["retry-after"]) >= 1
    # Active sessions are not locked out, and an unknown name gets the same answer.
    assert api.request("GET", "/v1/account").status == 200
    answer = wait_until(
        lambda: (answer := api.request("POST", "/v1/sessions", unknown)).status != 429 and answer, "it may try again")
    same = {"title", "status", "code", "detail", "type"}
    assert {name: answer.json[name] for name in same} == {name: first.json[name] for name in same}


@pytest.mark.parametrize("hosts", [[], ["a.test", "b.test"], [""]], ids=str)
def test_a_request_that_does_not_name_its_host_once(api, hosts):
    lines = "".join(f"Host: {host}\r\n" for host in hosts)
    head, body = api.raw(f"GET /healthz HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode()).split(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body)["code"] == "invalid-request" and b"Host" in body
    headers = [line.lower() for line in head.split(b"\r\n")]
    assert headers.count(b"cache-control: no-store") == 1 and headers.count(b"x-content-type-options: nosniff") == 1


@pytest.mark.parametrize("header", ["If_None_Match", "If_Match"])
def test_an_invalid_precondition_overwrites_nothing(api, header):
    path = f"/v1/spaces/{api.space}/records/tasks/x"
    api.request("PUT", path, {"fields": {"title": "x"}}, If_None_Match="*")
    for value in ["garbage", "", "42"]:
        check(api.request("PUT", path, {"fields": {"title": "y"}}, **{header: value}), 400, "invalid-request")
    assert api.request("GET", path).json["fields"] == {"title": "x"}
    assert api.request("DELETE", path, If_Match="*").status == 204
