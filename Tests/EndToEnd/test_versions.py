"""A client and a server of different versions: what the server announces at `GET /v1/`, and former databases."""

import json
import subprocess
from pathlib import Path

import pytest

from harness import program
from harness.device import PASSWORD
from harness.environment import PATIENCE

NOT_FOUND = json.dumps({"status": 404, "code": "not-found", "title": "There is nothing here"}).encode()
MORE = {"name": "satcheld", "protocols": [1, 2], "capabilities": ["records", "revisions", "events", "telepathy"],
        "registration": "waiting-list", "limits": {"telepathyBytes": 1}, "region": "moon"}
LESS = {"protocols": [1], "capabilities": []}


@pytest.mark.parametrize("announced, status", [(MORE, 200), (LESS, 200), (None, 404)], ids=["newer", "older", "silent"])
def test_a_device_registers_and_syncs_with_a_server_of_another_version(
        server, make_proxy, make_device, announced, status):
    proxy, device = make_proxy(server), make_device()
    proxy.answer("GET", "/v1/", status, json.dumps(announced).encode() if announced else NOT_FOUND, times=9)
    # A former server without events.
    proxy.answer("GET", "/v1/events", 404, NOT_FOUND, times=99)
    device.run("register", "ada", "--server", proxy.url, "--password-file", device.password_file())
    assert proxy.received("GET", "/v1/"), "the server was asked"
    device.run("add", "Buy milk")
    device.sync()
    other = make_device()
    other.run("login", "ada", "--server", proxy.url, "--password-file", other.password_file())
    other.sync()
    assert other.titles() == ["Buy milk"]


def test_a_server_with_less_receives_smaller_requests_and_is_named_for_what_it_lacks(server, make_proxy, make_device):
    proxy, device = make_proxy(server), make_device()
    limits = {"bodyBytes": 1 << 20, "fieldsBytes": 1 << 18, "mutations": 2, "pageRecords": 3}
    proxy.answer("GET", "/v1/", 200, json.dumps(LESS | {"limits": limits}).encode(), times=9)
    proxy.answer("POST", "/v1/account/app-passwords", 404, NOT_FOUND)
    device.run("register", "ada", "--server", proxy.url, "--password-file", device.password_file())
    for number in range(5):
        device.run("add", f"Task {number}")
    device.sync()
    pushes = [json.loads(request.body)["mutations"] for request in proxy.received("POST", "/changes")]
    assert sum(map(len, pushes)) == 5 and max(map(len, pushes)) <= 2
    assert all("limit=3" in request.path for request in proxy.received("GET", "/changes"))
    result = device.try_("token", "add", "phone", "--password-file", device.password_file())
    assert result.code == 6 and "doesn't support app passwords" in result.err and proxy.url in result.err, str(result)


def test_a_server_that_drops_the_protocol_is_named_and_nothing_is_lost(server, make_proxy, make_device):
    proxy, device = make_proxy(server), make_device()
    device.run("register", "ada", "--server", proxy.url, "--password-file", device.password_file())
    device.run("add", "Buy milk")
    proxy.answer("POST", "/changes", 404, NOT_FOUND)
    proxy.answer("GET", "/changes", 404, NOT_FOUND)
    proxy.answer("GET", "/v1/", 200, json.dumps({"protocols": [2]}).encode())
    result = device.try_("sync")
    assert result.code == 6 and "too new" in result.err, str(result)
    proxy.rules.clear()
    device.sync()
    assert device.titles() == ["Buy milk"] and len(server.api.log_in(password=PASSWORD).records()) == 1


@pytest.mark.parametrize("protocols, reason", [([2], "too new"), ([0], "too old")])
def test_without_a_common_protocol_the_password_is_not_sent(server, make_proxy, make_device, protocols, reason):
    proxy, device = make_proxy(server), make_device()
    proxy.answer("GET", "/v1/", 200, json.dumps({"protocols": protocols}).encode())
    result = device.try_("login", "ada", "--server", proxy.url, "--password-file", device.password_file())
    assert result.code == 6 and reason in result.err and proxy.url in result.err, str(result)
    assert not proxy.received("POST", "/v1/sessions")


@pytest.mark.sqlite
def test_the_database_of_a_former_server_is_copied_before_its_upgrade(make_server):
    server = make_server()
    server.data.mkdir(mode=0o700)
    first = Path(__file__).resolve().parents[1] / "SQLiteServerStore" / "Schemas" / "1.sql"
    subprocess.run(
        [program("sqlite3"), server.data / "satchel.sqlite", f".read '{first}'"], check=True, timeout=PATIENCE)
    server.start()
    copy = server.data / "satchel.sqlite.before-upgrade-1"
    assert str(copy) in server.log.read_text() and copy.stat().st_mode & 0o777 == 0o600
    assert server.stop() == 0
    done = server.command("restore", copy)
    assert done.returncode == 0 and "2 records of 1 account" in done.stdout, str(done)
    server.start()
    assert server.api.request("GET", "/readyz").status == 200
