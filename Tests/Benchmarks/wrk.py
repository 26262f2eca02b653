"""Requests over many kept connections, sent by wrk."""

import json
import shutil
import subprocess

from measuring import Failure

MISSING = "wrk isn't installed; on Debian: apt-get install wrk"

# Each request is made of a prefix, an own number and a suffix; the pairs take turns. The number makes names of new records.
SCRIPT = """
local pairs_of_parts = {
%s
}
local next_pair, number = 0, %d
wrk.method = nil
function request()
    local parts = pairs_of_parts[next_pair + 1]
    next_pair = (next_pair + 1) %% #pairs_of_parts
    number = number + 1
    return parts[2] and (parts[1] .. number .. parts[2]) or parts[1]
end
function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        '\\nRESULT {"requests": %%d, "microseconds": %%d, "p50": %%f, "p99": %%f, "refused": %%d, "broken": %%d}\\n',
        summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
        errors.connect + errors.read + errors.write + errors.timeout))
end
"""


def is_installed():
    return shutil.which("wrk") is not None


def load(place, port, requests, connections, seconds, first_number=0):
    """Sends requests for some seconds.

    `requests` are pairs of bytes: what is before and after the request's own number, or the whole request and None. They
    take turns. Returns the time per request, the median and the 99th percentile of the times to the answer, in seconds,
    and the number of answered requests. An answer that isn't 2xx or 3xx, or a broken connection, ends the benchmark.
    """
    script = place / "requests.lua"
    script.write_bytes(SCRIPT.encode() % (b",\n".join(map(lua_pair, requests)), first_number))
    command = [
        "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", str(script),
        f"http://127.0.0.1:{port}/"]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if done.returncode != 0 or not lines:
        raise Failure(f"{' '.join(command)}\nended with {done.returncode}: {done.stdout}{done.stderr}")
    result = json.loads(lines[-1].removeprefix("RESULT "))
    if result["refused"] or result["broken"] or not result["requests"]:
        raise Failure(
            f"wrk: {result['requests']} requests, {result['refused']} of them refused; {result['broken']} errors of connections")
    return {
        "time": result["microseconds"] / 1e6 / result["requests"], "p50": result["p50"] / 1e6,
        "p99": result["p99"] / 1e6, "requests": result["requests"]}


def lua_pair(pair):
    return b"    {" + b", ".join(map(lua_text, filter(None, pair))) + b"}"


def lua_text(text):
    """Bytes as a Lua string; everything that isn't a plain character as a decimal escape."""
    return b'"' + b"".join(
        bytes([byte]) if 32 <= byte < 127 and byte not in b'"\\' else b"\\%03d" % byte for byte in text) + b'"'


def get(path, token=None, scheme="Bearer "):
    """A request for wrk."""
    return head("GET", path, authorization(token, scheme)) + b"\r\n", None


def authorization(token, scheme="Bearer "):
    return {"Authorization": f"{scheme}{token}"} if token else {}


def head(method, path, headers):
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "".join(line + "\r\n" for line in lines).encode()


def put(path, token, body):
    """A request that creates a record, the name of which ends with the request's number."""
    rest = head("PUT", "", authorization(token) | {
        "Content-Type": "application/json", "Content-Length": len(body), "If-None-Match": "*"})
    return f"PUT {path}".encode(), rest.removeprefix(b"PUT ") + b"\r\n" + body


def post(path, token, body, scheme=""):
    """A request with a body."""
    headers = authorization(token, scheme) | {"Content-Type": "application/json", "Content-Length": len(body)}
    return head("POST", path, headers) + b"\r\n" + body, None
