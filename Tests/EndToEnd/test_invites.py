"""Invitations: the first one, and the commands of the owner next to a running server."""

import json
import re
import stat

import pexpect

from harness import binary, wait_until
from harness.device import PASSWORD
from harness.environment import PATIENCE, free_port

CODE = r"[0-9a-z]{5}(?:-[0-9a-z]{5}){5}"


def invite(server, *arguments, status=0):
    """Runs `satcheld invite` on the server's data, and returns what it prints."""
    done = server.administer("invite", *arguments)
    assert done.returncode == status, f"{done.stdout}\n{done.stderr}"
    return done.stdout if status == 0 else done.stderr


def register(server, name, code):
    body = {"username": name, "password": "a long secret", "device": {"name": "x"}, "invite": code}
    return server.api.request("POST", "/v1/accounts", body)


def first_invitation(server):
    return server.data / "first-invitation"


def first_code(server):
    """The code in the file that a server without a terminal writes."""
    wait_until(first_invitation(server).exists, "the first invitation is written")
    code, advice = first_invitation(server).read_text().splitlines()
    assert re.fullmatch(CODE, code) and f"--invite {code}" in advice
    return code


def test_the_first_invitation_is_in_a_private_file_until_it_is_used_and_never_in_the_log(make_server):
    server = make_server().start("--registration", "invite")
    code = first_code(server)
    assert stat.S_IMODE(first_invitation(server).stat().st_mode) == 0o600
    assert server.stop() == 0
    server.start("--registration", "invite")
    assert first_code(server) == code
    assert register(server, "ada", code).status == 201
    wait_until(lambda: not first_invitation(server).exists(), "the file is removed")
    assert register(server, "ben", code).code == "registration-closed"
    assert server.stop() == 0
    server.start("--registration", "invite")
    assert not first_invitation(server).exists()
    assert server.stop() == 0
    log = server.log.read_text()
    assert code not in log and str(first_invitation(server)) in log


def test_the_file_of_a_withdrawn_first_invitation_is_removed_and_the_next_start_makes_another_one(make_server):
    server = make_server().start("--registration", "invite")
    code = first_code(server)
    line = json.loads(invite(server, "list", "--json"))
    assert line["note"] == "the first one" and line["state"] == "valid"
    invite(server, "withdraw", line["id"])
    wait_until(lambda: not first_invitation(server).exists(), "the file is removed")
    assert server.stop() == 0
    server.start("--registration", "invite")
    assert first_code(server) != code


def test_at_a_terminal_the_first_invitation_is_printed_and_not_written(make_server):
    server = make_server()
    server.data.parent.mkdir(exist_ok=True)
    terminal = pexpect.spawn(
        binary("satcheld"), ["serve", "--registration", "invite", "--port", str(server.port), "--data", str(server.data)],
        env=server.environment(), encoding="utf-8", timeout=PATIENCE, dimensions=(24, 300))
    try:
        terminal.expect(f"there is no account yet; an invitation .*--invite ({CODE})")
        code = terminal.match.group(1)
        assert not first_invitation(server).exists()
        assert register(server, "ada", code).status == 201
    finally:
        terminal.sendintr()
        terminal.expect(pexpect.EOF)
        terminal.close()


def test_an_address_other_than_loopback_needs_an_invitation_by_default(make_server):
    server = make_server()
    server.port = free_port()
    server.process = server.spawn(
        "--host", "0.0.0.0", "--insecure-http", "--port", str(server.port), "--data", str(server.data))
    assert "listening" in server._first_line()
    assert server.api.request("GET", "/v1/").json["registration"] == "invite"
    assert register(server, "ada", first_code(server)).status == 201


def test_invitations_are_made_listed_and_withdrawn_while_the_server_runs(make_server):
    server = make_server().start("--registration", "invite")
    code, advice = invite(server, "add", "--uses", "2", "--expires", "2w", "--note", "the choir").splitlines()
    assert re.fullmatch(CODE, code) and f"--invite {code}" in advice and "2 accounts" in advice
    assert register(server, "ada", code.upper()).status == 201
    line = next(line for line in invite(server, "list").splitlines() if "the choir" in line)
    assert re.match(r"[0-9a-f]{8}  1/2  valid, until \d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC  the choir", line)
    assert code not in invite(server, "list")
    rows = [json.loads(row) for row in invite(server, "list", "--json").splitlines()]
    assert [(row["note"], row["used"], row["uses"]) for row in rows] == [("the first one", 0, 1), ("the choir", 1, 2)]
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
        return server.api.request("POST", "/v1/sessions", body)

    def is_blocked_for_long():
        return int(log_in("a wrong guess").headers.get("retry-after", 0)) >= 15

    # Each failure doubles the wait, which exceeds the time of a command after the fifth.
    wait_until(is_blocked_for_long, "log-ins are blocked for 15 seconds")
    assert log_in(PASSWORD).status == 429
    device.log_in(server)
    assert log_in(PASSWORD).status == 429
