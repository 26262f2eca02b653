"""Network and time: unreachable servers, expired tokens, lost answers, wrong clocks."""

import json
import re
import socket

import pytest

from harness.device import PASSWORD
from harness.environment import PATIENCE

UNREACHABLE = 5
TOKEN_EXPIRED = json.dumps({"status": 401, "code": "token-expired", "title": "The token has expired"}).encode()


@pytest.fixture
def proxied(server, make_proxy, make_device):
    """A device behind a separate network."""
    proxy = make_proxy(server)
    device = make_device()
    device.run("register", "ada", "--server", proxy.url, "--password-file", device.password_file())
    return device, proxy


def test_the_server_is_unreachable_and_edits_are_kept(server, laptop):
    server.stop()
    laptop.run("add", "Made offline")
    result = laptop.try_("sync")
    assert result.code == UNREACHABLE and "reach" in result.err and not result.out
    assert laptop.titles() == ["Made offline"]
    server.start()
    laptop.sync()
    assert [record["fields"]["title"] for record in server.api.log_in(password=PASSWORD).records()] == ["Made offline"]


def test_without_libcurl_a_sync_names_the_library_and_edits_are_kept(laptop, tmp_path):
    laptop.run("add", "Buy milk")
    # The loader finds this empty file first and can't load it.
    (tmp_path / "libcurl.so.4").touch()
    result = laptop.try_("sync", environment={"LD_LIBRARY_PATH": str(tmp_path)})
    assert result.code == 1 and "libcurl.so.4 can't be loaded. Install libcurl" in result.err
    assert laptop.titles() == ["Buy milk"]
    checked = laptop.try_("doctor", environment={"LD_LIBRARY_PATH": str(tmp_path)})
    assert checked.code != 0 and "libcurl.so.4 can't be loaded" in checked.out and "Faults found" in checked.out + checked.err
    laptop.run("sync")
    result = laptop.run("logout", environment={"LD_LIBRARY_PATH": str(tmp_path)})
    assert "The server didn't confirm it" in result.err and "libcurl.so.4 can't be loaded" in result.err


def test_status_shows_what_is_unsent_and_why(server, laptop):
    server.stop()
    laptop.run("add", "Made offline")
    laptop.try_("sync")
    out = laptop.run("status").out
    assert "1" in out and "ada" in out and server.url in out


def test_without_the_server_history_reports_so_and_undo_works(laptop, server):
    task = laptop.add("Buy milk")
    laptop.sync()
    laptop.run("edit", task, "--title", "Buy oat milk")
    server.stop()
    result = laptop.try_("history", task)
    assert result.code == UNREACHABLE and "`journal`" in result.err
    laptop.run("undo")
    assert laptop.titles() == ["Buy milk"]


@pytest.mark.parametrize("command", [
    ("add", "Something"), ("list",), ("search", "thing"), ("export",), ("status",), ("whoami",), ("conflicts",), ("help",)], ids=" ".join)
def test_every_command_that_needs_no_server_works_without_one(server, laptop, command):
    laptop.run("add", "A thing")
    server.stop()
    laptop.run(*command)


def test_an_expired_access_token_is_refreshed_silently(server, laptop, wrong_clock):
    laptop.run("add", "Before")
    laptop.sync()
    session = (laptop.home / "session.json").read_text()
    server.stop()
    server.start(environment=wrong_clock("+16m"))
    laptop.run("add", "After")
    laptop.sync()
    assert (laptop.home / "session.json").read_text() != session
    assert len(server.api.log_in(password=PASSWORD).records()) == 2


def test_a_session_that_was_not_used_for_91_days_has_ended_and_edits_are_kept(server, laptop, wrong_clock):
    server.stop()
    server.start(environment=wrong_clock("+91d"))
    laptop.run("add", "Made long after")
    result = laptop.try_("sync")
    assert result.code == 4 and re.search("log ?in", result.err)
    laptop.log_in(server).sync()
    assert [record["fields"]["title"] for record in server.api.log_in(password=PASSWORD).records()] == ["Made long after"]


def test_a_token_that_the_server_refuses_once_is_refreshed_once(proxied):
    device, proxy = proxied
    device.sync()
    device.run("add", "Something")
    proxy.answer("POST", "/changes", 401, TOKEN_EXPIRED)
    device.sync()
    assert len(proxy.received("POST", "/sessions/refresh")) == 1


def test_a_refresh_whose_answer_was_lost_is_repeated(proxied, server):
    device, proxy = proxied
    device.run("add", "Something")
    for method in ["GET", "POST"]:
        proxy.answer(method, "/changes", 401, TOKEN_EXPIRED)
    proxy.lose_answer("POST", "/sessions/refresh")
    device.try_("sync")
    device.sync()
    assert len(proxy.received("POST", "/sessions/refresh")) >= 2
    assert "ada" in device.run("whoami").out
    assert len(server.api.log_in(password=PASSWORD).records()) == 1


