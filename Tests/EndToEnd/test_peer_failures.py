"""Failures of other products that lost edits or blocked a device; each test names the product and what happened."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import in_step, wait_until
from harness.device import PASSWORD
from harness.environment import PATIENCE

UNREACHABLE = 5


@pytest.fixture
def shared(laptop, desktop):
    """A task that both devices have; returns its id."""
    laptop.run("add", "Buy milk")
    in_step(laptop, desktop)
    return laptop.record("Buy milk")["id"]


@pytest.fixture
def proxied(server, laptop, make_proxy, make_device):
    """A second device of the account, behind a separate network."""
    proxy, device = make_proxy(server), make_device()
    device.run("login", "ada", "--server", proxy.url, "--password-file", device.password_file())
    return device, proxy


def test_the_server_applied_the_push_and_the_client_died_before_the_answer(proxied, server, laptop):
    """taskd: the client had no sync key for what the server already held; every later sync failed."""
    device, proxy = proxied
    device.run("add", "Sent before the crash")
    proxy.hold_answer("POST", "/changes")
    syncing = device.start("sync")
    api = server.api.log_in(password=PASSWORD)
    wait_until(api.records, "the server has acted")
    syncing.kill()
    syncing.wait(timeout=PATIENCE)
    device.run("add", "Made after the crash")
    for _ in range(3):
        device.sync()
    in_step(device, laptop)
    assert laptop.titles() == ["Made after the crash", "Sent before the crash"]
    assert len(api.records()) == 2 and laptop.records("conflicts") == []


@pytest.mark.parametrize("harm", ["lose_request", "lose_answer"])
def test_a_first_upload_that_failed_is_repeated_by_the_next_sync(proxied, server, laptop, harm):
    """taskd: a first upload failed; the next sync said "no changes", with nothing on the server."""
    device, proxy = proxied
    for number in range(3):
        device.run("add", f"Task {number}")
    # Twice, since libcurl sends a request again on a reused connection.
    getattr(proxy, harm)("POST", "/changes", times=2)
    assert device.try_("sync").code == UNREACHABLE
    assert "unsent     3 records" in device.run("status").out
    said = device.sync()
    assert "sent 3" in said.out + said.err
    assert len(server.api.log_in(password=PASSWORD).records()) == 3


def test_a_server_that_lost_its_records_gets_them_back_from_clients_that_had_nothing_to_send(server, laptop, desktop):
    """Kinto: 4,025 of 10,000 records were not restored after the server had lost its data; the sync reported success."""
    backup = server.backup(server.directory / "without a record")
    for number in range(30):
        laptop.run("add", f"laptop {number}")
        desktop.run("add", f"desktop {number}")
    in_step(laptop, desktop)
    before = laptop.titles()
    server.stop()
    server.lose_data()
    server.restore(backup)
    in_step(laptop, desktop)
    assert laptop.titles() == before
    titles = sorted(record["fields"]["title"] for record in server.api.log_in(password=PASSWORD).records())
    assert titles == before and laptop.records("conflicts") == []


def test_a_server_that_lost_everything_is_restored_after_registering_again(server, laptop, desktop, shared):
    """Kinto, again: the accounts are lost as well. Devices must be able to continue with what they hold."""
    laptop.run("add", "Unsent")
    server.stop()
    server.lose_data()
    server.start()
    assert laptop.try_("sync").code == 4
    laptop.register(server)
    laptop.sync()
    desktop.log_in(server)
    in_step(laptop, desktop)
    assert desktop.titles() == ["Buy milk", "Unsent"]


def test_a_client_killed_while_syncing_leaves_no_false_conflicts(laptop, desktop, export_file):
    """vdirsyncer: killed while syncing, it reported 61 false conflicts."""
    laptop.run("import", "taskwarrior", export_file)
    laptop.sync()
    for delay in (0.05, 0.15, 0.3, 0.5):
        syncing = desktop.start("sync")
        timer = threading.Timer(delay, syncing.kill)
        timer.start()
        syncing.wait(timeout=PATIENCE)
        timer.cancel()
    for id in [task["id"] for task in desktop.records("tasks")[:20]]:
        desktop.run("edit", id, "project:moved")
    syncing = desktop.start("sync")
    syncing.kill()
    syncing.wait(timeout=PATIENCE)
    in_step(laptop, desktop)
    assert len(laptop.records("tasks")) == 3_000 and laptop.records("conflicts") == []


def test_a_title_changed_on_one_device_and_a_due_date_on_the_other_are_both_kept(laptop, desktop, shared):
    """Anki, Kinto's PUT, vdirsyncer: whole records replace each other; one of the two edits was lost."""
    laptop.run("edit", shared, "--title", "Buy oat milk")
    desktop.run("edit", shared, "due:2031-05-05")
    in_step(laptop, desktop)
    fields = laptop.fields(shared)
    assert fields["title"] == "Buy oat milk" and fields["due"].startswith("2031-05-05")
    assert laptop.records("conflicts") == []


def append(device, id, line, **how):
    body = device.fields(id).get("body", "")
    device.run("edit", id, "--body-file", device.write("body", body + line + "\n"), **how)


