"""Accounts, sessions and devices at the command line."""

import json
import os
import re
import stat

import pexpect
import pytest

from harness import wait_until
from harness.device import PASSWORD
from harness.environment import PATIENCE, plain_environment


def test_a_user_registers_signs_out_and_signs_in_again(server, device):
    assert "ada" in (device.register(server).run("whoami").out)
    assert server.url in device.run("whoami").out
    device.run("logout")
    assert device.try_("devices").code != 0
    device.log_in(server)
    assert "ada" in device.run("whoami").out


def test_an_account_is_not_needed_at_first(device):
    device.run("add", "Buy milk", "+shop")
    assert "Buy milk" in device.run("list").out
    assert device.run("whoami").code == 0
    result = device.try_("sync")
    assert result.code != 0 and "login" in result.err + result.out


def test_a_wrong_password_is_reported_with_an_exit_code_and_leaves_no_session(server, laptop, device):
    result = device.try_(
        "login", "ada", "--server", server.url, "--password-file", device.password_file("not the password"))
    assert result.code != 0 and "password" in result.err and not result.out
    assert device.try_("sync").code != 0
    assert not (device.home / "session.json").exists()


def test_an_unknown_name_has_the_same_message_as_a_wrong_password(server, laptop, make_device):
    def words(name, password):
        device = make_device()
        result = device.try_("login", name, "--server", server.url, "--password-file", device.password_file(password))
        return result.code, result.err

    # The unknown name first: wrong passwords for `ada` slow the address down.
    stranger = words("nobody", "some password")
    assert wait_until(lambda: (answer := words("ada", "some password")) == stranger and answer, "the delay is over")


def test_a_name_in_use_is_reported(server, laptop, device):
    result = device.try_("register", "ada", "--server", server.url, "--password-file", device.password_file("another one"))
    assert result.code != 0 and "taken" in result.err


def test_devices_are_listed_and_one_can_be_revoked_at_once(server, laptop, desktop):
    assert desktop.run("devices").out.count("\n") >= 2
    desktop.run("logout")
    desktop.run(
        "login", "ada", "--device-name", "kitchen", "--server", server.url, "--password-file",
        desktop.password_file(PASSWORD))
    assert "kitchen" in laptop.run("devices").out
    # A device's id is that of its edits.
    desktop.run("add", "From the desktop")
    id = desktop.record("From the desktop")["modifiedBy"]
    laptop.run("devices", "--revoke", id)
    result = desktop.try_("sync")
    assert result.code == 4 and re.search("log ?in", result.err)
    assert desktop.titles() == ["From the desktop"], "a revoked device keeps its edits"
    desktop.log_in(server).sync()
    laptop.sync()
    assert laptop.titles() == ["From the desktop"]


def test_a_changed_password_ends_the_other_sessions_and_loses_no_edit(server, laptop, desktop):
    answer = server.api.log_in(password=PASSWORD).request(
        "PUT", "/v1/account/password", {"currentPassword": PASSWORD, "newPassword": "a new password"})
    assert answer.status == 204
    desktop.run("add", "Made meanwhile")
    assert desktop.try_("sync").code != 0
    desktop.log_in(server, password="a new password").sync()
    laptop.log_in(server, password="a new password").sync()
    assert laptop.titles() == ["Made meanwhile"]


@pytest.fixture
def exposed(server):
    """The server's address in an old notation of 127.0.0.1, which isn't recognised as this machine."""
    return server.url.replace("127.0.0.1", "127.1")


def test_a_server_without_encryption_is_refused_unless_it_is_accepted(exposed, device):
    register = ("register", "ada", "--server", exposed, "--password-file", device.password_file())
    result = device.try_(*register)
    assert result.code == 2 and exposed in result.err and "the option `insecure-http`" in result.err
    assert not (device.home / "session.json").exists()
    device.run(*register, "--insecure-http")
    device.run("add", "Something")
    device.sync()
    assert "not encrypted" in device.run("whoami").out
    assert "not encrypted" in device.run("doctor").out


def test_a_program_and_a_variable_can_accept_a_server_without_encryption(exposed, device, make_device):
    device.run("register", "ada", "--server", exposed, "--password-file", device.password_file(),
               environment={"SATCHEL_INSECURE_HTTP": "1"})
    device.sync()
    session = make_device().json_lines()
    arguments = {"name": "ada", "password": PASSWORD, "server": exposed}
    refused = session.ask("login", **arguments)[1]
    assert refused["type"] == "error" and "the option `insecure-http`" in refused["message"]
    assert session.ask("login", **arguments, **{"insecure-http": True})[1]["type"] == "done"
    states, _ = session.ask("whoami")
    assert states[-1]["state"]["insecureHTTP"] is True
    assert session.finish() == 0


def test_a_session_of_an_earlier_version_without_encryption_is_refused_with_what_to_type(exposed, device):
    device.run("register", "ada", "--insecure-http", "--server", exposed, "--password-file", device.password_file())
    file = device.home / "session.json"
    session = json.loads(file.read_text())
    assert session["identity"].pop("insecureHTTP") is True
    file.write_text(json.dumps(session))
    device.run("add", "Unsent")
    result = device.try_("sync")
    assert result.code == 4 and "`login NAME --insecure-http`" in result.err
    assert "plain http is refused" in device.run("whoami").out
    device.run("login", "ada", "--insecure-http", "--password-file", device.password_file())
    device.sync()
    assert "not encrypted" in device.run("whoami").out


