"""TLS in the server, with HTTP/2 and HTTP/1.1: with curl, openssl, h2load, satchel, and clients that block."""

import json
import os
import signal
import socket
import subprocess

import h2.errors
import h2.events
import h2.settings
import pytest

from harness import plain_environment, program, wait_until
from harness.environment import PATIENCE
from harness.http2 import HTTP2

NO_ERROR = h2.errors.ErrorCodes.NO_ERROR
# What the server reserves for its files and event loops, and 128 connections.
DESCRIPTORS = 64 + 4 * os.cpu_count() + 128


@pytest.fixture
def secure(make_server, certificates):
    """A running server with TLS."""
    return make_server().start(*certificates.flags)


@pytest.fixture
def connect(certificates):
    """Opens connections with HTTP/2."""
    connections = []

    def open_connection(server):
        connections.append(HTTP2(server, certificates))
        return connections[-1]

    yield open_connection
    for connection in connections:
        connection.close()


def curl(server, certificates, path, *flags):
    """The status, the version of HTTP and the body of an answer."""
    done = subprocess.run(
        [program("curl"), "--silent", "--show-error", "--cacert", certificates.authority, "--max-time", str(PATIENCE),
         "--write-out", "\n%{http_code} %{http_version}", *flags, f"{server.url}{path}"],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    body, _, end = done.stdout.rpartition("\n")
    status, version = end.split()
    return int(status), version, body


def organisation(server):
    """The organisation of the server's certificate."""
    done = subprocess.run(
        [program("openssl"), "s_client", "-connect", f"127.0.0.1:{server.port}"], input="", capture_output=True, text=True)
    certificate = subprocess.run(
        [program("openssl"), "x509", "-noout", "-subject"], input=done.stdout, capture_output=True, text=True)
    return certificate.stdout.strip().rpartition("O = ")[2]


def register(server, certificates, name="ada"):
    body = {"username": name, "password": "correct horse", "device": {"name": "curl"}}
    status, _, answer = curl(
        server, certificates, "/v1/accounts", "--json", json.dumps(body))
    assert status == 201, answer
    return json.loads(answer)


# Protocols


@pytest.mark.parametrize("flag, version", [("--http2", "2"), ("--http1.1", "1.1")])
def test_it_speaks_the_version_of_http_that_the_client_chooses(secure, certificates, flag, version):
    assert curl(secure, certificates, "/healthz", flag) == (200, version, '{"status":"ok"}')
    status, _, body = curl(secure, certificates, "/v1/nothing", flag)
    assert status == 404 and json.loads(body)["code"] == "not-found"


def test_a_device_registers_and_syncs_with_its_own_authority(secure, certificates, make_device):
    device = make_device(SATCHEL_CA_FILE=certificates.authority).register(secure)
    device.run("add", "Buy milk")
    device.sync()
    other = make_device(SATCHEL_CA_FILE=certificates.authority).log_in(secure)
    other.sync()
    assert other.titles() == ["Buy milk"]
    assert secure.url.startswith("https://") and secure.url in device.run("whoami").out
    stranger = make_device()
    result = stranger.try_("login", "ada", "--server", secure.url, "--password-file", stranger.password_file())
    assert result.code == 5 and "--ca-file" in result.err


def test_a_large_answer_and_a_large_body_pass_over_http2(secure, certificates, tmp_path):
    session = register(secure, certificates)
    space, token = session["account"]["personalSpace"], f"Authorization: Bearer {session['accessToken']}"
    body = tmp_path / "body"
    body.write_text(json.dumps({"mutations": [
        {"collection": "tasks", "id": f"r{number}", "base": 0, "at": "000000000001-0000-curl",
         "set": {"text": "x" * 1_000_000}} for number in range(7)]}))
    status, version, _ = curl(
        secure, certificates, f"/v1/spaces/{space}/changes", "--json", f"@{body}", "-H", token, "-H",
        "Idempotency-Key: 00000000-0000-4000-8000-000000000000")
    assert (status, version) == (200, "2")
    status, version, page = curl(secure, certificates, f"/v1/spaces/{space}/changes", "-H", token)
    assert (status, version) == (200, "2") and len(page) > 1_000_000


@pytest.mark.parametrize("flags, accepted", [
    (["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"], False), (["-tls1_2"], True), (["-tls1_3"], True),
    (["-tls1_2", "-cipher", "AES128-SHA"], False), (["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"], True),
], ids=str)
def test_only_modern_tls_is_accepted(secure, flags, accepted):
    done = subprocess.run(
        [program("openssl"), "s_client", "-connect", f"127.0.0.1:{secure.port}", *flags], input="",
        capture_output=True, text=True)
    assert (done.returncode == 0) == accepted, done.stderr


@pytest.mark.parametrize("flag", ["--http2", "--http1.1"])
def test_every_answer_tells_browsers_to_use_tls_for_this_host(secure, certificates, flag):
    for path in ("/healthz", "/v1/nothing"):
        head = curl(secure, certificates, path, flag, "--include")[2].lower()
        assert head.count("strict-transport-security: max-age=31536000; includesubdomains") == 1, head


def test_many_requests_on_few_connections_are_all_answered(secure):
    done = subprocess.run(
        [program("h2load"), "-n", "3000", "-c", "4", "-m", "32", f"{secure.url}/healthz"], capture_output=True, text=True)
    assert "3000 succeeded, 0 failed" in done.stdout and "3000 2xx" in done.stdout, done.stdout + done.stderr


def test_plain_http_on_the_port_of_tls_gets_no_answer(secure):
    with socket.create_connection(("127.0.0.1", secure.port), timeout=PATIENCE) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        try:
            while data := connection.recv(65536):
                answer += data
        except ConnectionResetError:
            pass
    assert b"HTTP" not in answer and b"status" not in answer
    assert "level=error" not in secure.log.read_text()


def test_a_log_in_with_the_wrong_one_of_http_and_https_says_what_is_likely(secure, server, make_device):
    device = make_device()
    password = device.password_file()
    plain = device.try_("login", "ada", "--server", f"http://127.0.0.1:{secure.port}", "--password-file", password)
    said = " ".join(plain.err.split())
    assert plain.code == 5 and "give its https address" in said, str(plain)
    other = server.url.replace("http://", "https://")
    encrypted = device.try_("login", "ada", "--server", other, "--password-file", password)
    said = " ".join(encrypted.err.split())
    assert encrypted.code == 5 and "whether it is https or http" in said, str(encrypted)


# Certificates


def test_sighup_replaces_the_certificate_and_open_connections_stay(secure, certificates, connect):
    before = connect(secure)
    assert organisation(secure) == "first"
    certificates.issue("second")
    secure.process.send_signal(signal.SIGHUP)
    wait_until(lambda: organisation(secure) == "second", "the new certificate is used")
    assert before.answer(before.request("GET", "/healthz")) == 200
    assert "read the certificate for TLS again" in secure.log.read_text()


@pytest.mark.parametrize("spoil, word", [
    (lambda files: files.certificate.write_text("garbage"), "not a certificate"),
    (lambda files: files.key.write_text("garbage"), "not a private key"),
    (lambda files: files.key.write_bytes((files.directory / "ca.key").read_bytes()), "is not that of the certificate"),
    (lambda files: files.key.unlink(), "No such file"),
], ids=["no certificate", "no key", "another key", "missing"])
def test_a_bad_new_certificate_keeps_the_old_one_and_is_logged(secure, certificates, spoil, word):
    spoil(certificates)
    secure.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "the previous one stays" in secure.log.read_text(), "the reload has failed")
    assert word in secure.log.read_text()
    assert organisation(secure) == "first"
    certificates.issue("second")
    secure.process.send_signal(signal.SIGHUP)
    wait_until(lambda: organisation(secure) == "second", "the new certificate is used")


