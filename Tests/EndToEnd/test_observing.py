"""What a server shows of itself: the log, the audit log with fail2ban, and the metrics with Prometheus' own parser."""

import ast
import http.client
import json
import re
import shutil
import socket
import subprocess
import uuid
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from harness import program, wait_until
from harness.api import task
from harness.environment import PATIENCE, free_port

TOP = Path(__file__).resolve().parents[2]
FILTER = TOP / "Server" / "fail2ban" / "filter.d" / "satcheld.conf"
JAIL = TOP / "Server" / "fail2ban" / "jail.d" / "satcheld.conf"
DASHBOARD = TOP / "Server" / "grafana" / "satcheld.json"
FORMATS = ["logfmt", "json"]
# Metrics that a server on PostgreSQL doesn't have: the size of the log is PostgreSQL's own.
OF_SQLITE = {"satcheld_store_wal_bytes"}
# A client behind a trusted proxy, as a proxy names it.
CLIENT = "203.0.113.7"


def get(port, path="/metrics", method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def is_listening(port):
    try:
        return get(port)[0] == 200
    except ConnectionRefusedError:
        return False


def metrics(port):
    """The samples by name and labels, as Prometheus reads them."""
    status, headers, text = get(port)
    assert status == 200 and headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text) for sample in family.samples}


def names(port):
    return {name for name, _ in metrics(port)}


@pytest.fixture
def observed(make_server):
    """Starts a server with metrics; returns it with the port of the metrics."""

    def start(*flags):
        server, port = make_server(), free_port()
        server.start("--metrics-address", f"127.0.0.1:{port}", *flags)
        wait_until(lambda: is_listening(port), "the metrics are served")
        return server, port

    return start


def invite_code(server):
    return re.search(r"[0-9a-z]{5}(?:-[0-9a-z]{5}){5}", server.administer("invite", "add").stdout).group()


def test_prometheus_reads_the_metrics(observed):
    server, port = observed()
    api = server.api.register()
    for number in range(3):
        assert api.push({"mutations": [task(f"id-{number}")]}).status == 200
    assert api.request("GET", f"/v1/spaces/{api.space}/records/tasks/none").status == 404
    values = metrics(port)
    push = {"method": "POST", "route": "/v1/spaces/{space}/changes"}
    read = {"method": "GET", "route": "/v1/spaces/{space}/records/{collection}/{id}"}

    def value(name, **labels):
        return values["satcheld_" + name, tuple(sorted(labels.items()))]

    assert value("requests_total", **push, status="200") == 3
    assert value("requests_total", **read, status="404") == 1
    assert value("request_duration_seconds_count", **push) == 3
    assert value("request_duration_seconds_bucket", **push, le="+Inf") == 3
    assert 0 < value("request_duration_seconds_sum", **push)
    assert value("security_events_total", event="registered") == 1
    assert value("store_up") == 1 and value("store_accounts") == 1 and value("store_records") == 3
    assert value("store_database_bytes") > 0 and value("store_used_bytes") > 0
    # The registration and the pushes; maintenance may have written, too.
    assert value("store_write_duration_seconds_count") >= 4
    # PostgreSQL gathers commits itself, so the server can't count them.
    commits = value("store_commit_transactions_sum")
    assert commits == 0 if server.database else commits >= 4
    assert values["process_resident_memory_bytes", ()] > 1 << 20


def documented():
    """The name, the kind and the labels of each metric in the documentation."""
    page = (TOP / "Sources" / "ServerCore" / "ServerCore.docc" / "Operating.md").read_text()
    rows = re.findall(r"^\| `(satcheld_\w+)` \| (\w+) \| (.*?) \|", page, re.M)
    assert len(rows) > 10
    return rows


def test_each_metric_has_the_kind_and_the_labels_of_the_documentation(observed):
    server, port = observed()
    server.api.register()
    families = {family.name: family for family in text_string_to_metric_families(get(port)[2])}
    for name, kind, labels in documented():
        if server.database and name in OF_SQLITE:
            assert name not in families, name
            continue
        # The parser's name of a counter is without its suffix.
        family = families[name.removesuffix("_total")]
        used = {label for sample in family.samples for label in sample.labels} - {"le"}
        assert (family.type, used) == (kind, set(re.findall(r"`(\w+)`", labels))), name


def test_streams_and_connections_are_counted_while_they_are_open(observed):
    server, port = observed()
    api = server.api.register()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {api.token}"})
    answer = connection.getresponse()
    assert answer.status == 200
    values = metrics(port)
    assert values["satcheld_event_streams", ()] == 1 and values["satcheld_connections", ()] >= 1
    answer.close()
    connection.close()
    wait_until(lambda: metrics(port)["satcheld_event_streams", ()] == 0, "the stream is not counted any more")
    wait_until(lambda: metrics(port)["satcheld_connections", ()] == 0, "the connection is not counted any more")