def test_logout_keeps_the_records_and_warns_of_unsent_edits(server, laptop):
    laptop.run("add", "Unsent")
    result = laptop.run("logout")
    assert "1 record" in result.out + result.err
    assert laptop.titles() == ["Unsent"]
    laptop.log_in(server).sync()
    assert [record["fields"]["title"] for record in server.api.log_in(password=PASSWORD).records()] == ["Unsent"]


def test_another_account_on_the_same_home_is_refused_and_home_is_named(server, laptop, make_device):
    make_device().register(server, "eve")
    laptop.run("logout")
    result = laptop.try_("login", "eve", "--server", server.url, "--password-file", laptop.password_file())
    assert result.code != 0 and "--home" in result.err
    assert "eve" not in laptop.run("whoami").out


def test_records_made_before_the_first_sign_in_belong_to_the_account(server, device, make_device):
    device.run("add", "Made before")
    device.register(server).sync()
    other = make_device().log_in(server)
    other.sync()
    assert other.titles() == ["Made before"]


def test_an_account_cannot_see_another_accounts_records(server, laptop, make_device):
    laptop.run("add", "Mine")
    laptop.sync()
    stranger = make_device().register(server, "eve")
    stranger.sync()
    assert stranger.titles() == []
    ada, eve = server.api.log_in(password=PASSWORD), server.api.log_in("eve", PASSWORD)
    for method, path in [("GET", "changes"), ("POST", "changes"), ("GET", "records/tasks")]:
        assert eve.request(method, f"/v1/spaces/{ada.space}/{path}").status == 404


# Passwords


def test_a_password_given_as_a_flag_is_refused_with_the_alternative(server, device):
    result = device.try_("register", "ada", "--server", server.url, "--password", "in the clear")
    assert result.code != 0 and "--password-file" in result.err


def test_a_password_is_read_from_standard_input(server, device):
    device.run("register", "ada", "--server", server.url, "--password-file", "-", stdin=PASSWORD + "\n")
    device.run("logout")
    device.log_in(server)


def test_a_password_file_that_is_missing_or_empty_is_reported(server, device):
    missing = device.directory / "missing"
    result = device.try_("register", "ada", "--server", server.url, "--password-file", missing)
    assert result.code != 0 and str(missing) in result.err
    result = device.try_("register", "ada", "--server", server.url, "--password-file", device.write("empty", ""))
    assert result.code != 0 and result.err


def test_a_password_is_asked_for_without_echo(server, device):
    command = device.command("register", "ada", "--server", server.url)
    child = pexpect.spawn(
        command[0], command[1:], env=plain_environment(device.directory), encoding="utf-8", timeout=PATIENCE, echo=True)
    try:
        child.expect("[Pp]assword")
        child.waitnoecho()
        child.sendline(PASSWORD)
        seen = child.before
        # Asked for twice if a mistake could lock the user out.
        while child.expect(["[Pp]assword", pexpect.EOF]) == 0:
            seen += child.before
            if child.after and not child.getecho():
                child.sendline(PASSWORD)
        seen += child.before
        child.close()
    finally:
        child.close(force=True)
    assert child.exitstatus == 0, seen
    assert PASSWORD not in seen
    assert "ada" in device.run("whoami").out


@pytest.mark.parametrize("verb", ["register", "login"])
@pytest.mark.parametrize("address", ["http://notes.example.org", "ftp://notes.example.org"])
def test_an_invalid_address_is_refused_before_the_password_is_asked_for(device, verb, address):
    command = device.command(verb, "ada", "--server", address)
    child = pexpect.spawn(
        command[0], command[1:], env=plain_environment(device.directory), encoding="utf-8", timeout=PATIENCE)
    try:
        assert child.expect(["password:", pexpect.EOF]) == 1, child.before
        assert address in child.before
    finally:
        child.close(force=True)
    assert child.exitstatus not in (0, None)


def test_a_password_is_in_no_argument_list_while_a_command_runs(server, make_proxy, device):
    proxy = make_proxy(server)
    lines = []

    def look():
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/cmdline", "rb") as file:
                        lines.append(file.read())
                except OSError:
                    pass

    proxy.before("POST", "/v1/accounts", look)
    device.run("register", "ada", "--server", proxy.url, "--password-file", device.password_file("seen by nobody"))
    assert any(b"register" in line for line in lines)
    assert not any(b"seen by nobody" in line for line in lines)


def test_the_home_is_private_to_its_owner(laptop):
    laptop.run("add", "Private")
    assert stat.S_IMODE(laptop.home.stat().st_mode) == 0o700
    for file in laptop.home.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_no_password_and_no_token_is_stored_in_the_cache(laptop):
    laptop.run("add", "Something")
    laptop.sync()
    session = (laptop.home / "session.json").read_text()
    assert PASSWORD not in session
    for file in laptop.home.iterdir():
        assert PASSWORD.encode() not in file.read_bytes(), file


@pytest.mark.parametrize("address", ["", "notaurl", "ftp://example.org", "http://", "http://user:secret@127.0.0.1:1"])
def test_an_invalid_address_is_reported(device, address):
    result = device.try_("register", "ada", "--server", address, "--password-file", device.password_file())
    assert result.code != 0 and result.err


def test_a_server_that_lost_its_data_is_distinguished_from_a_revocation(server, laptop):
    laptop.run("add", "Kept")
    laptop.sync()
    server.stop()
    server.lose_data()
    server.start()
    result = laptop.try_("sync")
    assert result.code == 4 and "The server no longer knows this device" in result.err, str(result)
    assert "revoked" not in result.err and "`register`" in result.err
    assert "no longer knows this device" in laptop.run("status").out
    assert laptop.titles() == ["Kept"]
    laptop.register(server).sync()
    assert [record["fields"]["title"] for record in server.api.log_in(password=PASSWORD).records()] == ["Kept"]
