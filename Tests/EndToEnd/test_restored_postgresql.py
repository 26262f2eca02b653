"""A PostgreSQL with earlier data: what servers can't notice, the owner marks, and devices send what is missing."""

import pytest

from harness import ClusterDatabase, in_step

# What servers compare to notice another history of the database (Fence.swift).
HISTORY = """SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)"""


def epoch(cluster):
    return cluster.sql("SELECT value FROM meta WHERE name = 'epoch'")[0]


def last_version(cluster):
    return int(cluster.sql("SELECT max(version) FROM spaces")[0])


@pytest.mark.parametrize("words", [[], ["--backup-access"]], ids=["signed-out", "backup-access"])
def test_devices_send_what_a_copy_lacks_that_was_started_without_recovery_and_marked(
        make_cluster, make_servers, make_device, words):
    original = make_cluster().start()
    [server] = make_servers(ClusterDatabase(original), 1)
    laptop = make_device().register(server)
    desktop = make_device().log_in(server)
    laptop.run("add", "In the copy")
    in_step(laptop, desktop)
    copy = make_cluster(original, is_standby=False)
    laptop.run("add", "Not in the copy")
    in_step(laptop, desktop)
    before = {"history": original.sql(HISTORY), "epoch": epoch(original), "version": last_version(original)}
    server.stop()
    original.kill()
    copy.start()
    # Neither PostgreSQL nor a server could tell it from the original; that is why the owner has to mark it.
    assert copy.sql(HISTORY) == before["history"] and epoch(copy) == before["epoch"]
    assert last_version(copy) < before["version"]
    server.database = ClusterDatabase(copy)
    done = server.administer("restore", "--mark", *words)
    assert done.returncode == 0, done.stderr
    assert epoch(copy) != before["epoch"]
    assert last_version(copy) > before["version"], "no version is assigned twice"
    server.start()
    desktop.run("add", "Made later")
    if not words:
        assert "`login` again" in laptop.try_("sync").err
        laptop.log_in(server)
        desktop.log_in(server)
    in_step(laptop, desktop)
    in_step(desktop, laptop)
    assert laptop.titles() == desktop.titles() == ["In the copy", "Made later", "Not in the copy"]
    assert laptop.records("conflicts") == desktop.records("conflicts") == []
