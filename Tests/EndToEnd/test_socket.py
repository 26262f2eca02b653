"""A server on a Unix socket: with curl and satchel."""

import json
import signal
import socket
import stat
import subprocess

import pytest

from harness import program, wait_until
from harness.environment import PATIENCE


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run" / "socket"


@pytest.fixture
def local(make_server, path):
    """A running server on a socket."""
    path.parent.mkdir()
    return make_server().start("--socket", str(path))


def curl(path, target, *flags):
    """The status and the body of an answer."""
    done = subprocess.run(
        [program("curl"), "--silent", "--show-error", "--unix-socket", path, "--max-time", str(PATIENCE),
         "--write-out", "\n%{http_code}", *flags, f"http://localhost{target}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


def refused(server, *flags):
    """The log of a start that must fail."""
    process = server.spawn("--data", str(server.data), *flags)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    return server.log.read_text()


def test_it_answers_on_the_socket_and_on_no_port(local, path):
    assert curl(path, "/healthz") == (200, '{"status":"ok"}')
    assert f"socket={path}" in local.log.read_text()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", local.port), timeout=PATIENCE)


def test_a_device_registers_and_syncs_over_the_socket(local, path, make_device):
    device = make_device(http_proxy="http://127.0.0.1:9", https_proxy="http://127.0.0.1:9")
    device.run("register", "ada", "--server", f"unix:{path}", "--password-file", device.password_file())
    device.run("add", "Buy milk")
    device.sync()
    assert f"unix:{path}" in device.run("whoami").out
    other = make_device()
    other.run("login", "ada", "--server", f"unix:{path}", "--password-file", other.password_file())
    other.sync()
    assert other.titles() == ["Buy milk"]
    local.stop()
    other.run("add", "Made offline")
    result = other.try_("sync")
    assert result.code == 5 and f"unix:{path}" in result.err


@pytest.mark.parametrize("flags, mode", [([], 0o660), (["--socket-mode", "600"], 0o600), (["--socket-mode", "0666"], 0o666)])
def test_the_mode_of_the_file_is_the_setting(make_server, tmp_path, flags, mode):
    path = tmp_path / "socket"
    make_server().start("--socket", str(path), *flags)
    assert stat.S_ISSOCK(path.stat().st_mode)
    wait_until(lambda: stat.S_IMODE(path.stat().st_mode) == mode, "the mode is set")


def test_the_file_is_removed_at_the_end(local, path):
    assert local.stop() == 0
    assert not path.exists()


def test_a_file_that_a_killed_server_left_is_replaced(local, path):
    local.kill()
    assert path.exists()
    local.start("--socket", str(path))
    assert curl(path, "/healthz")[0] == 200
    assert local.stop() == 0
    assert not path.exists()


def test_the_socket_of_a_running_server_is_not_taken(local, path, make_server):
    log = refused(make_server(), "--socket", str(path))
    assert "another server listens" in log and "--socket" in log
    assert curl(path, "/healthz")[0] == 200


def test_a_server_that_ends_leaves_the_socket_of_its_successor(local, path, make_server):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n")
        local.process.send_signal(signal.SIGTERM)
        wait_until(lambda: not path.exists(), "it listens no more")
        successor = make_server().start("--socket", str(path))
        assert local.process.wait(timeout=15) == 0
    assert curl(path, "/healthz")[0] == 200
    assert successor.stop() == 0


def of_length(directory, count):
    """A path in a directory with this number of bytes."""
    return directory / ("x" * (count - len(f"{directory}/")))


def test_the_longest_path_of_the_server_is_one_of_the_client_too(make_server, make_device, tmp_path):
    path = of_length(tmp_path, 103)
    make_server().start("--socket", str(path))
    device = make_device()
    device.run("register", "ada", "--server", f"unix:{path}", "--password-file", device.password_file())


def test_a_path_that_cannot_be_used_is_reported(make_server, tmp_path):
    (tmp_path / "file").write_text("mine")
    for path, word in [
            (tmp_path / "file", "is not a socket"), (tmp_path / "missing" / "socket", "No such file or directory"),
            (of_length(tmp_path, 104), "too long for a socket (at most 103 bytes)")]:
        assert word in refused(make_server(), "--socket", str(path))
    assert (tmp_path / "file").read_text() == "mine"
    assert "socketMode is 070; it should be" in refused(
        make_server(), "--socket", str(tmp_path / "socket"), "--socket-mode", "070")


def test_the_address_of_a_trusted_proxy_on_the_socket_is_that_of_loopback(make_server, tmp_path):
    path = tmp_path / "socket"
    server = make_server().start("--socket", str(path), "--trusted-proxy", "127.0.0.1")
    body = json.dumps({"username": "ada", "password": "wrong horse", "device": {"name": "curl"}})

    def log_in(address):
        return curl(path, "/v1/sessions", "--json", body, "-H", f"X-Forwarded-For: {address}")[0]

    statuses = [log_in("192.0.2.1") for _ in range(60)]
    assert 429 in statuses
    assert "--trusted-proxy" not in server.log.read_text()


def test_sigterm_ends_it_whatever_clients_do_and_the_file_is_removed(local, path):
    clients = []
    for data in [b"", b"GET / HTTP/1.1\r\nHost", b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\n"
                 b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"]:
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(path))
        client.sendall(data)
        clients.append(client)
    local.process.send_signal(signal.SIGTERM)
    assert local.process.wait(timeout=15) == 0
    assert not path.exists()
    assert "level=error" not in local.log.read_text()
    for client in clients:
        client.close()


def test_connections_without_a_request_block_nobody(make_server, tmp_path):
    path = tmp_path / "socket"
    make_server().start("--socket", str(path), "--max-connections", "32")
    strangers = [socket.socket(socket.AF_UNIX) for _ in range(100)]
    for stranger in strangers:
        stranger.settimeout(PATIENCE)
        stranger.connect(str(path))
    for _ in range(5):
        assert curl(path, "/healthz")[0] == 200
    for stranger in strangers:
        stranger.close()