def test_the_servers_own_address_has_no_metrics_and_the_other_one_nothing_else(observed):
    server, port = observed()
    assert server.api.request("GET", "/metrics").status == 404
    assert get(port, "/v1/")[0] == 404 and get(port, "/healthz")[0] == 404
    assert get(port, method="POST")[0] == 405


def test_silent_connections_do_not_keep_prometheus_out(observed):
    _, port = observed()
    # More than the address has at once.
    silent = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(20)]
    assert metrics(port)["satcheld_store_up", ()] == 1
    for connection in silent:
        assert connection.recv(1) == b"", "closed for another one, or within the time limit of a request's headers"
        connection.close()


def test_a_server_with_metrics_stops_gracefully_while_they_are_read(observed):
    server, port = observed()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    # A reader that never ends its request.
    connection.connect()
    connection.sock.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n")
    assert server.stop() == 0
    connection.close()
    assert "level=error" not in server.log.read_text()


@pytest.mark.parametrize("address", ["9280", "localhost:9280", "127.0.0.1", "::1:9280", "127.0.0.1:99999"])
def test_an_invalid_address_of_the_metrics_is_reported(make_server, address):
    server = make_server()
    process = server.spawn("--port", "0", "--data", str(server.data), "--metrics-address", address)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert f"metricsAddress is {address}; it should be an IP address and a port" in server.log.read_text()


def test_a_port_of_the_metrics_that_is_in_use_is_reported_and_ends_the_server(observed, make_server):
    _, port = observed()
    other = make_server()
    process = other.spawn("--port", "0", "--data", str(other.data), "--metrics-address", f"127.0.0.1:{port}")
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert output == b"" and "message=started" not in other.log.read_text()
    assert f"port {port} on 127.0.0.1 is in use; choose another one with --metrics-address" in other.log.read_text()


def test_the_servers_own_address_is_refused_for_the_metrics(make_server):
    server = make_server()
    address = f"127.0.0.1:{server.port}"
    process = server.spawn(
        "--port", str(server.port), "--data", str(server.data), "--metrics-address", address)
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1 and output == b""
    log = server.log.read_text()
    assert f"metricsAddress is {address}, where the server itself listens; choose another port" in log
    assert "level=error" not in log


def expressions():
    """The expressions of all panels of the dashboard."""
    dashboard = json.loads(DASHBOARD.read_text())
    found = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    assert len(found) > 10
    return found


def test_each_documented_metric_is_on_the_dashboard():
    used = set(re.findall(r"\bsatcheld_\w+", " ".join(expressions())))
    for name, kind, _ in documented():
        # A histogram is shown by one of its series.
        shown = {f"{name}_{part}" for part in ("bucket", "sum", "count")} if kind == "histogram" else {name}
        assert shown & used, name


def test_each_metric_of_the_dashboard_is_exported(observed):
    server, port = observed()
    server.api.register()
    exported = names(port) | (OF_SQLITE if server.database else set())
    for expression in expressions():
        used = set(re.findall(r"\b(?:satcheld|process)_\w+", expression))
        assert used and used <= exported, expression


def test_a_server_goes_on_while_its_log_cannot_be_written(make_server):
    server, port = make_server(), free_port()
    server.log = Path("/dev/full")
    server.start("--metrics-address", f"127.0.0.1:{port}")
    wait_until(lambda: is_listening(port), "the metrics are served")
    assert server.api.register().push({"mutations": [task("id-0")]}).status == 200
    assert metrics(port)["satcheld_log_lost_lines_total", ()] > 0


def of_journal(line):
    """A line as `journalctl --output short-iso` and fail2ban's backend for the journal write it."""
    return "2026-11-26T17:00:00+0000 a-host satcheld[4711]: " + line