def test_several_refreshes_whose_answers_were_lost_in_a_row_do_not_end_the_session(proxied):
    device, proxy = proxied
    device.run("add", "Something")
    proxy.answer("GET", "/changes", 401, TOKEN_EXPIRED)
    proxy.answer("POST", "/changes", 401, TOKEN_EXPIRED)
    proxy.lose_answer("POST", "/sessions/refresh", times=3)
    for _ in range(4):
        device.try_("sync")
    device.sync()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_requests_to_this_machine_use_no_proxy(server, device, host):
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        environment = {"http_proxy": address, "https_proxy": address, "all_proxy": address}
        url = f"http://{host}:{server.port}"
        device.run("register", "ada", "--server", url, "--password-file", device.password_file(), environment=environment)
        device.run("sync", environment=environment)
        proxy.settimeout(0)
        with pytest.raises(BlockingIOError):
            proxy.accept()


def test_another_machine_is_reached_through_the_proxy(device):
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        environment = {"http_proxy": f"http://127.0.0.1:{proxy.getsockname()[1]}"}
        process = device.start(
            "login", "ada", "--server", "http://notes.invalid", "--insecure-http", "--password-file",
            device.password_file(), environment=environment)
        proxy.settimeout(PATIENCE)
        with proxy.accept()[0] as connection:
            assert connection.recv(65_536).startswith(b"GET http://notes.invalid/v1/ ")
        assert device.finish(process).code == UNREACHABLE


def test_a_login_whose_answer_was_lost_can_be_repeated(server, laptop, make_proxy, make_device):
    proxy, device = make_proxy(server), make_device()
    # libcurl repeats a request once if a connection that was used before ends without an answer.
    proxy.lose_answer("POST", "/sessions", times=2)
    login = ("login", "ada", "--server", proxy.url, "--password-file", device.password_file())
    assert device.try_(*login).code == UNREACHABLE
    device.run(*login)
    device.sync()


def test_a_request_that_never_arrived_does_no_harm(proxied, server):
    device, proxy = proxied
    device.run("add", "Something")
    for method in ["GET", "POST"]:
        proxy.lose_request(method, "/changes")
    for _ in range(3):
        device.try_("sync")
    device.sync()
    assert len(server.api.log_in(password=PASSWORD).records()) == 1


@pytest.mark.parametrize("status, body", [
    (500, b"<html>oops</html>"), (502, b""), (503, b'{"code": "unavailable", "status": 503, "title": "busy"}'), (429, b"{}"),
    (404, b"<html>"), (200, b"<html>a hotel's log-in page</html>"), (200, b""), (200, b"{}"), (200, b'{"records": 5, "cursor": "x"}'),
    (200, b'{"records": [{"collection": 5}], "cursor": "x", "more": false}'), (200, b"\xff\xfe"),
], ids=str)
def test_an_invalid_answer_is_reported_and_nothing_of_it_is_applied(proxied, status, body):
    device, proxy = proxied
    device.run("add", "Kept")
    device.sync()
    device.run("add", "Unsent")
    before = device.export()
    for method in ["GET", "POST"]:
        proxy.answer(method, "/changes", status, body)
    result = device.try_("sync")
    assert result.code != 0 and result.err
    assert device.export() == before
    device.sync()
    assert device.titles() == ["Kept", "Unsent"]


def test_an_ordinary_sync_is_one_round_trip_and_so_is_one_with_nothing_to_do(proxied):
    device, proxy = proxied
    device.sync()
    for title in ["One", None]:
        if title:
            device.run("add", title)
        before = len(proxy.requests)
        device.sync()
        assert len(proxy.requests) - before == 1
    assert proxy.requests[-1].method == "GET"


@pytest.mark.parametrize("moment", ["@1970-01-02 00:00:00", "@2099-01-01 00:00:00"], ids=["1970", "2099"])
def test_a_device_with_a_wrong_clock_syncs_and_loses_nothing(server, laptop, make_device, moment, wrong_clock):
    laptop.run("add", "Buy milk")
    laptop.sync()
    id = laptop.record("Buy milk")["id"]
    odd = make_device(**wrong_clock(moment)).log_in(server)
    odd.sync()
    odd.run("edit", id, "--title", "Edited at an odd time")
    odd.run("add", "Made at an odd time")
    odd.sync()
    laptop.sync()
    assert laptop.titles() == ["Edited at an odd time", "Made at an odd time"]
    # No clock from the future stays in effect: a later edit by a correct clock is the later one.
    laptop.run("edit", id, "--title", "Edited later")
    odd.run("edit", id, "priority:H")
    for device in [laptop, odd, laptop]:
        device.sync()
    assert laptop.export() == odd.export()
    assert laptop.fields(id)["title"] == "Edited later" and laptop.fields(id)["priority"] == "H"


def test_a_server_with_a_wrong_clock_works(make_server, make_device, wrong_clock):
    for moment in ["@1971-01-01 00:00:00", "@2099-01-01 00:00:00"]:
        server = make_server().start(environment=wrong_clock(moment))
        device = make_device().register(server)
        device.run("add", "Something")
        device.sync()
        device.run("edit", device.record("Something")["id"], "--title", "Something else")
        device.sync()
        assert [record["fields"]["title"] for record in server.api.log_in(password=PASSWORD).records()] == ["Something else"]
