"""`satcheld backup` and `satcheld restore`: devices send again what a server lost. And removal by age."""

import json
import shutil
import threading

import pytest

from harness import in_step, wait_until
from harness.device import PASSWORD
from harness.environment import PATIENCE

REFUSED = 1


def on_server(server):
    """The fields of the live records, without their order."""
    records = server.api.log_in(password=PASSWORD).records()
    return sorted((record["collection"], record["id"], sorted(record["fields"].items(), key=str)) for record in records)


def contents(export):
    """The records of an export without their versions, which a restore changes."""
    return [(record["collection"], record["id"], record["fields"]) for record in json.loads(export)["records"]]


@pytest.fixture
def tablet(make_device, server, laptop, make_proxy):
    """A third device, behind a separate network (`tablet.proxy`)."""
    device = make_device()
    device.proxy = make_proxy(server)
    device.run("login", "ada", "--server", device.proxy.url, "--password-file", device.password_file())
    return device


@pytest.fixture
def yesterday(server, laptop, desktop, tablet):
    """All devices are in step, a backup is made, and then more edits follow; returns the backup."""
    for title in ["Kept", "Edited", "Edited twice", "Deleted", "Deleted and edited"]:
        laptop.run("add", title)
    in_step(laptop, desktop, tablet)
    backup = server.backup(server.directory / "yesterday")
    ids = {task["fields"]["title"]: task["id"] for task in laptop.records("tasks")}
    laptop.run("edit", ids["Edited"], "due:2031-05-05")
    laptop.run("edit", ids["Edited twice"], "--title", "Edited once")
    laptop.run("rm", ids["Deleted"])
    laptop.run("add", "New on the laptop", "+home")
    laptop.sync()
    desktop.sync()
    desktop.run("edit", ids["Edited twice"], "--title", "Edited by two")
    desktop.run("note", "Note of the desktop", "--body-file", desktop.write("body", "one\ntwo\n"))
    desktop.run("edit", ids["Deleted and edited"], "project:home")
    in_step(laptop, desktop, tablet)
    return backup


TODAY = ["Deleted and edited", "Edited", "Edited by two", "Kept", "New on the laptop"]


def refused(server, file, *words):
    """A restore that must fail, and change nothing."""
    database = server.data / "satchel.sqlite"
    before = database.read_bytes() if database.exists() else None
    names = sorted(path.name for path in server.data.iterdir())
    done = server.command("restore", file)
    assert done.returncode == REFUSED and all(word in done.stderr for word in words), str(done)
    assert "Error" not in done.stderr, "a message for the user"
    assert (database.read_bytes() if database.exists() else None) == before
    assert sorted(path.name for path in server.data.iterdir()) == names


# Backups


def test_a_backup_under_load_holds_everything_that_was_acknowledged_before_it(server, make_server):
    api, done = server.api.register(password=PASSWORD), threading.Event()
    acknowledged = [[] for _ in range(4)]

    def write(number):
        while not done.is_set():
            id = f"w{number}-{len(acknowledged[number])}"
            path = f"/v1/spaces/{api.space}/records/tasks/{id}"
            assert api.request("PUT", path, {"fields": {"title": id}}, If_None_Match="*").status == 201
            acknowledged[number].append(id)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    backups = []
    try:
        for number in range(3):
            wait_until(lambda: all(len(ids) >= 10 * (number + 1) for ids in acknowledged), "more was written")
            before = {id for ids in acknowledged for id in list(ids)}
            backups.append((server.backup(server.directory / f"backup-{number}"), before))
    finally:
        done.set()
        for writer in writers:
            writer.join(PATIENCE)
    assert len(api.records()) == sum(map(len, acknowledged)), "the server continued meanwhile"
    for file, before in backups:
        assert file.stat().st_mode & 0o777 == 0o600
        other = make_server()
        other.restore(file)
        ids = {record["id"] for record in other.api.log_in(password=PASSWORD).records()}
        assert before <= ids
        # The state of one moment: of each writer all records up to one, and nothing after it.
        for number in range(4):
            count = sum(id.startswith(f"w{number}-") for id in ids)
            assert {f"w{number}-{place}" for place in range(count)} <= ids
        other.stop()
    assert not list(server.directory.glob("backup-*-*")), "a backup is one file"


@pytest.mark.sqlite
def test_a_backup_replaces_a_file_only_on_request(server, laptop):
    file = server.directory / "backup"
    file.write_text("mine")
    done = server.command("backup", file)
    assert done.returncode == REFUSED and str(file) in done.stderr and "--force" in done.stderr
    assert file.read_text() == "mine"


