"""The setting `credential-command`: a program stores the session's tokens."""

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from harness import wait_until
from harness.environment import PATIENCE, plain_environment
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
failures = sys.argv[0] + "." + sys.argv[-1]
if os.path.exists(failures) and (count := int(open(failures).read())) > 0:
    open(failures, "w").write(str(count - 1))
    sys.exit("the keyring is busy")
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
    refused = device.try_("login", "ada", "--password-file", device.password_file())
    assert refused.code != 0 and f"`{path} get` ended with status 1" in refused.err
    lock.unlink()
    # The log-in was not sent, so the session goes on.
    device.sync()
    assert "Buy milk" in device.run("list").out


def fail(path, operation, times):
    """Lets the next calls of the helper for an operation fail."""
    Path(f"{path}.{operation}").write_text(str(times))


def expire_access_token(path):
    """Lets the next request renew the session."""
    file = Path(f"{path}.json")
    [(key, password)] = entries(path).items()
    file.write_text(json.dumps({key: json.dumps(json.loads(password) | {"accessExpiresAt": 0})}))


def test_a_program_that_can_not_store_for_a_long_time_does_not_end_the_session(server, device):
    path = helper(device)
    device.register(server).run("add", "Buy milk")
    expire_access_token(path)
    before = tokens(path)
    # More than the answers to one refresh that the server takes for lost.
    fail(path, "store", 20)
    for _ in range(20):
        result = device.try_("sync")
        assert result.code != 0 and f"`{path} store` ended with status 1 (the keyring is busy)" in result.err
    assert tokens(path) == before
    device.sync()
    assert tokens(path)["refresh"] != before["refresh"]
    device.sync()


def test_tokens_that_could_not_be_stored_are_stored_when_the_command_ends(server, device):
    path = device.directory / "helper"
    helper(device, script=f"""#!/bin/sh
# Lets the second store of each process fail once, which is that of the new tokens.
if [ "$1" = store ] && [ -e '{path}.expired' ]; then
    if [ -e '{path}.first' ]; then rm '{path}.expired'; echo busy >&2; exit 1; fi
    touch '{path}.first'
fi
exec '{path}-entries' "$1"
""")
    store = device.directory / "helper-entries"
    environment = dict(device.environment)
    helper(device, "helper-entries")
    device.environment |= {"SATCHEL_CREDENTIAL_COMMAND": environment["SATCHEL_CREDENTIAL_COMMAND"]}
    device.register(server).run("add", "Buy milk")
    expire_access_token(store)
    before = tokens(store)
    Path(f"{path}.expired").touch()
    result = device.try_("sync")
    assert result.code != 0 and f"`{path} store` ended with status 1 (busy)" in result.err
    assert tokens(store)["refresh"] != before["refresh"]
    device.sync()


def test_a_session_ends_although_its_tokens_can_not_be_erased(server, device):
    path = helper(device)
    device.register(server)
    fail(path, "erase", 1)
    result = device.try_("logout")
    assert result.code != 0
    assert "You are signed out here, but the session's tokens couldn't be removed" in result.err
    assert f"`{path} erase` ended with status 1 (the keyring is busy)" in result.err
    assert "not signed in" in device.try_("whoami").out.lower() or "signed out" in device.try_("whoami").out.lower()
    assert device.try_("sync").code == 4
    device.log_in(server).sync()
    device.run("logout")
    assert entries(path) == {}


def test_a_logout_without_the_tokens_ends_the_session_here_and_whoami_says_why_the_usage_is_unknown(server, device):
    path = helper(device)
    device.register(server)
    Path(f"{path}.locked").touch()
    reason = f"`{path} get` ended with status 1 (the keyring is locked)"
    # On a busy machine the program may be late.
    wait_until(lambda: "usage unknown:" in (out := device.run("whoami").out) and reason in out, "whoami shows the reason")
    result = device.try_("logout")
    assert result.code != 0 and "The server wasn't notified: revoke this device from another one." in result.err
    assert "you are signed out" in device.run("whoami").out
    Path(f"{path}.locked").unlink()
    device.log_in(server)
    # Now the tokens can be removed, but still not returned.
    fail(path, "get", 20)
    assert "The server wasn't notified: revoke this device from another one." in device.run("logout").err
    assert entries(path) == {}


