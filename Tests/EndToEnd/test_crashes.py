"""Either side is killed during a push of 3,000 records: nothing is lost, nothing is doubled."""

import shutil
import threading
import time

import pytest

from harness import taskwarrior, wait_until
from harness.api import task
from harness.device import PASSWORD, Device
from harness.environment import PATIENCE

COUNT = 3_000


@pytest.fixture(scope="session")
def imported(tmp_path_factory):
    """A home with 3,000 records that were never synced. It is only copied: an import takes longer than most of these tests."""
    device = Device(tmp_path_factory.mktemp("imported"))
    device.run("import", "taskwarrior", device.write("tasks.json", taskwarrior.text(taskwarrior.export(COUNT))))
    return device.home


@pytest.fixture
def loaded(make_device, server, make_proxy, imported):
    """A signed-in device with 3,000 unsent records, and its network."""
    proxy = make_proxy(server)
    device = make_device()
    shutil.copytree(imported, device.home)
    device.run("register", "ada", "--server", proxy.url, "--password-file", device.password_file())
    return device, proxy


def check(device, server, make_device):
    """Checks that the device, the server and a fresh device hold the same 3,000 records."""
    device.sync()
    records = server.api.log_in(password=PASSWORD).records()
    assert len(records) == COUNT
    assert len({record["id"] for record in records}) == COUNT
    assert {record["id"] for record in records} == {exported["uuid"] for exported in taskwarrior.export(COUNT)}
    assert max(record["version"] for record in records) == COUNT, "no mutation was applied twice"
    fresh = make_device().log_in(server)
    fresh.sync()
    assert fresh.export() == device.export()
    assert len(fresh.records("tasks")) == COUNT and fresh.records("conflicts") == []


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_the_server_is_killed_before_it_sees_a_batch(loaded, server, make_device, batch):
    device, proxy = loaded
    proxy.pass_on("POST", "/changes", times=batch - 1)
    proxy.before("POST", "/changes", server.kill)
    assert device.try_("sync").code == 5
    server.start()
    check(device, server, make_device)


@pytest.mark.parametrize("delay", [0, 0.01, 0.03, 0.1, 0.2, 0.4])
def test_the_server_is_killed_while_it_processes_a_batch(loaded, server, make_device, delay):
    device, proxy = loaded
    killer = threading.Timer(delay, server.kill)
    proxy.pass_on("POST", "/changes")
    proxy.before("POST", "/changes", killer.start)
    device.try_("sync")
    killer.join(PATIENCE)
    server.start()
    check(device, server, make_device)


@pytest.mark.parametrize("batch", [1, 3])
def test_the_client_is_killed_when_the_server_has_acted_on_a_batch(loaded, server, make_device, batch):
    device, proxy = loaded
    proxy.pass_on("POST", "/changes", times=batch - 1)
    proxy.hold_answer("POST", "/changes")
    process = device.start("sync")
    # The client is killed after the server has acted: its answer never arrives.
    wait_until(lambda: len(server.api.log_in(password=PASSWORD).records()) == batch * 1_000, "the server has acted")
    process.kill()
    process.wait(timeout=PATIENCE)
    check(device, server, make_device)


@pytest.mark.parametrize("delay", [0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6])
def test_the_client_is_killed_at_any_moment(loaded, server, make_device, delay):
    device, _ = loaded
    process = device.start("sync")
    time.sleep(delay)
    process.kill()
    process.wait(timeout=PATIENCE)
    check(device, server, make_device)


def test_the_answer_of_a_push_is_lost_and_it_is_sent_again_unchanged_and_applied_once(loaded, server, make_device):
    device, proxy = loaded
    # Twice, since libcurl sends a request again when a reused connection was closed meanwhile.
    proxy.lose_answer("POST", "/changes", times=2)
    device.try_("sync")
    device.try_("sync")
    check(device, server, make_device)
    first, second, third = proxy.received("POST", "/changes")[:3]
    assert first.body == second.body == third.body

    def key(request):
        return [line for line in request.head.lower().split(b"\r\n") if line.startswith(b"idempotency-key:")]

    assert key(first) == key(second) == key(third) != []


def test_the_answer_is_lost_the_server_restarts_and_an_edit_was_made_meanwhile(loaded, server, make_device):
    device, proxy = loaded
    first = taskwarrior.export(1)[0]["uuid"]
    proxy.lose_answer("POST", "/changes")
    device.try_("sync")
    device.run("edit", first, "--title", "Edited while in flight")
    server.kill()
    server.start()
    device.sync()
    fresh = make_device().log_in(server)
    fresh.sync()
    assert fresh.fields(first)["title"] == "Edited while in flight"
    assert len(fresh.records("tasks")) == COUNT and fresh.records("conflicts") == []
    assert fresh.export() == device.export()


def test_the_client_is_killed_during_a_first_sync(loaded, server, make_device):
    laptop, _ = loaded
    laptop.sync()
    desktop = make_device().log_in(server)
    for delay in [0.02, 0.05, 0.1, 0.2, 0.4]:
        process = desktop.start("sync")
        time.sleep(delay)
        process.kill()
        process.wait(timeout=PATIENCE)
    desktop.sync()
    assert desktop.export() == laptop.export()


def test_an_import_that_is_killed_is_complete_or_has_no_effect(make_device, export_file):
    for delay in [0.05, 0.1, 0.2, 0.3, 0.5]:
        device = make_device()
        process = device.start("import", "taskwarrior", export_file)
        time.sleep(delay)
        process.kill()
        process.wait(timeout=PATIENCE)
        assert len(device.records()) in (0, COUNT)
    device.run("import", "taskwarrior", export_file)
    assert len(device.records()) == COUNT


def test_a_machine_that_lost_power_keeps_what_the_server_acknowledged(loaded, server, make_device):
    """What was acknowledged is in the database after SIGKILL, at any time in a series of single edits."""
    api = server.api.log_in(password=PASSWORD)
    acknowledged = []

    def write():
        for number in range(10_000):
            try:
                if api.push({"mutations": [task(f"n{number}")]}).status != 200:
                    return
            except OSError:
                return
            acknowledged.append(f"n{number}")

    writer = threading.Thread(target=write)
    writer.start()
    wait_until(lambda: len(acknowledged) > 50, "fifty are acknowledged")
    server.kill()
    writer.join(PATIENCE)
    server.start()
    kept = {record["id"] for record in api.records()}
    assert set(acknowledged) <= kept and len(kept) <= len(acknowledged) + 1