@pytest.mark.sqlite
def test_a_backup_never_replaces_a_file_of_a_data_directory(server, laptop, make_server):
    other = make_server().start()
    hard = server.directory / "hard"
    hard.hardlink_to(server.data / "satchel.sqlite")
    soft = server.directory / "soft"
    soft.symlink_to(other.data)
    names = ("satchel.sqlite", "satchel.sqlite-wal", "satcheld.lock", "satchel.reserve", "first-invitation")
    files = [server.data / name for name in names]
    files += [other.data / "satcheld.lock", soft / "satchel.sqlite", hard]
    before = [file.exists() and file.stat().st_ino for file in files]
    for file in files:
        done = server.command("backup", file, "--force")
        assert done.returncode == REFUSED, str(done)
        assert f"{file} is a file of the data directory" in done.stderr and "choose another name" in done.stderr
    assert before == [file.exists() and file.stat().st_ino for file in files]
    laptop.run("add", "Acknowledged")
    laptop.sync()
    server.stop()
    server.start()
    assert [record["fields"]["title"] for record in server.api.log_in(password=PASSWORD).records()] == ["Acknowledged"]


@pytest.mark.sqlite
@pytest.mark.parametrize("words, message", [
    (("backup", "b1", "--store", "foo"), "the store is foo; it should be sqlite"),
    (("backup", "b1", "--store", ""), "the store is empty; it should be sqlite"),
    (("invite", "list", "--store", "foo"), "the store is foo; it should be sqlite"),
    (("restore", "b1", "--mark"), "a backup and --mark exclude each other"),
], ids=lambda words: None if isinstance(words, str) else " ".join(words))
def test_a_wrong_command_line_is_refused_with_exit_code_2(server, words, message):
    done = server.administer(*words)
    assert done.returncode == 2 and message in done.stderr, str(done)
    assert not (server.directory / "b1").exists()


@pytest.mark.sqlite
def test_a_directory_is_no_backup(server, laptop):
    directory = server.directory / "directory"
    directory.mkdir()
    server.stop()
    refused(server, directory, f"{directory} can't be read: it is a directory; name a file")


@pytest.mark.sqlite
def test_a_restore_is_refused_while_the_server_runs(server, laptop):
    backup = server.backup(server.directory / "backup")
    laptop.run("add", "Later")
    laptop.sync()
    refused(server, backup, "another server", str(server.data))
    assert [record["fields"]["title"] for record in server.api.log_in(password=PASSWORD).records()] == ["Later"]