def test_a_program_that_is_missing_is_named(server, device):
    device.environment["SATCHEL_CREDENTIAL_COMMAND"] = "no-such-helper"
    result = device.try_("register", "ada", "--server", server.url, "--password-file", device.password_file())
    assert result.code != 0 and "no-such-helper" in result.err
    assert not (device.home / "session.json").exists()
    # It was noticed before the log-in: the name is still free.
    del device.environment["SATCHEL_CREDENTIAL_COMMAND"]
    device.run("register", "ada", "--server", server.url, "--password-file", device.password_file())


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


class Keyring:
    """A session bus with a GNOME keyring, without a display: nobody can be asked for the passphrase."""

    def __init__(self, device):
        # Sockets are in it, and the path of a socket has 107 bytes at most.
        self.folder = tempfile.mkdtemp(prefix="keyring-")
        device.environment["XDG_RUNTIME_DIR"] = self.folder
        self.environment = plain_environment(device.directory, **device.environment)
        # It ends when its standard input is closed.
        script = 'echo "$DBUS_SESSION_BUS_ADDRESS"; cat >/dev/null'
        self.bus = subprocess.Popen(
            [program("dbus-run-session"), "--", "sh", "-c", script], env=self.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = self.bus.stdout.readline().strip()
        device.environment["DBUS_SESSION_BUS_ADDRESS"] = self.environment["DBUS_SESSION_BUS_ADDRESS"] = address
        self.unlock()

    def unlock(self):
        """Starts the daemon in place of the former one."""
        self.run("gnome-keyring-daemon", "--replace", "--unlock", "--components=secrets", input="passphrase")

    def lock(self):
        path = "/org/freedesktop/secrets"
        self.run("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.secrets", path,
                 "org.freedesktop.Secret.Service.Lock", f"array:objpath:{path}/collection/login")

    def entries(self):
        """The attributes of the entries of Satchel's helper."""
        return self.run("secret-tool", "search", "--all", "application", "satchel")

    def run(self, name, *arguments, input=None):
        done = subprocess.run(
            [program(name), *arguments], env=self.environment, input=input, capture_output=True, text=True, check=True,
            timeout=PATIENCE)
        return done.stdout + done.stderr

    def end(self):
        self.bus.communicate(timeout=PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture
def keyring(device):
    keyring = Keyring(device)
    yield keyring
    keyring.end()


def test_the_keyring_stores_the_tokens_with_the_helper_of_the_user_guide(server, device, keyring):
    helper(device, "satchel-secret-tool", page_script("satchel-secret-tool"))
    device.register(server).run("add", "Buy milk")
    device.sync()
    session = json.loads((device.home / "session.json").read_text())
    assert session["state"] == {"separate": {}}
    entries = keyring.entries()
    assert entries.count("attribute.application = satchel") == 1
    assert f"attribute.path = {session['identity']['device']['id']}" in entries
    [secret] = re.findall("^secret = (.*)$", entries, re.M)
    expect_secret(device, json.loads(secret))
    device.run("logout")
    assert keyring.entries() == ""
    assert device.try_("sync").code == 4
    device.log_in(server).sync()


def test_a_locked_keyring_is_named_and_the_session_goes_on_when_it_is_unlocked(server, device, keyring):
    path = helper(device, "satchel-secret-tool", page_script("satchel-secret-tool"))
    device.register(server).run("add", "Buy milk")
    keyring.lock()
    result = device.try_("sync")
    assert result.code != 0 and f"`{path} get` ended with status 1 (the keyring is locked)" in result.err
    refused = device.try_("login", "ada", "--password-file", device.password_file())
    assert refused.code != 0 and "the keyring is locked" in refused.err
    keyring.unlock()
    device.sync()
    keyring.lock()
    result = device.try_("logout")
    assert result.code != 0 and "the keyring is locked" in result.err
    assert device.try_("sync").code != 0
    keyring.unlock()


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