@pytest.mark.parametrize("written", [str, of_journal], ids=["file", "journal"])
@pytest.mark.parametrize("format", FORMATS)
def test_fail2ban_finds_the_addresses_of_refused_log_ins_and_no_other(make_server, format, written):
    server = make_server().start("--log-format", format, "--trusted-proxy", "127.0.0.1", "--registration", "invite")
    api = server.api
    body = {"username": "ada", "password": "correct horse", "device": {"name": "curl"}, "invite": invite_code(server)}
    guess = {"username": "ada", "password": "battery staple", "device": {"name": "curl"}}

    def post(path, body, address):
        return api.request("POST", path, body, X_Forwarded_For=address).status

    assert post("/v1/accounts", body, "198.51.100.1") == 201
    assert post("/v1/sessions", guess, CLIENT) == 401
    assert post("/v1/sessions", guess, CLIENT) == 429
    assert post("/v1/sessions", guess | {"username": "bob"}, "2001:db8::7") == 401
    assert post("/v1/accounts", guess | {"username": "eve"}, "203.0.113.8") == 403
    # Unknown refresh tokens are no failures for fail2ban: each device sends one after a database was lost, also the many
    # of an office with one address.
    statuses = []
    while 429 not in statuses:
        statuses.append(post("/v1/sessions/refresh", {"refreshToken": "unknown"}, "203.0.113.10"))
        assert len(statuses) < 40
    assert len(statuses) > 21 and set(statuses) == {401, 429}
    assert "refresh-limited" in server.log.read_text()
    # Nor is the right password of a disabled account.
    assert server.administer("user", "disable", "ada").returncode == 0
    assert post("/v1/sessions", guess | {"password": "correct horse"}, "203.0.113.11") == 403
    assert "account-disabled" in server.log.read_text()
    # Lines that imitate others: by a name, a path and a name of a device.
    forged = 'x" address=198.51.100.1 event=login-refused'
    assert post("/v1/sessions", guess | {"username": forged}, "203.0.113.9") == 401
    api.request("GET", "/x%20level=notice%20message=x%20address=198.51.100.1%20event=login-refused")
    api.request("GET", '/{"time":"2026-01-01T00:00:00.000Z","level":"notice","message":"","address":"198.51.100.1",'
                       '"event":"login-refused"}', X_Forwarded_For="198.51.100.1")
    assert server.stop() == 0
    log = server.directory / "log-for-fail2ban"
    log.write_text("".join(written(line) for line in server.log.read_text().splitlines(keepends=True)))
    found = subprocess.run(
        [program("fail2ban-regex"), "--out", "row", str(log), str(FILTER)], capture_output=True, text=True,
        timeout=PATIENCE)
    assert found.returncode == 0, found.stderr
    rows = [ast.literal_eval(line.rstrip(",").replace("\t", " ")) for line in found.stdout.splitlines()
            if line.startswith("[")]
    assert [row[0] for row in rows] == [CLIENT, CLIENT, "2001:db8::7", "203.0.113.8", "203.0.113.9"]


def test_fail2ban_reads_the_jail_and_takes_the_lines_of_the_unit_from_the_journal(tmp_path):
    configuration = tmp_path / "fail2ban"
    shutil.copytree("/etc/fail2ban", configuration)
    # Jails of the distribution, which need files that aren't here.
    for file in (configuration / "jail.d").glob("*"):
        file.unlink()
    for file in [FILTER, JAIL]:
        shutil.copy(file, configuration / file.parent.name / file.name)
    # Prints the commands for the daemon, which isn't started.
    shown = subprocess.run(
        [program("fail2ban-client"), "-c", str(configuration), "-d"], capture_output=True, text=True, timeout=PATIENCE)
    assert shown.returncode == 0, shown.stderr
    commands = [ast.literal_eval(line) for line in shown.stdout.splitlines() if line.startswith("[")]
    assert ["add", "satcheld", "systemd"] in commands and ["start", "satcheld"] in commands
    assert ["set", "satcheld", "addjournalmatch", "_SYSTEMD_UNIT=satcheld.service"] in commands
    unit = TOP / "Server" / "Package" / "satcheld.service"
    assert unit.exists(), "the unit of the filter"