def test_a_certificate_that_cannot_be_used_ends_the_start(make_server, certificates):
    server = make_server()
    certificates.key.write_bytes((certificates.directory / "ca.key").read_bytes())
    for flags, word in [
            (certificates.flags, "is not that of the certificate"), (certificates.flags[:2], "--tls-key"),
            ([*certificates.flags, "--socket", "/tmp/socket"], "--socket"),
            (["--tls-certificate", "missing.pem", "--tls-key", "missing.key"], "missing.pem")]:
        process = server.spawn("--port", "0", "--data", str(server.data), *flags)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 1 and word in server.log.read_text()


def test_an_expired_certificate_and_a_readable_key_are_logged(make_server, certificates):
    certificates.issue("old", days=-1)
    certificates.key.chmod(0o644)
    server = make_server().start(*certificates.flags)
    log = server.log.read_text()
    assert "has expired" in log and "chmod o=" in log


def test_with_tls_another_address_than_loopback_needs_no_consent(make_server, certificates):
    server = make_server()
    # An old notation of 127.0.0.1, which isn't recognised as loopback.
    process = server.spawn("--port", "0", "--data", str(server.data), "--host", "127.1", *certificates.flags)
    try:
        assert process.stdout.readline().startswith(b"satcheld: listening on https://127.1:")
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


