"""The commands of the server's owner, next to a running server."""

import fcntl
import json
import re
import sqlite3

import pytest

from harness import Stream, wait_until
from harness.api import task

# A stream of a revoked device or a disabled account ends within about a second; more on a busy machine.
SOON = 20


def succeeds(server, *words):
    done = server.administer(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown(server, *words):
    return json.loads(succeeds(server, *words, "--json"))


def rows(server, *words):
    """A list as JSON: one object on each line."""
    return [json.loads(line) for line in succeeds(server, *words, "--json").splitlines()]


def test_accounts_are_listed_in_80_columns_and_as_json(server):
    server.api.register("ada").push({"mutations": [task("one")]})
    server.api.register("b" * 64)
    text = succeeds(server, "user", "list")
    lines = text.splitlines()
    assert [line.split()[0] for line in lines] == ["NAME", "ada", lines[2].split()[0]]
    assert lines[0].split() == ["NAME", "STATE", "RECORDS", "SIZE", "DEVICES", "LAST", "SEEN"]
    assert max(len(line) for line in lines) <= 80
    assert "…" in lines[2]
    first, second = rows(server, "user", "list")
    assert first["name"] == "ada" and first["usage"]["records"] == 1 and first["disabledAt"] is None
    assert second["name"] == "b" * 64


def test_a_disabled_account_is_refused_at_once_and_its_streams_end(server):
    ada, ben = server.api.register("ada"), server.api.register("ben")
    stream, other = Stream(ada), Stream(ben)
    assert "ada is disabled" in succeeds(server, "user", "disable", "ada")
    assert ada.pull().code == "account-disabled"
    assert stream.ends_within(SOON)
    assert not other.ends_within(1), "the stream of another account"
    assert "disabled" in succeeds(server, "user", "list").splitlines()[1]
    succeeds(server, "user", "enable", "ada")
    assert ada.pull().status == 200


def test_a_revoked_device_is_refused_at_once_and_its_stream_ends(server):
    ada = server.api.register("ada")
    stream = Stream(ada)
    device, = rows(server, "device", "list", "ada")
    assert device["id"] == ada.session["device"]["id"] and device["name"] == "curl"
    assert "curl" in succeeds(server, "device", "list", "ada")
    assert "EXPIRES" not in succeeds(server, "device", "list", "ada")
    succeeds(server, "device", "revoke", "ada", device["id"])
    assert ada.pull().status == 401
    assert stream.ends_within(SOON)
    assert succeeds(server, "device", "list", "ada") == "ada has no signed-in device\n"
    assert rows(server, "device", "list", "ada") == []


def test_a_device_name_cannot_control_the_terminal(server):
    api = server.api
    body = {"username": "ada", "password": "correct horse", "device": {"name": "\x1b[31mred\nline"}}
    assert api.request("POST", "/v1/accounts", body, token=False).status == 422
    body["device"]["name"] = "\u202egnirts\u2066"
    assert api.request("POST", "/v1/accounts", body, token=False).status == 201
    text = succeeds(server, "device", "list", "ada")
    assert "gnirts" in text and not {"\u202e", "\u2066"} & set(text) and text.count("\n") == 2


def test_a_forgotten_password_is_reset_with_a_code_that_works_once(server):
    ada = server.api.register("ada")
    code = succeeds(server, "user", "reset-password", "ada").splitlines()[0]
    assert ada.pull().status == 200
    body = {"username": "ada", "code": code, "newPassword": "a new password", "device": {"name": "laptop"}}
    assert ada.request("POST", "/v1/sessions/reset", body, token=False).status == 201
    assert ada.pull().status == 401
    assert ada.request("POST", "/v1/sessions/reset", body, token=False).code == "invalid-credentials"
    assert code.encode() not in server.stored_bytes()
    assert code not in server.log.read_text()


def test_an_account_is_added_and_deleted(server):
    code = succeeds(server, "user", "add", "cleo").splitlines()[0]
    body = {"username": "cleo", "code": code, "newPassword": "correct horse", "device": {"name": "laptop"}}
    assert server.api.request("POST", "/v1/sessions/reset", body, token=False).status == 201
    cleo = server.api.log_in("cleo")
    assert cleo.push({"mutations": [task("one")]}).status == 200
    refused = server.administer("user", "delete", "cleo")
    assert refused.returncode == 1 and "1 record," in refused.stderr and "--yes" in refused.stderr
    succeeds(server, "user", "delete", "cleo", "--yes")
    assert cleo.pull().status == 401
    assert shown(server, "stats")["records"] == 0


def test_a_quota_is_set_while_the_server_runs_and_deleting_works_above_it(server):
    ada = server.api.register("ada")
    assert ada.push({"mutations": [task("one"), task("two")]}).status == 200
    table = succeeds(server, "user", "quota", "ada", "--records", "2", "--bytes", "5M", "--streams", "unlimited")
    assert "5 MiB" in table and "unlimited" in table and "default" in table
    # The open streams are known to the server's process alone.
    assert re.search(r"^streams +– +unlimited$", table, re.MULTILINE)
    refused = ada.push({"mutations": [task("three")]})
    assert refused.code == "quota-exceeded" and "delete" in refused.json["detail"]
    quota = ada.request("GET", "/v1/account").json["quota"]
    assert quota["records"] == 2 and quota["bytes"] == 5 << 20 and quota["devices"] == 100 and "streams" not in quota
    deletion = {"collection": "tasks", "id": "one", "base": 1, "at": "019350000001-0000-x", "delete": True}
    assert ada.push({"mutations": [deletion], "since": ada.pull().json["cursor"]}).status == 200
    assert ada.push({"mutations": [task("three")]}).status == 200
    succeeds(server, "user", "quota", "ada", "--records", "default")
    assert shown(server, "user", "quota", "ada")["quota"] == {
        "bytes": 5 << 20, "devices": None, "records": None, "streams": "unlimited"}


def test_a_stream_beyond_the_quota_is_refused_by_it_and_a_closed_one_makes_room(server):
    ada = server.api.register("ada")
    succeeds(server, "user", "quota", "ada", "--streams", "1")
    stream = Stream(ada)
    refused = ada.request("GET", "/v1/events")
    assert refused.status == 403 and refused.code == "quota-exceeded"
    assert refused.json["quota"] == "streams" and refused.json["limit"] == 1
    succeeds(server, "user", "quota", "ada", "--streams", "2")
    second = Stream(ada)
    assert not stream.ends_within(1) and not second.ends_within(1)


def test_accounts_above_a_lowered_quota_are_reported_at_the_start_and_in_the_list(make_server):
    server = make_server().start()
    for name, count in [("ada", 3), ("ben", 1)]:
        api = server.api.register(name)
        assert api.push({"mutations": [task(f"id{number}") for number in range(count)]}).status == 200
    assert server.stop() == 0
    assert "user list" not in server.log.read_text()
    file = server.directory / "satcheld.json"
    file.write_text(json.dumps({"quotaRecords": 2}))
    server.start("--config", str(file))
    wait_until(lambda: "the command user list shows them" in server.log.read_text(), "the log warns")
    lines = [line for line in server.log.read_text().splitlines() if "user list" in line]
    assert len(lines) == 1 and "count=1" in lines[0] and "level=warning" in lines[0]
    table = succeeds(server, "user", "list", "--config", str(file)).splitlines()
    assert "over quota" in table[1] and "enabled" in table[2]
    assert [row["overQuota"] for row in rows(server, "user", "list", "--config", str(file))] == [["records"], []]


def test_the_commands_know_the_limits_that_the_server_has_by_flags(make_server):
    server = make_server().start()
    api = server.api.register("ada")
    assert api.push({"mutations": [task(f"id{number}") for number in range(3)]}).status == 200
    assert server.stop() == 0
    server.start("--quota-records", "2", "--quota-streams", "unlimited")
    wait_until(lambda: "the command user list shows them" in server.log.read_text(), "the log warns")
    row, = rows(server, "user", "list")
    assert row["overQuota"] == ["records"] and row["quota"]["records"] is None
    assert row["defaultQuota"]["records"] == 2 and row["defaultQuota"]["streams"] == "unlimited"
    table = succeeds(server, "user", "quota", "ada")
    assert "2 (default)" in table and "unlimited (default)" in table and "1 GiB (default)" in table
    assert shown(server, "stats")["overQuota"] == 1 and "accounts over quota" in succeeds(server, "stats")


def test_the_owners_commands_are_in_the_servers_audit_log_once(server):
    server.api.register("ada")
    code = succeeds(server, "user", "reset-password", "ada").splitlines()[0]
    succeeds(server, "user", "quota", "ada", "--records", "5")
    wait_until(lambda: "event=quota-changed" in server.log.read_text(), "the commands are logged")
    assert server.stop() == 0
    succeeds(server, "user", "disable", "ada")
    server.start()
    wait_until(lambda: "event=user-disabled" in server.log.read_text(), "the command is logged at the next start")
    log = server.log.read_text()
    for event in ["reset-code-made", "quota-changed", "user-disabled"]:
        lines = [line for line in log.splitlines() if f"event={event}" in line]
        assert len(lines) == 1 and " user=ada" in lines[0] and " by=" in lines[0] and " at=" in lines[0], event
    assert code not in log


def test_a_restore_is_in_the_servers_audit_log(make_server):
    server = make_server().start()
    server.api.register("ada")
    file = server.backup(server.directory / "backup")
    assert server.stop() == 0
    server.restore(file)
    wait_until(lambda: "event=restored" in server.log.read_text(), "the restore is logged")
    lines = [line for line in server.log.read_text().splitlines() if "event=restored" in line]
    assert len(lines) == 1 and " by=" in lines[0] and " at=" in lines[0] and "level=warning" in lines[0]


@pytest.mark.sqlite
def test_a_restore_and_a_command_of_the_owner_exclude_each_other(make_server):
    server = make_server().start()
    server.api.register("ada")
    file = server.backup(server.directory / "backup")
    assert server.stop() == 0
    commands = server.data / "satcheld.lock.commands"
    with open(commands, "r+b") as lock:
        # As a long command holds it.
        fcntl.flock(lock, fcntl.LOCK_SH)
        assert "ada" in succeeds(server, "user", "list"), "commands share it"
        refused = server.command("restore", file)
        assert refused.returncode == 1 and "a command of the owner uses" in refused.stderr, refused.stderr
        # As a restore holds it.
        fcntl.flock(lock, fcntl.LOCK_EX)
        for words in [["user", "list"], ["invite", "list"], ["check"], ["stats"]]:
            done = server.administer(*words)
            assert done.returncode == 1 and "is being restored" in done.stderr, done.stderr
        again = server.command("backup", server.directory / "second")
        assert again.returncode == 1 and "is being restored" in again.stderr
    server.restore(file)
    wait_until(lambda: "event=restored" in server.log.read_text(), "the restore is logged")
    assert "ada" in succeeds(server, "user", "list")


def test_the_servers_quota_is_a_setting(make_server):
    server = make_server()
    server.start("--quota-records", "1", environment={"SATCHELD_QUOTA_BYTES": "1M"})
    ada = server.api.register("ada")
    assert ada.push({"mutations": [task("one")]}).status == 200
    assert ada.push({"mutations": [task("two")]}).code == "quota-exceeded"
    assert ada.request("GET", "/v1/account").json["quota"]["bytes"] == 1 << 20


def test_an_app_password_works_as_a_bearer_token(server):
    ada = server.api.register("ada")
    answer = ada.request(
        "POST", "/v1/account/app-passwords",
        {"name": "phone", "scope": "read-only", "expiresIn": 3_600, "password": "correct horse"})
    assert answer.status == 201
    phone = server.api
    phone.token, phone.space = answer.json["secret"], ada.space
    assert phone.pull().status == 200
    assert phone.push({"mutations": [task("one")]}).code == "forbidden"
    app, = [row["appPassword"] for row in rows(server, "device", "list", "ada") if row["appPassword"]]
    head, *lines = succeeds(server, "device", "list", "ada").splitlines()
    assert head.endswith("EXPIRES") and len(lines) == 2
    line, = [line for line in lines if "read-only" in line]
    assert line.endswith(app["expiresAt"][:10])
    succeeds(server, "device", "revoke", "ada", "phone")
    assert phone.pull().status == 401


@pytest.mark.sqlite
@pytest.mark.parametrize("words", [["stats"], ["check"], ["user", "list"], ["invite", "list"], ["user", "delete", "ada"]])
def test_a_command_makes_no_database_in_a_directory_without_one(make_server, words):
    server = make_server()
    done = server.administer(*words)
    assert done.returncode == 1 and f"there is no database in {server.data}" in done.stderr, done.stderr
    assert not server.data.exists() or list(server.data.iterdir()) == []


@pytest.mark.sqlite
def test_a_check_passes_next_to_a_server_and_finds_damage(server):
    ada = server.api.register("ada")
    assert ada.push({"mutations": [task("one")]}).status == 200
    assert succeeds(server, "check") == "satcheld: all is well\n"
    assert server.stop() == 0
    with sqlite3.connect(server.data / "satchel.sqlite") as database:
        database.execute("UPDATE spaces SET records = 7")
        database.execute("DELETE FROM members")
        database.execute("PRAGMA foreign_keys = OFF")
    database.close()
    done = server.administer("check")
    assert done.returncode == 1 and "7 are counted" in done.stdout and "restore" in done.stderr
    assert json.loads(server.administer("check", "--json").stdout)["faults"]


def test_the_numbers_of_everything_are_printed(server):
    server.api.register("ada").push({"mutations": [task("one")]})
    numbers = shown(server, "stats")
    assert numbers["accounts"] == 1 and numbers["devices"] == 1 and numbers["records"] == 1
    assert numbers["databaseBytes"] > 0
    assert "write-ahead log" in succeeds(server, "stats")


def test_the_settings_are_shown_with_their_sources(make_server):
    server = make_server()
    file = server.directory / "satcheld.json"
    file.write_text(json.dumps({"revisions": 5}))
    done = server.administer("config", "show", "--config", str(file), "--port", "1")
    assert done.returncode == 0, done.stderr
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert rows["port"] == ["1", "--port"] and rows["revisions"] == ["5", "satcheld.json"]
    assert rows["quotaBytes"] == ["1G", "default"] and rows["data"][-1] == "--data"
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    values = shown(server, "config", "show", "--config", str(file))
    assert values["revisions"] == {"source": "file", "value": "5"}
    assert values["registration"] == {"source": "default", "value": "automatic", "effective": "open"}
    absent = str(server.directory / "absent.pem")
    unusable = server.administer("config", "show", "--tls-certificate", absent, "--tls-key", absent)
    assert unusable.returncode == 1 and absent in unusable.stderr and "tlsKey" in unusable.stdout
    wrong = server.administer("config", "show", "--quota-bytes", "lots")
    assert wrong.returncode == 1 and "quotaBytes" in wrong.stderr and "lots" in wrong.stdout


@pytest.mark.parametrize("words", [
    ["user", "disable", "nobody"], ["user", "delete", "nobody", "--yes"], ["user", "reset-password", "nobody"],
    ["user", "quota", "nobody"], ["device", "list", "nobody"], ["device", "revoke", "nobody", "phone"],
], ids=" ".join)
def test_an_unknown_name_is_reported_with_what_to_do(server, words):
    done = server.administer(*words)
    assert done.returncode == 1 and "nobody" in done.stderr and "user list" in done.stderr


@pytest.mark.parametrize("value", ["-1", "1.5G", "lots", "5MB", ""])
def test_a_wrong_limit_is_a_wrong_command_line(server, value):
    done = server.administer("user", "quota", "ada", f"--bytes={value}")
    assert done.returncode == 2 and "--bytes" in done.stderr


def test_the_commands_work_without_a_server(server):
    server.api.register("ada")
    assert server.stop() == 0
    assert "ada" in succeeds(server, "user", "list")
    succeeds(server, "user", "disable", "ada")
    server.start()
    body = {"username": "ada", "password": "correct horse", "device": {"name": "curl"}}
    assert server.api.request("POST", "/v1/sessions", body, token=False).code == "account-disabled"