@pytest.mark.parametrize("format", FORMATS)
def test_no_secret_is_in_log_audit_log_or_metrics(observed, format):
    server, port = observed("--log-format", format, "--log-level", "trace", "--registration", "invite")
    code = invite_code(server)
    api, secrets = server.api, [code, "wrong invitation", "a first password", "a second password",
                                "a wrong password", "typed as a name"]

    def post(path, **body):
        return api.request("POST", path, {"device": {"name": "curl"}, **body})

    def keep(answer):
        secrets.extend([answer.json["accessToken"], answer.json["refreshToken"]])
        # An answer to a refresh has none.
        if "deviceProof" in answer.json:
            secrets.append(answer.json["deviceProof"])
        return answer

    def owners_code(*words):
        """The code that a command of the owner prints."""
        done = server.administer(*words)
        assert done.returncode == 0, done.stderr
        secrets.append(done.stdout.splitlines()[0])
        return secrets[-1]

    assert post("/v1/accounts", username="ada", password="a first password", invite="wrong invitation").status == 403
    granted = keep(post("/v1/accounts", username="ada", password="a first password", invite=code))
    assert granted.status == 201
    assert post("/v1/sessions", username="typed as a name", password="a wrong password").status == 401
    api.token, api.space = granted.json["accessToken"], granted.json["account"]["personalSpace"]
    key = str(uuid.uuid4())
    assert api.push({"mutations": [task("id-1", title="a secret title")]}, key=key).status == 200
    assert api.request("GET", f"/v1/account?token={api.token}").status == 200
    refreshed = keep(post("/v1/sessions/refresh", refreshToken=granted.json["refreshToken"]))
    assert refreshed.status == 200
    api.token = refreshed.json["accessToken"]
    change = {"currentPassword": "a first password", "newPassword": "a second password"}
    assert api.request("PUT", "/v1/account/password", change).status == 204
    proof = granted.json["deviceProof"]
    assert keep(post("/v1/sessions", username="ada", password="a second password", deviceProof=proof)).status == 201
    assert post("/v1/sessions", username="ada", password="a wrong password", deviceProof="made-up-proof").status == 401
    assert api.request("GET", "/v1/account", Authorization="Bearer made-up-token").status == 401
    wanted = {"name": "phone", "scope": "read-only", "password": "a second password"}
    app = api.request("POST", "/v1/account/app-passwords", wanted)
    assert app.status == 201
    secrets.append(app.json["secret"])
    assert api.request("GET", "/v1/account", Authorization=f"Bearer {app.json['secret']}").status == 200
    assert api.request("DELETE", f"/v1/devices/{app.json['device']['id']}").status == 204
    owners_code("invite", "add", "--note", "withdrawn later")
    reset = owners_code("user", "reset-password", "ada")
    owners_code("user", "add", "cleo")
    body = {"username": "ada", "newPassword": "a third password"}
    assert post("/v1/sessions/reset", code="wrong-code", **body).status == 401
    after_reset = keep(post("/v1/sessions/reset", code=reset, **body))
    assert after_reset.status == 201
    api.token = after_reset.json["accessToken"]
    assert api.request("POST", "/v1/account/sign-out", {"includingThis": False}).status == 200
    granted = after_reset
    refreshed = keep(post("/v1/sessions/refresh", refreshToken=granted.json["refreshToken"]))
    assert refreshed.status == 200
    api.token = refreshed.json["accessToken"]
    assert api.request("GET", "/v1/account").status == 200
    # The replaced token comes again, so the session ends.
    assert post("/v1/sessions/refresh", refreshToken=granted.json["refreshToken"]).status == 401
    wait_until(lambda: "user-added" in server.log.read_text(), "the owner's commands are logged")
    shown = get(port)[2]
    assert server.stop() == 0
    log = server.log.read_text()
    for event in [
            "registration-refused", "registered", "login-refused", "logged-in", "password-changed", "token-reuse",
            "app-password-created", "app-password-revoked", "devices-signed-out", "password-reset", "reset-code-made",
            "invite-added"]:
        assert event in log, event
    secrets += ["a third password", "wrong-code", "a secret title", "made-up-token", "made-up-proof", key]
    # Tokens, proofs, app passwords, and codes of invitations and resets; the others were sent by the test.
    assert len(secrets) > 25
    stored = server.stored_bytes()
    for secret in secrets:
        assert secret not in log and secret not in shown, secret
        # The owner's own records are stored as they are, and so is the key of a request.
        if secret not in ("a secret title", key):
            assert secret.encode() not in stored, secret


def test_each_line_of_the_json_log_is_an_object_and_a_request_has_its_id_address_and_account(make_server):
    server = make_server().start("--log-format", "json", "--trusted-proxy", "127.0.0.1")
    api = server.api.register()
    answer = api.request("GET", "/v1/account", X_Request_ID="find-me", X_Forwarded_For=CLIENT)
    assert api.request("GET", "/" + "x" * 2_000).status == 404
    assert server.stop() == 0
    lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert all(list(line)[:3] == ["time", "level", "message"] for line in lines)
    line = next(line for line in lines if line.get("request") == answer.headers["x-request-id"])
    assert line["message"] == "answered" and line["status"] == 200 and line["address"] == CLIENT
    assert line["account"] == answer.json["account"]["id"]
    assert "find-me" not in server.log.read_text()
    assert max(len(line.get("path", "")) for line in lines) < 400


def test_an_unknown_log_format_is_reported(make_server):
    server = make_server()
    process = server.spawn("--port", "0", "--data", str(server.data), "--log-format", "xml")
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "logFormat is xml; it should be one of: logfmt, json" in server.log.read_text()