# Clients that block


def test_handshakes_that_do_not_end_block_nobody_and_are_closed(make_server, certificates):
    server = make_server().start(*certificates.flags, descriptors=(DESCRIPTORS, DESCRIPTORS))
    session = register(server, certificates)
    token = f"Authorization: Bearer {session['accessToken']}"
    strangers = []
    for _ in range(400):
        strangers.append(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE))
        try:
            strangers[-1].sendall(b"\x16\x03\x01\x02\x00\x01")
        except ConnectionError:  # closed to make room for others
            pass
    for _ in range(10):
        assert curl(server, certificates, "/v1/account", "-H", token)[0] == 200
    for stranger in strangers:
        try:
            assert stranger.recv(1) == b"", "closed within the time limit of the handshake"
        except ConnectionResetError:
            pass
        stranger.close()
    assert "level=error" not in server.log.read_text()


def test_the_number_of_streams_of_a_connection_is_bounded(secure, connect):
    connection = connect(secure)
    connection.wait(lambda events: any(isinstance(e, h2.events.RemoteSettingsChanged) for e in events), "settings")
    [settings, *_] = [e for e in connection.events if isinstance(e, h2.events.RemoteSettingsChanged)]
    limit = settings.changed_settings[h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS].new_value
    assert limit == 100
    # A client that ignores the setting.
    connection.connection.remote_settings.update({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 1_000})
    connection.connection.remote_settings.acknowledge()
    for _ in range(limit + 1):
        connection.request("POST", "/v1/sessions", ends=False, headers=[("content-type", "application/json")])
    ends = (h2.events.StreamReset, h2.events.ConnectionTerminated)
    connection.wait(lambda events: any(isinstance(event, ends) for event in events), "the stream is refused")
    other = connect(secure)
    assert other.answer(other.request("GET", "/healthz")) == 200


def test_streams_beyond_the_number_of_connections_are_refused(make_server, certificates, connect):
    server = make_server().start(*certificates.flags, "--max-connections", "32")
    connection = connect(server)
    streams = [connection.request(
        "POST", "/v1/sessions", ends=False, headers=[("content-type", "application/json")]) for _ in range(40)]
    connection.wait(lambda events: any(isinstance(e, h2.events.StreamReset) for e in events), "a stream has no place")
    other = connect(server)
    assert other.answer(other.request("GET", "/healthz")) == 200, "unfinished requests make room"
    ended = [e for e in connection.events if isinstance(e, h2.events.StreamReset)]
    assert len(ended) < len(streams)


def test_rapid_resets_end_the_connection_and_others_are_answered(secure, connect):
    connection, other = connect(secure), connect(secure)
    try:
        for _ in range(5_000):
            stream = connection.request("GET", "/healthz")
            connection.connection.reset_stream(stream)
            connection.flush()
    except OSError:
        pass
    connection.read_to_end()
    assert other.answer(other.request("GET", "/healthz")) == 200
    assert "level=error" not in secure.log.read_text()


