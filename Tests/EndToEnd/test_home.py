"""Damaged or unusual homes: a message that says what to do, and nothing lost."""

import os
import shutil
import subprocess

from harness import ReadOnly, program
from harness.environment import free_port

DAMAGED = 7


def put_aside(device):
    """The damaged caches of a home, without their logs."""
    return sorted(file for file in device.home.glob("satchel.db.damaged-*") if not file.name.endswith(("-wal", "-shm")))


def checkpoint(device):
    subprocess.run([program("sqlite3"), str(device.home / "satchel.db"), "PRAGMA wal_checkpoint(TRUNCATE)"], check=True,
                   capture_output=True)


def test_a_damaged_cache_is_set_aside_reported_once_and_read_again_from_the_server(laptop):
    laptop.run("add", "On the server")
    laptop.sync()
    cache = laptop.home / "satchel.db"
    for extra in ["-wal", "-shm"]:
        (laptop.home / f"satchel.db{extra}").unlink(missing_ok=True)
    damaged = b"this is no database" * 1_000
    cache.write_bytes(damaged)
    result = laptop.try_("list")
    assert result.code == 0 and "It was moved to" in result.err, str(result)
    [aside] = put_aside(laptop)
    assert str(aside) in result.err and aside.read_bytes() == damaged
    assert laptop.try_("list").err == "", "it is reported once"
    laptop.sync()
    assert laptop.titles() == ["On the server"]
    assert laptop.try_("doctor", "--deep").code == 0


def test_unsent_edits_of_a_damaged_cache_are_saved_and_sent(laptop, desktop):
    laptop.run("add", "On the server")
    laptop.sync()
    laptop.run("add", "Unsent")
    checkpoint(laptop)
    with (laptop.home / "satchel.db").open("r+b") as file:
        file.write(os.urandom(4_096))
    result = laptop.try_("list")
    assert result.code == 0 and "of 1 record were saved" in result.err, str(result)
    assert laptop.titles() == ["Unsent"]
    laptop.sync()
    assert laptop.titles() == ["On the server", "Unsent"]
    desktop.sync()
    assert desktop.titles() == ["On the server", "Unsent"]


