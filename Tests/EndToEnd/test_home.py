"""Homes that are damaged or odd: a message that says what to do, and nothing lost."""

import os
import shutil
import subprocess

DAMAGED = 7


def test_a_damaged_cache_is_told_and_stays_for_rescue(laptop, server, make_device):
    laptop.run("add", "On the server")
    laptop.sync()
    cache = laptop.home / "satchel.db"
    for extra in ["-wal", "-shm"]:
        (laptop.home / f"satchel.db{extra}").unlink(missing_ok=True)
    damaged = b"this is no database" * 1_000
    cache.write_bytes(damaged)
    result = laptop.try_("list")
    assert result.code == DAMAGED and str(cache) in result.err
    assert cache.read_bytes() == damaged
    # The way on that the message tells: move it away, sign in, sync.
    assert "mv " in result.err or "move" in result.err.lower()
    cache.rename(laptop.home / "damaged.db")
    laptop.log_in(server).sync()
    assert laptop.titles() == ["On the server"]


def test_a_cache_damaged_in_the_middle_is_told_and_no_crash(laptop, export_file):
    laptop.run("import", "taskwarrior", export_file)
    cache = laptop.home / "satchel.db"
    subprocess.run(["sqlite3", str(cache), "PRAGMA wal_checkpoint(TRUNCATE)"], check=False, capture_output=True)
    with cache.open("r+b") as file:
        size = cache.stat().st_size
        for place in range(8_192, size - 4_096, 8_192):
            file.seek(place)
            file.write(os.urandom(2_048))
    results = [laptop.try_(*command) for command in [("list", "--limit", "3000"), ("export",), ("sync",)]]
    assert any(result.code == DAMAGED for result in results), "\n".join(str(result)[:500] for result in results)
    for result in results:
        assert result.code >= 0, "it crashed"


def test_an_empty_cache_file_is_a_new_home(device):
    device.home.mkdir(mode=0o700)
    (device.home / "satchel.db").touch()
    device.run("add", "Begin")
    assert device.titles() == ["Begin"]


def test_a_damaged_session_file_is_told_and_a_log_in_mends_it(laptop, server):
    laptop.run("add", "Unsent")
    (laptop.home / "session.json").write_text("{ not json")
    result = laptop.try_("sync")
    assert result.code != 0 and result.err
    assert laptop.titles() == ["Unsent"], "what needs no session works"
    laptop.log_in(server).sync()


def test_a_home_that_is_a_file_is_told(device):
    device.home.write_text("a file")
    result = device.try_("list")
    assert result.code == 1 and str(device.home) in result.err


def test_a_cache_of_a_newer_version_is_told_and_left_alone(device):
    device.run("add", "Something")
    cache = str(device.home / "satchel.db")
    subprocess.run(["sqlite3", cache, "INSERT INTO grdb_migrations VALUES ('9999')"], check=True)
    result = device.try_("list")
    assert result.code == DAMAGED and "newer" in result.err


def test_a_restored_copy_of_a_home_syncs_again(laptop, server, make_device):
    """A backup of the client's home comes back: it is behind, and catches up."""
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
