"""The setting `credential-command`: a program stores the session's tokens."""

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from harness.environment import plain_environment
from harness.programs import program

PAGE = Path(__file__).parents[2] / "Sources/SatchelScreens/SatchelScreens.docc/Credentials.md"

def helper(device, name="helper", script=None):
    """Adds an executable helper next to the home, and uses it as the device's credential command."""
    path = device.write(name, script or """#!/usr/bin/env python3
import json, os, sys
store = sys.argv[0] + ".json"
with open(sys.argv[0] + ".calls", "a") as calls:
    calls.write(sys.argv[-1] + "\\n")
if os.path.exists(sys.argv[0] + ".locked"):
    sys.exit("the keyring is locked")
entries = json.load(open(store)) if os.path.exists(store) else {}
lines = dict(line.rstrip("\\n").split("=", 1) for line in sys.stdin)
password = lines.pop("password", None)
key = json.dumps(lines, sort_keys=True)
if sys.argv[-1] == "get" and key in entries:
    print("password=" + entries[key])
if sys.argv[-1] == "store":
    entries[key] = password
if sys.argv[-1] == "erase":
    entries.pop(key, None)
json.dump(entries, open(store, "w"))
""")
    path.chmod(0o755)
    device.environment["SATCHEL_CREDENTIAL_COMMAND"] = str(path)
    return path


def entries(path):
    file = Path(f"{path}.json")
    return json.loads(file.read_text()) if file.exists() else {}


def calls(path):
    file = Path(f"{path}.calls")
    found = file.read_text().split() if file.exists() else []
    file.unlink(missing_ok=True)
    return found


def tokens(path):
    """The tokens that a helper has."""
    [password] = entries(path).values()
    return json.loads(password)


def expect_secret(device, tokens):
    """No file of the home has one of the tokens."""
    for file in device.home.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert not any(tokens[name].encode() in content for name in ["access", "refresh"]), file


def test_tokens_are_with_the_program_and_in_no_file_of_the_home(server, device):
    path = helper(device)
    device.register(server).run("add", "Buy milk")
    device.sync()
    expect_secret(device, tokens(path))
    assert "ada" in device.run("whoami").out
    device.run("logout")
    assert entries(path) == {}


def test_commands_that_need_no_server_do_not_call_the_program(server, device):
    path = helper(device)
    device.register(server)
    calls(path)
    for command in [("add", "Buy milk"), ("list",), ("show", "1"), ("status",)]:
        device.run(*command, environment={"SATCHEL_SYNC": "manual"})
    assert calls(path) == []


def test_tokens_of_the_file_move_to_the_program_with_the_next_sign_in(server, device):
    device.register(server)
    path = helper(device)
    device.sync()
    device.log_in(server)
    expect_secret(device, tokens(path))
    del device.environment["SATCHEL_CREDENTIAL_COMMAND"]
    result = device.try_("sync")
    assert result.code == 4 and "`login` again" in result.err and "credential-command" in result.err
    device.log_in(server).sync()


def test_a_program_that_fails_loses_nothing_and_says_what_to_do(server, device):
    path = helper(device)
    device.register(server)
    lock = Path(f"{path}.locked")
    lock.touch()
    device.run("add", "Buy milk")
    result = device.try_("sync")
    assert result.code != 0
    assert f"`{path} get` ended with status 1 (the keyring is locked). Run it yourself" in result.err
    assert "the keyring is locked" in device.try_("doctor").out
    assert device.try_("login", "ada", "--password-file", device.password_file()).code != 0
    lock.unlink()
    # The refused log-in has ended the former session of the device.
    assert "`login` again" in device.try_("sync").err
    device.log_in(server).sync()
    assert "Buy milk" in device.run("list").out


def test_a_program_that_is_missing_is_named(server, device):
    device.environment["SATCHEL_CREDENTIAL_COMMAND"] = "no-such-helper"
    result = device.try_("register", "ada", "--server", server.url, "--password-file", device.password_file())
    assert result.code != 0 and "no-such-helper" in result.err
    assert not (device.home / "session.json").exists()


def test_the_background_sync_uses_the_program_of_the_configuration_file(server, device, make_device):
    path = helper(device)
    del device.environment["SATCHEL_CREDENTIAL_COMMAND"]
    settings = device.write("settings.toml", f'credential-command = "{path}"\n')
    device.run("--config", settings, "register", "ada", "--server", server.url, "--password-file", device.password_file())
    device.run("--config", settings, "sync")
    expect_secret(device, tokens(path))


def page_script(name):
    """A helper of the user guide."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.S)
    [script] = [block for block in blocks if f"\n# {name}: " in block]
    return script


@pytest.mark.parametrize("name", ["satchel-pass", "satchel-secret-tool"])
def test_helpers_of_the_user_guide_pass_shellcheck(name):
    checked = subprocess.run([program("shellcheck"), "-"], input=page_script(name), capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


@pytest.fixture
def password_store(device):
    """A password store with a key without passphrase; gpg's agent ends with it."""
    # The agent's socket is in it, and the path of a socket has 107 bytes at most.
    folder = tempfile.mkdtemp(prefix="gnupg-")
    device.environment |= {"GNUPGHOME": folder, "PASSWORD_STORE_DIR": str(device.directory / "passwords")}
    environment = plain_environment(device.directory, **device.environment)

    def run(*command):
        subprocess.run(command, env=environment, check=True, capture_output=True)

    run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", "ada@example.org", "default", "default", "never")
    run(program("pass"), "init", "ada@example.org")
    yield device.directory / "passwords"
    run("gpgconf", "--kill", "all")
    shutil.rmtree(folder, ignore_errors=True)


def test_pass_stores_the_tokens_with_the_helper_of_the_user_guide(server, device, password_store):
    helper(device, "satchel-pass", page_script("satchel-pass"))
    device.register(server).run("add", "Buy milk")
    device.sync()
    [entry] = password_store.rglob("*.gpg")
    session = json.loads((device.home / "session.json").read_text())
    assert entry.stem == session["identity"]["device"]["id"] and "accessToken" not in json.dumps(session)
    assert session["state"] == {"separate": {}}
    device.run("logout")
    assert list(password_store.rglob("*.gpg")) == []
    assert device.try_("sync").code == 4
    device.log_in(server).sync()


def test_a_credential_helper_of_git_can_be_used(server, device):
    file = device.directory / "git-credentials"
    device.environment["SATCHEL_CREDENTIAL_COMMAND"] = f"{program('git')} credential-store --file {file}"
    device.register(server).run("add", "Buy milk")
    device.sync()
    assert len(file.read_text().splitlines()) == 1
    device.log_in(server).sync()
    assert len(file.read_text().splitlines()) == 1
    device.run("logout")
    assert file.read_text() == ""
