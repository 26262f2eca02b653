"""Homes that are damaged, read-only or full: a message that says what to do, and nothing lost."""

import os
import shutil
import subprocess

import pytest

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


@pytest.fixture
def mounted(tmp_path):
    """Mounts a small file system on a directory; only root can."""
    directories = []

    def mount(size):
        directory = tmp_path / f"mounted-{len(directories)}"
        directory.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(directory)], capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip(f"a file system can't be mounted here: {done.stderr.strip()}")
        directories.append(directory)
        return directory

    yield mount
    for directory in directories:
        subprocess.run(["umount", "-l", str(directory)], check=False)


def test_a_full_disk_is_told_keeps_what_was_there_and_works_again_afterwards(device, mounted):
    directory = mounted("4m")
    device.home = directory / "satchel"
    device.run("add", "Before")
    with (directory / "filler").open("wb") as filler:
        try:
            while filler.write(b"x" * 65_536):
                filler.flush()
        except OSError:
            pass
    body = device.write("body", "x" * 250_000)
    results = [device.try_("note", f"Note {number}", "--body-file", body) for number in range(20)]
    kept = [f"Note {number}" for number, result in enumerate(results) if result.code == 0]
    result = results[-1]
    assert result.code == 1 and ("full" in result.err or "space" in result.err), str(result)
    (directory / "filler").unlink()
    assert sorted(record["fields"]["title"] for record in device.records()) == sorted(["Before", *kept])
    device.run("add", "After")


def test_a_server_whose_disk_is_full_says_so_without_internals_and_recovers(make_server, mounted):
    server = make_server()
    directory = mounted("8m")
    server.data = directory / "data"
    server.start()
    api = server.api.register()
    filler = directory / "filler"
    with filler.open("wb") as file:
        try:
            while file.write(b"x" * 65_536):
                file.flush()
        except OSError:
            pass

    def push(id):
        return api.push({"mutations": [{"collection": "tasks", "id": id, "base": 0, "at": "019350000000-0000-x",
                                        "set": {"title": "x" * 900_000}}]})

    answer = push("one")
    assert answer.status in (500, 503, 507)
    assert "sqlite" not in answer.body.decode().lower()
    assert api.request("GET", "/healthz").status == 200
    filler.unlink()
    assert push("two").status == 200
    assert [record["id"] for record in api.records()] == ["two"]


def test_a_read_only_home_can_be_told_apart(device, mounted):
    directory = mounted("4m")
    device.home = directory / "satchel"
    device.run("add", "Before")
    subprocess.run(["mount", "-o", "remount,ro", str(directory)], check=True)
    result = device.try_("add", "After")
    assert result.code == 1 and str(device.home) in result.err, str(result)
    subprocess.run(["mount", "-o", "remount,rw", str(directory)], check=True)
    assert device.titles() == ["Before"]


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