def test_a_cache_damaged_in_the_middle_is_reported_and_repaired(laptop, export_file):
    laptop.run("import", "taskwarrior", export_file)
    laptop.sync()
    laptop.run("add", "Unsent")
    checkpoint(laptop)
    before = laptop.titles()
    with (laptop.home / "satchel.db").open("r+b") as file:
        size = (laptop.home / "satchel.db").stat().st_size
        for place in range(size // 2, size // 2 + 20 * 4_096, 8_192):
            file.seek(place)
            file.write(os.urandom(4_096))
    results = [laptop.try_(*command) for command in [("list", "--limit", "3000"), ("export",)]]
    assert any(result.code == DAMAGED for result in results), "\n".join(str(result)[:500] for result in results)
    assert any("Run `doctor --repair`" in result.err for result in results)
    assert laptop.try_("doctor").code == DAMAGED
    result = laptop.try_("doctor", "--repair")
    assert result.code == 0, str(result)
    assert len(put_aside(laptop)) == 1
    laptop.sync()
    assert laptop.titles() == before


def test_a_cache_that_lost_its_records_is_not_exported_before_it_is_filled_again(laptop, server, tmp_path):
    laptop.run("add", "Buy milk")
    laptop.run("sync", "off")
    laptop.sync()
    backup = tmp_path / "backup.json"
    laptop.run("export", "satchel", str(backup))
    before = backup.read_bytes()
    os.truncate(laptop.home / "satchel.db", 20_000)
    result = laptop.try_("export", "satchel", str(backup), "--force")
    assert result.code == DAMAGED and "Nothing was exported" in result.err, str(result)
    assert backup.read_bytes() == before
    [aside] = put_aside(laptop)
    assert str(aside) in laptop.try_("status").out
    laptop.sync()
    assert "put aside" not in laptop.try_("status").out and str(aside) not in laptop.try_("status").out
    laptop.run("export", "satchel", str(backup), "--force")
    assert backup.read_bytes() == before


def test_a_home_on_a_read_only_file_system_can_be_read(device, make_disk):
    disk = make_disk("4m")
    device.home = disk.directory / "satchel"
    id = device.add("Buy milk")
    disk.set_writable(False)
    result = device.try_("list")
    assert result.code == 0 and "Buy milk" in result.out, str(result)
    assert "Buy milk" in device.try_("list", "milk").out
    result = device.try_("rm", id)
    assert result.code == DAMAGED and "can only be read" in result.err, str(result)
    disk.set_writable(True)
    assert device.titles() == ["Buy milk"]


def test_an_empty_cache_file_is_a_new_home(device):
    device.home.mkdir(mode=0o700)
    (device.home / "satchel.db").touch()
    device.run("add", "Begin")
    assert device.titles() == ["Begin"]


def test_a_damaged_session_file_is_reported_and_a_login_repairs_it(laptop, server):
    laptop.run("add", "Unsent")
    (laptop.home / "session.json").write_text("{ not json")
    result = laptop.try_("sync")
    assert result.code == DAMAGED
    assert result.err.count("is damaged") == 1 and result.err.count("`login`") == 1, "one remedy, once"
    doctor = laptop.try_("doctor")
    assert doctor.code == DAMAGED and doctor.out.count("`login`") == 1, doctor.out
    assert laptop.titles() == ["Unsent"], "commands without a session work"
    laptop.log_in(server).sync()


def test_a_home_that_is_a_file_is_reported(device):
    device.home.write_text("a file")
    result = device.try_("list")
    assert result.code == DAMAGED and str(device.home) in result.err and "is a file" in result.err
    assert device.try_("doctor", "--repair").code == DAMAGED


def test_a_cache_of_a_newer_version_is_reported_and_unchanged(device):
    device.run("add", "Something")
    cache = str(device.home / "satchel.db")
    subprocess.run([program("sqlite3"), cache, "INSERT INTO grdb_migrations VALUES ('9999')"], check=True)
    result = device.try_("list")
    assert result.code == DAMAGED and "newer" in result.err


def test_a_restored_copy_of_a_home_syncs_again(laptop, server, make_device):
    """A backup of the client's home is restored: it is behind, and catches up."""
    laptop.run("add", "One")
    laptop.sync()
    backup = laptop.directory / "backup"
    shutil.copytree(laptop.home, backup)
    laptop.run("add", "Two")
    laptop.sync()
    shutil.rmtree(laptop.home)
    backup.rename(laptop.home)
    laptop.run("add", "Three")
    laptop.sync()
    assert laptop.titles() == ["One", "Three", "Two"]


def test_a_reading_command_says_that_its_home_is_new(device):
    first = device.run("list")
    assert f"The home {device.home} is new and empty." in first.err.replace("\n", " "), str(first)
    device.run("add", "Begin")
    assert "is new" not in device.run("list").err


def test_a_home_is_created_by_the_first_command_that_stores_something(device):
    for command in ["list", "search milk", "status", "lsit", "done 1", "show 2", "edit 1 due:friday", "undo", "help"]:
        device.try_(*command.split())
        assert not device.home.exists(), command
    device.run("add", "Begin")
    assert device.titles() == ["Begin"]


def test_a_first_command_that_fails_leaves_no_home_behind(device):
    password = device.password_file()
    nowhere = f"http://127.0.0.1:{free_port()}"
    for command in [("add", "Milk", "due:nodate"), ("add", "due:tomorrow"), ("note", "Plan", "--body-file", "missing"),
                    ("login", "ada", "--server", nowhere, "--password-file", password),
                    ("register", "ada", "--server", nowhere, "--password-file", password)]:
        result = device.try_(*command)
        assert result.code != 0 and not device.home.exists(), str(result)
    device.home.mkdir(mode=0o700)
    device.try_("add", "Milk", "due:nodate")
    assert device.home.is_dir(), "a directory that the user has made stays"
    device.run("add", "Milk")
    assert device.try_("add", "Bread", "due:nodate").code == 2
    assert device.titles() == ["Milk"]


def test_a_read_only_home_is_named_and_numbers_last_for_one_command(device):
    device.run("add", "Something")
    with ReadOnly(device.home):
        assert "Something" in device.run("list").out
        result = device.try_("show", "1")
        assert result.code == 3 and "beginning of the id" in result.err, str(result)
        assert "can only be read" in device.run("status").out
        doctor = device.try_("doctor")
        assert doctor.code == DAMAGED and "can only be read" in doctor.out, str(doctor)
