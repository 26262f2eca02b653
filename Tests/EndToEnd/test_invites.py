"""Invitations: the first one, and the commands of the owner next to a running server."""

import re
import subprocess

from harness import binary, plain_environment, wait_until
from harness.device import PASSWORD
from harness.environment import PATIENCE, free_port

CODE = r"[0-9a-z]{5}(?:-[0-9a-z]{5}){3}"


def invite(server, *arguments, status=0):
    """Runs `satcheld invite` on the server's data, and returns what it prints."""
    done = subprocess.run(
        [binary("satcheld"), "invite", *arguments, "--data", str(server.data)], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=PATIENCE, cwd=server.directory, env=plain_environment(server.directory))
    assert done.returncode == status, f"{done.stdout}\n{done.stderr}"
    return done.stdout if status == 0 else done.stderr


def register(server, name, code):
    body = {"username": name, "password": "a long secret", "device": {"name": "x"}, "invite": code}
    return server.api.request("POST", "/v1/accounts", body)


def second_line(server):
    """What a server prints after its address."""
    return server._first_line()


def test_the_first_invitation_is_printed_once_and_creates_the_first_account(make_server):
    server = make_server().start("--registration", "invite")
    code = re.search(f"--invite ({CODE})", second_line(server)).group(1)
    assert server.stop() == 0
    server.start("--registration", "invite")
    assert register(server, "ada", code).status == 201
    assert register(server, "ben", code).code == "registration-closed"
    assert server.stop() == 0
    server.start("--registration", "invite")
    assert server.stop() == 0
    assert code not in server.log.read_text()


def test_an_address_other_than_loopback_needs_an_invitation_by_default(make_server):
    server = make_server()
    server.port = free_port()
    server.process = server.spawn(
        "--host", "0.0.0.0", "--insecure-http", "--port", str(server.port), "--data", str(server.data))
    assert "listening" in second_line(server)
    code = re.search(f"--invite ({CODE})", second_line(server)).group(1)
    assert server.api.request("GET", "/v1/").json["registration"] == "invite"
    assert register(server, "ada", code).status == 201


def test_invitations_are_made_listed_and_withdrawn_while_the_server_runs(make_server):
    server = make_server().start("--registration", "invite")
    code, advice = invite(server, "add", "--uses", "2", "--expires", "2w", "--note", "the choir").splitlines()
    assert re.fullmatch(CODE, code) and f"--invite {code}" in advice and "2 accounts" in advice
    assert register(server, "ada", code.upper()).status == 201
    line = next(line for line in invite(server, "list").splitlines() if "the choir" in line)
    assert re.match(r"[0-9a-f]{8}  1/2  valid, until \d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC  the choir", line)
    assert code not in invite(server, "list")
    assert "withdrew" in invite(server, "withdraw", line.split()[0])
    assert register(server, "ben", code).code == "registration-closed"
    assert "list" in invite(server, "withdraw", line.split()[0], status=1)
    assert server.stop() == 0


def test_invitations_can_be_made_before_the_first_start(make_server):
    server = make_server()
    code = invite(server, "add").splitlines()[0]
    server.start("--registration", "invite")
    assert register(server, "ada", code).status == 201


def test_a_wrong_option_of_an_invitation_is_reported(make_server):
    server = make_server()
    for options, word in [
        (["--uses", "0"], "--uses"), (["--expires", "soon"], "expires"), (["--expires", "2000d"], "365d"),
        (["--note", "two\nlines"], "--note"),
    ]:
        assert word in invite(server, "add", *options, status=2)


def test_the_former_settings_of_invitations_are_refused_with_advice(make_server):
    server = make_server()
    file = server.directory / "satcheld.json"
    file.write_text('{"invites": ["welcome"]}')
    for flags, environment in [(["--config", str(file)], {}), ([], {"SATCHELD_INVITES": "welcome"})]:
        process = server.spawn("--port", "0", "--data", str(server.data), *flags, environment=environment)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
    assert server.log.read_text().count("satcheld invite add") == 2


def test_guesses_keep_no_owner_out_of_a_device_that_has_signed_in_before(server, device):
    device.register(server)
    device.run("logout")

    def log_in(password):
        body = {"username": "ada", "password": password, "device": {"name": "x"}}
        return server.api.request("POST", "/v1/sessions", body).status

    def is_blocked():
        return log_in("a wrong guess") == 429

    # Each failure doubles the wait, which soon exceeds the time of some requests.
    wait_until(lambda: all(is_blocked() for _ in range(5)), "log-ins are blocked")
    assert log_in(PASSWORD) == 429
    device.log_in(server)
    assert log_in(PASSWORD) == 429
