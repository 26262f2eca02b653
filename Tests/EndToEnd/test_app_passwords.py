"""App passwords: the examples of the user guide, run with curl, and homes that are signed in with one."""

import json
import re
import subprocess
from pathlib import Path

from harness.environment import PATIENCE, plain_environment
from harness.hosts import SESSION, Host
from harness.programs import program

PAGE = Path(__file__).parents[2] / "Sources/SatchelScreens/SatchelScreens.docc/AppPasswords.md"


class Script:
    """The examples of the user guide, as a person runs them in one folder."""

    def __init__(self, device, server):
        self.directory = device.directory
        self.variables = {"server": server.url}
        self.examples = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.S)
        program("curl")

    def run(self, words, input=""):
        """Runs the example that has these words."""
        [example] = [example for example in self.examples if words in example]
        environment = plain_environment(self.directory, **self.variables)
        return subprocess.run(
            ["sh", "-e", "-c", example], env=environment, input=input, capture_output=True, text=True, timeout=PATIENCE)

    def ok(self, words, input=""):
        done = self.run(words, input)
        assert done.returncode == 0, done.stderr
        return done.stdout


def secret(device, *options):
    """Creates an app password, and returns its secret."""
    words = ("token", "add", "report", "--password-file", device.password_file(), *options, "--json")
    return json.loads(device.run(*words).out)["created"]["secret"]


def test_the_examples_of_the_user_guide_work(server, device):
    device.register(server)
    script = Script(device, server)
    script.ok("cat; }", secret(device))
    file = next(device.directory.rglob(".satchel-report"))
    assert file.stat().st_mode & 0o777 == 0o600
    [space] = json.loads(script.ok('/v1/spaces"'))["spaces"]
    script.variables["space"] = space["id"]
    created = json.loads(script.ok("-X PUT"))
    device.sync()
    assert device.titles() == ["Buy milk"]
    listed = json.loads(script.ok("limit=100"))
    assert [record["id"] for record in listed["records"]] == [created["id"]]
    script.variables |= {"id": created["id"], "version": str(created["version"])}
    assert json.loads(script.ok("-X PATCH"))["fields"]["status"] == "completed"
    device.sync()
    assert device.record("Buy milk")["fields"]["status"] == "completed"
    # The version is not the present one any more.
    assert "412" in script.run("-X PATCH").stderr


def test_a_read_only_password_reads_and_changes_nothing(server, device):
    device.register(server).run("add", "Buy milk")
    device.sync()
    script = Script(device, server)
    script.ok("cat; }", secret(device, "--read-only", "--expires", "90d"))
    [space] = json.loads(script.ok('/v1/spaces"'))["spaces"]
    script.variables["space"] = space["id"]
    assert len(json.loads(script.ok("limit=100"))["records"]) == 1
    assert "403" in script.run("-X PUT").stderr
    device.run("token", "revoke", "report")
    assert "401" in script.run('/v1/spaces"').stderr


def log_in_with(device, server, password):
    """Signs in with an app password, as a person who pastes it."""
    file = device.write("secret", password + "\n")
    return device.try_("login", "ada", "--server", server.url, "--password-file", file)


def test_a_home_signed_in_with_an_app_password_syncs_until_it_is_revoked(server, device, make_device):
    device.register(server).run("add", "Buy milk")
    device.sync()
    other = make_device()
    assert log_in_with(other, server, secret(device)).code == 0
    other.sync()
    assert other.titles() == ["Buy milk"]
    other.run("add", "Buy bread")
    other.sync()
    device.sync()
    assert device.titles() == ["Buy bread", "Buy milk"]
    refused = other.try_("devices")
    assert refused.code == 6 and "an app password can't manage the account" in refused.err, str(refused)
    device.run("token", "revoke", "report")
    other.run("add", "Made later")
    refused = other.try_("sync")
    assert refused.code == 4 and "app password of this home has expired or was revoked" in refused.err, str(refused)
    other.log_in(server).sync()
    device.sync()
    assert device.titles() == other.titles() == ["Buy bread", "Buy milk", "Made later"]


def test_a_home_with_a_read_only_password_keeps_its_edits_and_receives_those_of_others(server, device, make_device):
    device.register(server).run("add", "Buy milk")
    device.sync()
    reader = make_device()
    assert log_in_with(reader, server, secret(device, "--read-only")).code == 0
    assert "with an app password: read-only until " in reader.run("whoami").out
    assert "app password" not in device.run("whoami").out
    reader.sync()
    reader.run("add", "Mine")
    device.run("add", "Buy bread")
    device.sync()
    refused = reader.try_("sync")
    assert refused.code == 6 and "the app password is read-only" in refused.err, str(refused)
    assert reader.titles() == ["Buy bread", "Buy milk", "Mine"]
    # A log-out keeps the edits, and the app password for other programs.
    reader.run("logout")
    assert log_in_with(reader, server, (reader.directory / "secret").read_text().strip()).code == 0
    reader.run("logout")
    reader.log_in(server).sync()
    device.sync()
    assert device.titles() == ["Buy bread", "Buy milk", "Mine"]


def test_an_assistant_works_on_a_home_with_an_app_password(server, device, make_device):
    device.register(server).run("add", "Buy milk")
    device.sync()
    assistant = make_device()
    assert log_in_with(assistant, server, secret(device, "--read-only", "--expires", "30d")).code == 0
    assistant.sync()

    async def body(session):
        return await session.ok("list")

    state = Host("mcp", SESSION).run(assistant, body)
    assert [row["title"] for row in state["rows"]] == ["Buy milk"]


def test_a_login_with_a_revoked_app_password_says_what_it_may_be_and_counts_as_no_wrong_password(server, device):
    device.register(server)
    password = secret(device)
    device.run("token", "revoke", "report")
    device.run("logout")
    # More often than wrong passwords are accepted without a wait.
    for _ in range(8):
        result = log_in_with(device, server, password)
        assert result.code == 4 and "looks like an app password" in result.err and "the account's password" in result.err
    device.log_in(server).sync()


def test_an_app_password_ends_the_session_that_it_replaces(server, device, make_device):
    device.register(server)
    other = make_device()
    other.log_in(server)
    assert len(json.loads(device.run("devices", "--json").out)["devices"]) == 2
    assert log_in_with(other, server, secret(device)).code == 0
    other.sync()
    # The app password is listed among the devices.
    names = [entry["name"] for entry in json.loads(device.run("devices", "--json").out)["devices"]]
    assert len(names) == 2 and "report" in names, names