@pytest.mark.parametrize("kind, flags, stream, payload", [
    (6, 0, 0, b"12345678"), (4, 0, 0, b""), (2, 0, 1, b"\0\0\0\0\1"), (9, 0, 1, b"x" * 100), (0, 0, 1, b"")],
    ids=["PING", "SETTINGS", "PRIORITY", "CONTINUATION", "empty DATA"])
def test_a_flood_of_frames_ends_the_connection_and_others_are_answered(
        secure, connect, kind, flags, stream, payload):
    connection, other = connect(secure), connect(secure)
    if kind == 9:  # headers that do not end
        connection.send_frame(1, 0, stream, b"\x82")
    elif stream:
        assert connection.request("POST", "/v1/sessions", ends=False) == stream
    try:
        for _ in range(5_000):
            connection.send_frame(kind, flags, stream, payload)
    except OSError:
        pass
    connection.read_to_end()
    assert other.answer(other.request("GET", "/healthz")) == 200
    assert "level=error" not in secure.log.read_text()


def test_the_third_ping_within_30_seconds_of_another_ends_the_connection(secure, connect):
    connection = connect(secure)

    def ping(number):
        connection.connection.ping(number.to_bytes(8, "big"))
        connection.flush()

    # The first has none before it. An answer would set the count back, so there is no request.
    for number in range(3):
        ping(number)
    connection.wait(
        lambda events: sum(isinstance(e, h2.events.PingAckReceived) for e in events) == 3, "three pings are answered")
    ping(3)
    connection.read_to_end()
    other = connect(secure)
    assert other.answer(other.request("GET", "/healthz")) == 200
    assert "level=error" not in secure.log.read_text()


def test_headers_beyond_the_limit_end_the_connection(secure, connect):
    connection, other = connect(secure), connect(secure)
    # Each repetition is one byte: an index into the table of headers, of which the first one is stored there.
    connection.send_frame(1, 5, 1, b"\x82\x87\x84\x40\x01x\x7f\xa1\x1e" + b"y" * 4_000 + b"\xbe" * 10_000)
    connection.read_to_end()
    assert not any(isinstance(event, h2.events.ResponseReceived) for event in connection.events)
    assert other.answer(other.request("GET", "/healthz")) == 200
    assert "level=error" not in secure.log.read_text()


def test_a_refused_body_is_answered_and_declined_without_an_error(secure, connect):
    connection = connect(secure)
    stream = connection.request("POST", "/v1/nothing", ends=False, headers=[("content-type", "application/json")])
    assert connection.answer(stream) == 404
    connection.wait(lambda events: any(isinstance(e, h2.events.StreamReset) for e in events), "the reset")
    [reset] = [e for e in connection.events if isinstance(e, h2.events.StreamReset)]
    assert reset.error_code == NO_ERROR
    assert connection.answer(connection.request("GET", "/healthz")) == 200, "the connection stays"


def test_curl_sees_the_answer_to_a_refused_body(secure, certificates, tmp_path):
    body = tmp_path / "body"
    body.write_bytes(b" " * (20 << 20))
    for flag in ["--http2", "--http1.1"]:
        assert curl(secure, certificates, "/v1/nothing", flag, "--json", f"@{body}")[0] == 404


@pytest.fixture
def account(secure, certificates):
    """An account with its space and the header that authenticates it."""
    session = register(secure, certificates)
    return session["account"]["personalSpace"], f"Bearer {session['accessToken']}"


def change(server, certificates, account):
    space, token = account
    status, _, _ = curl(
        server, certificates, f"/v1/spaces/{space}/records/tasks/one", "-X", "PUT", "--json",
        '{"fields": {"title": "New"}}', "-H", "If-None-Match: *", "-H", f"Authorization: {token}")
    assert status == 201


def streams(server, certificates, account):
    """The number of open event streams of an account."""
    status, _, body = curl(server, certificates, "/v1/account", "-H", f"Authorization: {account[1]}")
    assert status == 200
    return json.loads(body)["usage"]["streams"]


# The account may have 32 streams.
MORE_THAN_MAY_BE_OPEN = 34


