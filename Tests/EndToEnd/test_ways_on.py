"""No dead ends: from every state of a session or a cache the user can continue without losing unsent edits."""

import json
import subprocess

from harness import program
from harness.device import PASSWORD
from harness.environment import PATIENCE

SIGNED_OUT = 4
DAMAGED = 7


def revoke(device, by):
    """Signs a device out from another one."""
    device.run("add", "Marker of " + device.directory.name)
    device.sync()
    by.sync()
    by.run("devices", "--revoke", by.record("Marker of " + device.directory.name)["modifiedBy"])


def test_a_revoked_device_signs_in_again_and_sends_its_unsent_edits(server, laptop, desktop):
    revoke(laptop, by=desktop)
    laptop.run("add", "Unsent")
    result = laptop.try_("sync")
    assert result.code == SIGNED_OUT and "login" in result.err, str(result)
    assert laptop.try_("list").err == "", "it is not reported by every command"
    laptop.log_in(server).sync()
    desktop.sync()
    assert "Unsent" in desktop.titles()
    assert laptop.try_("doctor", "--deep").code == 0


def test_a_password_changed_elsewhere_is_reported_and_the_new_one_works(server, laptop, desktop):
    laptop.run("add", "Unsent")
    new = desktop.directory / "new"
    new.write_text("another password\n")
    desktop.run("password", "--current-file", desktop.password_file(PASSWORD), "--new-file", new)
    result = laptop.try_("sync")
    assert result.code == SIGNED_OUT and "password was changed" in result.err, str(result)
    laptop.log_in(server, password="another password").sync()
    desktop.sync()
    assert desktop.titles() == ["Unsent"]


def test_the_doctor_reports_every_state(server, laptop):
    laptop.run("add", "One")
    assert laptop.try_("doctor").code == 0, "unsent edits are no fault"
    laptop.sync()
    result = laptop.try_("doctor", "--deep")
    assert result.code == 0 and "broken" not in result.out, str(result)
    server.stop()
    result = laptop.try_("doctor", "--deep")
    assert result.code == 0 and "can't be reached" in result.out, str(result)


def test_the_doctor_finds_and_repairs_manual_damage(laptop):
    for title in ["One", "Two", "Three"]:
        laptop.run("add", title)
    laptop.sync()
    laptop.run("add", "Unsent")
    cache = str(laptop.home / "satchel.db")
    sql = """
        UPDATE records SET fields = json_set(fields, '$.title', 'Wrong') WHERE fields ->> '$.title' = 'One';
        DELETE FROM records WHERE fields ->> '$.title' = 'Two';
        UPDATE outbox SET edits = 0;
        DELETE FROM search_stale;
    """
    subprocess.run([program("sqlite3"), cache, sql], check=True)
    result = laptop.try_("doctor", "--deep")
    assert result.code == DAMAGED, str(result)
    for name in ["outbox", "sync", "compare"]:
        assert any("broken" in line and name in line for line in result.out.splitlines()), str(result)
    assert laptop.titles() == ["Three", "Unsent", "Wrong"], "a check changes nothing"
    result = laptop.try_("doctor", "--repair", "--deep")
    assert result.code == 0, str(result)
    assert laptop.titles() == ["One", "Three", "Two", "Unsent"]


def test_the_doctor_works_with_json_lines(laptop):
    laptop.run("add", "One")
    laptop.sync()
    with laptop.start("--view", "json") as process:
        out, _ = process.communicate(b'{"id": 1, "verb": "doctor", "arguments": {"deep": true}}\n', timeout=PATIENCE)
    states = [json.loads(line) for line in out.splitlines()]
    assert any('"compare"' in json.dumps(state) for state in states), out


def test_a_file_set_aside_can_be_read_again(laptop):
    laptop.run("add", "Unsent")
    aside = laptop.directory / "aside.db"
    subprocess.run([program("sqlite3"), str(laptop.home / "satchel.db"), f"VACUUM INTO '{aside}'"], check=True)
    id = laptop.record("Unsent")["id"]
    laptop.run("rm", id)
    result = laptop.try_("doctor", "--salvage", aside)
    assert result.code == 0 and "1 of them were missing here" in result.err, str(result)
    assert laptop.titles() == ["Unsent"]
