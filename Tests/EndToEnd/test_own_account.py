"""What a person does with the own account: names of devices, app passwords, signing out, a forgotten password, the quota."""

import json
import re

from harness import wait_until
from harness.device import PASSWORD
from harness.web import Web


def administer(server, *words):
    done = server.administer(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def success(result):
    return result if result.code == 0 else None


def test_a_device_is_named_and_keeps_its_name(server, laptop, desktop):
    laptop.run("devices", "--name", "kitchen")
    assert "kitchen" in desktop.run("devices").out
    laptop.run("logout")
    laptop.log_in(server)
    assert "kitchen" in desktop.run("devices").out


def test_all_other_devices_are_signed_out_or_all(server, laptop, desktop):
    desktop.run("add", "From the desktop")
    assert "stays signed in" in laptop.run("logout", "--others").err
    assert desktop.try_("sync").code == 4
    desktop.log_in(server).sync()
    assert "this device included" in laptop.run("logout", "--everywhere").err
    assert desktop.try_("sync").code == 4 and laptop.try_("sync").code == 4
    laptop.log_in(server).sync()
    assert laptop.titles() == ["From the desktop"]


def test_an_app_password_is_created_used_listed_and_revoked(server, laptop):
    laptop.run("add", "Buy milk")
    laptop.sync()
    words = ("token", "add", "phone", "--read-only", "--expires", "90d", "--password-file")
    wrong = laptop.try_(*words, laptop.password_file("not the password"))
    assert wrong.code == 4 and "Nothing was changed" in wrong.err and not wrong.out
    # The wrong password delays the next one by a second.
    created = wait_until(lambda: success(laptop.try_(*words, laptop.password_file())), "it is created")
    secret = created.out.strip()
    assert "phone" in created.err and secret not in created.err and "\n" not in secret
    assert secret.encode() not in b"".join(file.read_bytes() for file in laptop.home.rglob("*") if file.is_file())
    api = server.api
    api.token = secret
    space = json.loads((laptop.home / "session.json").read_text())["identity"]["account"]["personalSpace"]
    assert api.request("GET", f"/v1/spaces/{space}/changes").status == 200
    assert "phone" in laptop.run("token").out and "read-only" in laptop.run("devices").out
    laptop.run("token", "revoke", "phone")
    assert api.request("GET", f"/v1/spaces/{space}/changes").status == 401
    assert "no app passwords" in laptop.run("token").err


def test_a_deleted_account_leaves_the_records_and_the_home_is_free(server, laptop, desktop):
    laptop.run("add", "Buy milk")
    laptop.sync()
    desktop.sync()
    wrong = laptop.try_("unregister", "--password-file", laptop.password_file("not the password"))
    assert wrong.code == 4 and "Nothing was changed" in wrong.err
    # The wrong password delays the next one by a second.
    wait_until(lambda: laptop.try_("unregister", "--password-file", laptop.password_file()).code == 0, "it is deleted")
    assert laptop.titles() == ["Buy milk"] and not (laptop.home / "session.json").exists()
    assert desktop.try_("sync").code == 4
    laptop.register(server, name="grace").sync()
    assert laptop.titles() == ["Buy milk"]
    assert [record["fields"]["title"] for record in server.api.log_in("grace", PASSWORD).records()] == ["Buy milk"]


def test_the_usage_is_shown_if_the_server_can_be_reached(server, laptop):
    laptop.run("add", "Buy milk")
    laptop.sync()
    assert re.search(r"1 of [0-9,]+ records", laptop.run("whoami").out) or "1 record" in laptop.run("whoami").out
    server.stop()
    assert "record" not in laptop.run("whoami").out


# A forgotten password


def one_time_code(server):
    return administer(server, "user", "reset-password", "ada").splitlines()[0]


def test_a_one_time_code_sets_a_new_password_and_unsent_edits_stay(server, laptop, desktop):
    laptop.run("add", "Unsent")
    code = laptop.write("code", one_time_code(server) + "\n")
    reset = ("login", "ada", "--reset", "--code-file", code, "--new-password-file", laptop.password_file("a new password"))
    refused = laptop.try_("login", "ada", "--reset", "--password-file", laptop.password_file("a new password"))
    assert refused.code == 2 and "--new-password-file" in refused.err
    assert "Set the new password" in laptop.run(*reset).err
    laptop.sync()
    assert laptop.titles() == ["Unsent"]
    # Without a sync before. On a busy machine the server's answer may be late.
    wait_until(lambda: "this device was signed out elsewhere" in desktop.run("whoami").out, "whoami shows the end")
    assert desktop.try_("sync").code == 4
    desktop.log_in(server, password="a new password").sync()
    assert desktop.titles() == ["Unsent"]
    result = laptop.try_(*reset)
    assert result.code == 4 and "one-time code is wrong" in result.err and "another code" in result.err
    laptop.sync()


def test_a_one_time_code_works_on_the_page(server, laptop, plain):
    laptop.run("add", "Unsent")
    laptop.run("logout")
    web = Web(laptop)
    plain.open(web.link).open(web.origin + "/login")
    password = {"New password": "a new password"}
    plain.send("reset", Name="ada", Code=one_time_code(server), **password).shows("ada")
    assert "ada" in laptop.run("whoami").out
    laptop.sync()
    assert laptop.titles() == ["Unsent"]


# The owner's limits


def test_over_the_quota_edits_stay_here_and_deletions_make_room(server, laptop, desktop):
    first = laptop.add("First")
    laptop.sync()
    desktop.sync()
    administer(server, "user", "quota", "ada", "--records", "1")
    laptop.run("add", "Second")
    result = laptop.try_("sync")
    assert result.code != 0 and "quota" in result.err and "Unsent edits stay here" in result.err
    status = laptop.run("status").out
    assert "quota is used up" in status and "1 record" in status
    assert "1 of 1 record" in laptop.run("whoami").out
    assert laptop.titles() == ["First", "Second"]
    laptop.run("rm", first)
    laptop.sync()
    desktop.sync()
    assert desktop.titles() == ["Second"]


def test_over_the_quota_the_changes_of_others_are_received(server, laptop, desktop):
    id = laptop.add("First")
    laptop.sync()
    desktop.sync()
    administer(server, "user", "quota", "ada", "--records", "1")
    desktop.run("edit", id, "--title", "Changed")
    desktop.sync()
    laptop.run("add", "Second")
    assert laptop.try_("sync").code != 0
    assert laptop.titles() == ["Changed", "Second"]
    administer(server, "user", "quota", "ada", "--records", "default")
    laptop.sync()
    assert "nothing" in laptop.run("status").out


def test_a_disabled_account_loses_nothing(server, laptop):
    laptop.run("add", "Unsent")
    administer(server, "user", "disable", "ada")
    result = laptop.try_("sync")
    assert result.code != 0 and "disabled this account" in result.err
    administer(server, "user", "enable", "ada")
    laptop.sync()
    assert laptop.titles() == ["Unsent"]