@pytest.mark.parametrize("leave", ["reset", "close"])
def test_an_event_stream_over_http2_reports_changes_and_its_place_is_freed(
        secure, certificates, connect, account, leave):
    token = ("authorization", account[1])
    for number in range(MORE_THAN_MAY_BE_OPEN):
        connection = connect(secure)
        stream = connection.request("GET", "/v1/events", headers=[token])
        assert connection.answer(stream) == 200, number
        if leave == "reset":
            connection.connection.reset_stream(stream)
            connection.flush()
            assert connection.answer(connection.request("GET", "/healthz")) == 200
        else:
            connection.close()
            wait_until(lambda: streams(secure, certificates, account) == 0, "the client's end is noticed")
    events = connect(secure)
    assert events.answer(events.request("GET", "/v1/events", headers=[token])) == 200
    change(secure, certificates, account)
    events.wait(
        lambda seen: b"event: changes" in b"".join(e.data for e in seen if isinstance(e, h2.events.DataReceived)),
        "the change is reported")


@pytest.mark.parametrize("flag", ["--http2", "--http1.1"])
def test_curl_follows_events_and_its_end_is_noticed(secure, certificates, account, flag):
    for _ in range(2):
        follower = subprocess.Popen(
            [program("curl"), "--silent", "--no-buffer", "--cacert", certificates.authority, flag, "-H",
             f"Authorization: {account[1]}", f"{secure.url}/v1/events"], stdout=subprocess.PIPE)
        wait_until(lambda: streams(secure, certificates, account) == 1, "the stream is open")
        follower.terminate()
        follower.communicate(timeout=PATIENCE)
        wait_until(lambda: streams(secure, certificates, account) == 0, "the client's end is noticed")
    follower = subprocess.Popen(
        [program("curl"), "--silent", "--no-buffer", "--cacert", certificates.authority, flag, "-H",
         f"Authorization: {account[1]}", f"{secure.url}/v1/events"], stdout=subprocess.PIPE)
    wait_until(lambda: streams(secure, certificates, account) == 1, "the stream is open")
    change(secure, certificates, account)
    assert any(line.startswith(b"event: changes") for line in follower.stdout)
    follower.terminate()
    follower.communicate(timeout=PATIENCE)


def test_sigterm_ends_it_whatever_clients_do(secure, certificates, connect):
    session = register(secure, certificates)
    token = ("authorization", f"Bearer {session['accessToken']}")
    unfinished, silent, streaming = connect(secure), connect(secure), connect(secure)
    unfinished.request("POST", "/v1/sessions", ends=False, headers=[("content-type", "application/json")])
    assert streaming.answer(streaming.request("GET", "/v1/events", headers=[token])) == 200
    handshake = socket.create_connection(("127.0.0.1", secure.port), timeout=PATIENCE)
    handshake.sendall(b"\x16\x03\x01")
    secure.process.send_signal(signal.SIGTERM)
    # The limit is 10 s; a machine that is busy with other tests may take a little longer.
    assert secure.process.wait(timeout=15) == 0
    streaming.read_to_end()
    assert any(isinstance(e, h2.events.ConnectionTerminated) for e in streaming.events), "GOAWAY"
    handshake.close()
    assert "level=error" not in secure.log.read_text()


def test_a_running_request_is_finished_after_sigterm(secure, certificates, connect):
    connection = connect(secure)
    body = b'{"username": "ada", "password": "correct horse", "device": {"name": "h2"}}'
    stream = connection.request(
        "POST", "/v1/accounts", ends=False,
        headers=[("content-type", "application/json"), ("content-length", str(len(body)))])
    assert connection.answer(connection.request("GET", "/healthz")) == 200
    secure.process.send_signal(signal.SIGTERM)
    connection.wait(
        lambda events: any(isinstance(e, h2.events.ConnectionTerminated) for e in events), "GOAWAY")
    # The library takes the first GOAWAY for the connection's end; it announces that no new streams are accepted.
    frame = len(body).to_bytes(3, "big") + b"\x00\x01" + stream.to_bytes(4, "big")
    connection.socket.sendall(frame + body)
    received = b""
    while data := connection.socket.recv(65536):
        received += data
        if b"accessToken" in received:
            break
    assert b"accessToken" in received
    assert secure.wait() == 0