@pytest.mark.sqlite
@pytest.mark.parametrize("make", [
    lambda file, backup, device: None,
    lambda file, backup, device: file.write_bytes(b""),
    lambda file, backup, device: file.write_bytes(b"garbage " * 10_000),
    lambda file, backup, device: file.write_bytes(backup.read_bytes()[:len(backup.read_bytes()) // 2]),
    lambda file, backup, device: shutil.copy(device.home / "satchel.db", file),
    lambda file, backup, device: file.mkdir(),
], ids=["missing", "empty", "garbage", "half of a backup", "a device's cache", "a directory"])
def test_an_invalid_backup_is_refused_and_changes_nothing(server, laptop, make):
    laptop.run("add", "Kept")
    laptop.sync()
    backup, file = server.backup(server.directory / "backup"), server.directory / "bad"
    make(file, backup, laptop)
    server.stop()
    refused(server, file, str(file))
    server.start()
    laptop.sync()
    assert len(on_server(server)) == 1


# Restores


def test_after_a_restore_of_yesterdays_backup_the_devices_send_what_the_server_lost(
        server, laptop, desktop, tablet, yesterday, make_device):
    before, export = on_server(server), laptop.export()
    server.stop()
    server.restore(yesterday)
    assert on_server(server) != before
    said = laptop.sync()
    assert "restored from a backup" in said.out + said.err
    assert "restored" not in laptop.sync().err, "it is reported once"
    in_step(laptop, desktop, tablet)
    assert laptop.titles() == TODAY and laptop.records("conflicts") == []
    assert contents(laptop.export()) == contents(export)
    assert on_server(server) == before
    newcomer = make_device().log_in(server)
    in_step(newcomer, laptop)
    assert newcomer.titles() == TODAY


def test_a_restore_loses_neither_unsent_edits_nor_a_batch_whose_answer_was_lost(server, laptop, desktop, tablet, yesterday):
    ids = {task["fields"]["title"]: task["id"] for task in laptop.records("tasks")}
    laptop.run("add", "Unsent")
    laptop.run("rm", ids["Edited"])
    desktop.run("edit", ids["Kept"], "due:2032-02-02")
    tablet.run("edit", ids["Kept"], "project:garden")
    tablet.run("add", "Sent, but no answer came")
    tablet.proxy.lose_answer("POST", "/changes", times=2)
    assert tablet.try_("sync").code == 5
    tablet.proxy.rules.clear()
    server.stop()
    server.restore(yesterday)
    in_step(tablet, desktop, laptop)
    expected = [title for title in TODAY if title != "Edited"] + ["Sent, but no answer came", "Unsent"]
    assert tablet.titles() == sorted(expected) and tablet.records("conflicts") == []
    fields = tablet.fields(ids["Kept"])
    assert fields["project"] == "garden" and fields["due"].startswith("2032-02-02")


@pytest.mark.sqlite
def test_the_same_old_backup_restored_twice_loses_nothing(server, laptop, desktop, tablet, yesterday):
    for number in range(2):
        server.stop()
        server.restore(yesterday)
        in_step(laptop, desktop, tablet)
        laptop.run("add", f"After restore {number}")
        laptop.sync()
    server.stop()
    server.restore(yesterday)
    # Now a device syncs that has seen nothing of the last two epochs.
    in_step(tablet, desktop, laptop)
    assert laptop.titles() == sorted([*TODAY, "After restore 0", "After restore 1"])
    assert laptop.records("conflicts") == []


@pytest.mark.sqlite
def test_a_directory_that_was_copied_back_by_hand_is_marked_by_restoring_its_own_database(
        server, laptop, desktop, tablet):
    laptop.run("add", "Before")
    in_step(laptop, desktop, tablet)
    server.stop()
    shutil.copytree(server.data, server.directory / "copy")
    server.start()
    laptop.run("rm", laptop.record("Before")["id"])
    laptop.run("add", "After")
    in_step(laptop, desktop, tablet)
    server.stop()
    shutil.rmtree(server.data)
    shutil.copytree(server.directory / "copy", server.data)
    server.restore(server.data / "satchel.sqlite")
    in_step(desktop, tablet, laptop)
    assert laptop.titles() == ["After"] and laptop.records("conflicts") == []


def test_a_backup_restores_into_an_empty_directory(server, laptop, desktop, tablet, yesterday):
    server.stop()
    server.lose_data()
    server.restore(yesterday)
    in_step(laptop, desktop, tablet)
    assert laptop.titles() == TODAY and laptop.records("conflicts") == []


# Who may come in


@pytest.mark.sqlite
def test_a_restore_says_what_it_brings_back_and_devices_signed_out_since_stay_signed_out(server, laptop, desktop, tablet):
    backup = server.backup(server.directory / "backup")
    desktop.run("logout")
    stolen = tablet.home.parent / "stolen"
    stolen.write_bytes((tablet.home / "session.json").read_bytes())
    tablet.run("logout")
    server.api.register("ben")
    server.stop()
    done = server.command("restore", backup)
    assert done.returncode == 0, done.stderr
    assert "stay signed out: " in done.stdout and done.stdout.count("ada's ") == 2
    assert "registered since the backup are gone: ben" in done.stdout
    server.start()
    laptop.run("add", "After")
    laptop.sync()
    (tablet.home / "session.json").write_bytes(stolen.read_bytes())
    assert tablet.try_("sync").code == 4, "its session is not revived"
    server.stop()
    done = server.command("restore", backup, "--backup-access")
    assert "can sync again: " in done.stdout and done.stdout.count("ada's ") == 2
    server.start()
    (tablet.home / "session.json").write_bytes(stolen.read_bytes())
    tablet.sync()


# Removal by age


def test_a_device_that_was_away_for_longer_than_tombstones_are_kept_loses_and_revives_nothing(
        server, laptop, desktop, wrong_clock):
    for title in ["Kept", "Deleted", "Deleted here, edited there", "Deleted there"]:
        laptop.run("add", title)
    in_step(laptop, desktop)
    ids = {task["fields"]["title"]: task["id"] for task in laptop.records("tasks")}
    desktop.run("edit", ids["Kept"], "project:garden")
    desktop.run("edit", ids["Deleted here, edited there"], "due:2031-05-05")
    desktop.run("rm", ids["Deleted there"])
    desktop.run("add", "Made while away")
    laptop.run("rm", ids["Deleted"])
    laptop.run("rm", ids["Deleted here, edited there"])
    laptop.sync()
    server.stop()
    later = wrong_clock("+3d")
    server.start("--tombstone-retention", "1", environment=later)
    wait_until(lambda: "removed old tombstones" in server.log.read_text(), "the server has purged")
    said = desktop.run("sync", environment=later)
    assert "offline for so long" in said.out + said.err, str(said)
    for device in (laptop, desktop, laptop):
        device.run("sync", environment=later)
    assert desktop.titles() == laptop.titles() == ["Deleted here, edited there", "Kept", "Made while away"]
    assert laptop.export() == desktop.export() and laptop.records("conflicts") == []
    assert laptop.fields(ids["Kept"])["project"] == "garden"
    assert laptop.fields(ids["Deleted here, edited there"])["due"].startswith("2031-05-05")


def test_a_server_that_was_started_with_a_clock_far_ahead_signs_no_device_out(server, laptop, desktop, wrong_clock):
    laptop.run("add", "Kept")
    in_step(laptop, desktop)
    server.stop()
    server.start(environment=wrong_clock("+800d"))
    wait_until(lambda: "the clock is far from" in server.log.read_text(), "the server doubts its clock")
    server.stop()
    server.start()
    laptop.run("add", "After")
    in_step(laptop, desktop)
    assert desktop.titles() == ["After", "Kept"]


@pytest.mark.sqlite
def test_a_refused_restore_makes_no_data_directory(make_server):
    server = make_server()
    for file in (server.directory / "missing", __file__):
        done = server.command("restore", file)
        assert done.returncode == REFUSED and str(file) in done.stderr, str(done)
        assert not server.data.exists()
