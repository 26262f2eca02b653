"""Three devices on a network that drops, delays, cuts, resets, repeats and discards."""

import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import Fate, in_step
from harness.device import PASSWORD
from harness.environment import PATIENCE

UNREACHABLE = 5


@pytest.fixture
def devices(server, make_device, make_bad_network):
    """Three devices of one account, and their network."""
    network = make_bad_network(server)
    first = make_device()
    first.run("register", "ada", "--server", network.url, "--password-file", first.password_file())
    others = [make_device() for _ in range(2)]
    for device in others:
        device.run("login", "ada", "--server", network.url, "--password-file", device.password_file())
    return network, [first, *others]


def sync_until_done(device):
    """Syncs until it succeeds; every failure must be reported as one of the network."""
    for _ in range(100):
        result = device.try_("sync")
        if result.code == 0:
            return
        assert result.code == UNREACHABLE and result.err, str(result)
    raise AssertionError("a hundred syncs without success")


def test_all_devices_converge_and_nothing_is_lost_or_duplicated(devices, server):
    network, all_devices = devices
    all_devices[0].run("add", "Shared")
    in_step(*all_devices)
    shared = all_devices[0].record("Shared")["id"]
    network.be_bad()

    def use(name, device):
        for number in range(6):
            device.run("add", f"{name} {number}")
            device.run("annotate", shared, f"{name} {number}")
            device.run("tag", shared, f"+{name}{number}")
            sync_until_done(device)

    with ThreadPoolExecutor(3) as pool:
        for work in [pool.submit(use, f"device{number}", device) for number, device in enumerate(all_devices)]:
            work.result()
    # In step on the bad network, not only after its faults have ended.
    for _ in range(3):
        for device in all_devices:
            sync_until_done(device)
    exports = [device.export() for device in all_devices]
    assert exports[0] == exports[1] == exports[2]
    assert network.cuts > 0, "the network did no harm"
    network.be(Fate())
    in_step(*all_devices)
    names = [f"device{device} {number}" for device in range(3) for number in range(6)]
    fields = all_devices[0].fields(shared)
    assert all_devices[0].titles() == sorted([*names, "Shared"])
    assert sorted(remark["description"] for remark in fields["annotations"]) == names
    assert sorted(fields["tags"]) == sorted(name.replace(" ", "") for name in names)
    assert all_devices[0].records("conflicts") == []
    assert len(server.api.log_in(password=PASSWORD).records()) == len(names) + 1


@pytest.mark.parametrize("fate", [
    Fate(request_bytes=0), Fate(request_bytes=200), Fate(request_bytes=900), Fate(answer_bytes=0), Fate(answer_bytes=30),
    Fate(answer_bytes=250)], ids=lambda fate: f"after {fate.request_bytes} or {fate.answer_bytes}")
@pytest.mark.parametrize("reset", [False, True], ids=["ended", "reset"])
def test_a_connection_that_is_cut_anywhere_is_reported_and_recovered(devices, server, fate, reset):
    network, (device, other, _) = devices
    device.run("add", "Unsent", "and", "long" * 200)
    network.be(Fate(fate.request_bytes, fate.answer_bytes, reset=reset))
    result = device.try_("sync")
    assert result.code == UNREACHABLE and result.err and not result.out, str(result)
    assert network.cuts > 0
    network.be(Fate())
    in_step(device, other)
    assert len(other.titles()) == 1
    assert max(record["version"] for record in server.api.log_in(password=PASSWORD).records()) == 1


def test_requests_that_arrive_twice_act_once(devices, server):
    network, (device, other, _) = devices
    network.be(Fate(twice=True))
    for number in range(5):
        device.run("add", f"Task {number}")
        # While the first of the two runs, the second is refused, and the other way round: then it is sent again.
        sync_until_done(device)
    network.be(Fate())
    in_step(device, other)
    assert len(other.titles()) == 5
    assert max(record["version"] for record in server.api.log_in(password=PASSWORD).records()) == 5


def test_a_slow_network_only_takes_longer(devices, export_file):
    network, (device, other, _) = devices
    device.run("import", "taskwarrior", export_file)
    network.be(Fate(delay=0.01))
    in_step(device, other)
    assert len(other.records("tasks")) == 3_000


@pytest.fixture
def hasty_clock(wrong_clock):
    """The environment of a process for which time passes 36 times as fast, including its time limits."""
    return {**wrong_clock("+0 x36"), "FAKETIME_DONT_FAKE_MONOTONIC": "0"}


def test_a_sync_without_an_answer_ends_by_its_own_time_limit_and_keeps_unsent_edits(devices, hasty_clock):
    network, (device, other, _) = devices
    device.run("add", "Unsent")
    network.be(Fate(silent=True))
    result = device.try_("sync", environment=hasty_clock)
    assert result.code == UNREACHABLE and f"The server {network.url} didn't answer in time" in result.err, str(result)
    assert device.titles() == ["Unsent"]
    network.be(Fate())
    in_step(device, other)
    assert other.titles() == ["Unsent"]


def test_an_address_that_drops_connections_ends_a_sync_by_its_time_limit(devices, make_device, hasty_clock):
    """A listener whose queue is full drops connection requests, like a firewall."""
    device = make_device()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)), socket.socket() as waiting:
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", port))
            result = device.try_(
                "login", "ada", "--server", f"http://127.0.0.1:{port}", "--password-file", device.password_file(),
                environment=hasty_clock)
    assert result.code == UNREACHABLE and ("in time" in result.err or "reach" in result.err), str(result)


def test_commands_continue_while_a_sync_hangs(devices, server):
    network, (device, other, _) = devices
    network.be(Fate(silent=True))
    hanging = device.start("sync")
    assert hanging.stderr.readline().decode() == f"Waiting for {network.url} to answer …\n"
    for number in range(5):
        device.run("add", f"Task {number}")
    assert hanging.poll() is None
    hanging.kill()
    hanging.wait(timeout=PATIENCE)
    network.be(Fate())
    in_step(device, other)
    assert len(other.titles()) == 5