def test_two_devices_append_a_line_to_the_same_body_and_both_are_kept(laptop, desktop, shared):
    """All products except those with CRDT texts: the later body replaced the earlier one."""
    append(laptop, shared, "first")
    in_step(laptop, desktop)
    append(laptop, shared, "from the laptop")
    append(desktop, shared, "from the desktop")
    in_step(laptop, desktop)
    lines = laptop.fields(shared)["body"].splitlines()
    assert lines[0] == "first" and {"from the laptop", "from the desktop"} <= set(lines)


def test_edits_in_the_same_second_are_both_kept(laptop, desktop, shared, wrong_clock):
    """Taskwarrior: annotations are keyed by their second; of two in the same second, one was lost."""
    same = wrong_clock("@2026-06-01 12:00:00")
    for device, name in [(laptop, "laptop"), (desktop, "desktop")]:
        device.run("annotate", shared, f"from the {name}", environment=same)
        append(device, shared, f"line of the {name}", environment=same)
        device.run("tag", shared, f"+{name}", environment=same)
    in_step(laptop, desktop)
    fields = laptop.fields(shared)
    assert {remark["description"] for remark in fields["annotations"]} == {"from the laptop", "from the desktop"}
    assert {"line of the laptop", "line of the desktop"} <= set(fields["body"].splitlines())
    assert {"laptop", "desktop"} <= set(fields["tags"])


def test_a_reader_that_follows_the_cursor_misses_nothing_of_16_writers(server):
    """PocketBase: a cursor by time skipped 1 to 3 of 100 records of 16 writers that committed in another order."""
    api = server.api.register()
    # A session may have 8 running requests, and one may still run for a moment after its answer.
    sessions = [api] + [server.api.log_in() for _ in range(3)]
    done = threading.Event()

    def write(writer):
        api, versions = sessions[writer % len(sessions)], {}
        for number in range(25):
            id = f"w{writer}-{number}"
            path = f"/v1/spaces/{api.space}/records/tasks/{id}"
            made = api.request("PUT", path, {"fields": {"title": id}}, If_None_Match="*")
            assert made.status == 201, made
            versions[id] = made.headers["etag"]
            if number % 5 == 0:
                again = api.request("PUT", path, {"fields": {"title": "again"}}, If_Match=versions[id])
                assert again.status == 200, again
                versions[id] = again.headers["etag"]
        return versions

    def follow():
        """Polls while the writers run, and once more afterwards."""
        seen, query = {}, "?limit=7"
        while True:
            was_done = done.is_set()
            answer = api.pull(query)
            assert answer.status == 200, answer
            page = answer.json
            for record in page["records"]:
                assert record["version"] > seen.get(record["id"], 0), "a version was sent twice"
                seen[record["id"]] = record["version"]
            query = f"?since={page['cursor']}&limit=7"
            if was_done and not page["more"]:
                return {id: f'"{version}"' for id, version in seen.items()}

    with ThreadPoolExecutor(18) as pool:
        readers = [pool.submit(follow) for _ in range(2)]
        writers = [pool.submit(write, number) for number in range(16)]
        try:
            written = {id: tag for writer in writers for id, tag in writer.result().items()}
        finally:
            done.set()
        for reader in readers:
            assert reader.result() == written


@pytest.mark.parametrize("edits_first", [True, False], ids=["edited before", "edited after"])
def test_a_deletion_does_not_win_over_an_edit_in_any_order_of_syncs(laptop, desktop, shared, edits_first):
    """Anki: a deletion won over a later edit."""
    steps = [(laptop, ("rm", shared)), (desktop, ("edit", shared, "due:2031-05-05"))]
    for device, words in reversed(steps) if edits_first else steps:
        device.run(*words)
    in_step(laptop, desktop)
    fields = laptop.fields(shared)
    assert fields["title"] == "Buy milk" and fields["due"].startswith("2031-05-05")


@pytest.mark.parametrize("deletes_first", [True, False], ids=["deletion syncs first", "edit syncs first"])
def test_a_deletion_that_an_edit_reverts_is_reported(laptop, desktop, shared, deletes_first):
    """vdirsyncer: a deletion was reverted silently."""
    laptop.run("rm", shared)
    desktop.run("edit", shared, "due:2031-05-05")
    for device in [laptop, desktop] if deletes_first else [desktop]:
        device.sync()
    assert "Restored 1 record that you deleted" in laptop.sync().err


def test_a_deletion_without_a_concurrent_edit_is_kept(laptop, desktop, shared):
    """vdirsyncer: a deleted item returned."""
    laptop.run("rm", shared)
    desktop.run("add", "Something else")
    in_step(laptop, desktop)
    assert laptop.titles() == ["Something else"]


def test_a_value_overwritten_on_the_same_field_is_reported_on_both_devices(laptop, desktop, shared):
    """All that merge fields: the later value replaced the earlier one silently."""
    laptop.run("edit", shared, "--title", "Buy oat milk")
    desktop.run("edit", shared, "--title", "Buy rice milk")
    laptop.sync()
    said = desktop.sync()
    assert "conflict" in said.out + said.err
    in_step(laptop, desktop)
    for device in (laptop, desktop):
        out = device.run("conflicts").out
        assert "Buy oat milk" in out and "Buy rice milk" in out
        assert "conflicts  1" in device.run("status").out
