"""Fixtures for every test. Each test has its own server, devices and directories."""

import itertools
import random
import signal

import pytest

from harness import BadNetwork, Certificates, Cluster, Database, Device, Proxy, Server, SmallDisk, clock, taskwarrior

pytest_plugins = ["harness.web_fixtures"]

# A shell ignores Ctrl-C and Ctrl-\ in jobs that it starts in the background, and processes inherit that. A handled signal
# has its default action again in a program that is started (execve(2)).
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def pytest_addoption(parser):
    parser.addoption("--store", choices=["sqlite", "postgres"], default="sqlite", help="the storage of the servers")


def pytest_configure(config):
    config.addinivalue_line("markers", "sqlite: about the database in the data directory")
    Server.on_postgres = config.getoption("--store") == "postgres"


def pytest_collection_modifyitems(config, items):
    for item in items:
        if Server.on_postgres and item.get_closest_marker("sqlite"):
            item.add_marker(pytest.mark.skip(reason="about SQLite's database in the data directory"))


@pytest.fixture
def make_server(tmp_path):
    """Creates servers that are not started yet."""
    servers, numbers = [], itertools.count(1)

    def make():
        servers.append(Server(tmp_path / f"server-{next(numbers)}"))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture
def server(make_server):
    """A running server."""
    return make_server().start()


@pytest.fixture
def database():
    """An empty database on PostgreSQL."""
    database = Database()
    yield database
    database.drop()


@pytest.fixture
def make_servers(tmp_path):
    """Creates running servers over one database."""
    servers, numbers = [], itertools.count(1)

    def make(database, count, *flags):
        made = [Server(tmp_path / f"shared-{next(numbers)}", database) for _ in range(count)]
        servers.extend(made)
        for server in made:
            server.start(*flags)
        return made

    yield make
    for server in servers:
        server.close()


@pytest.fixture
def make_cluster():
    """Creates clusters of PostgreSQL that are not started yet: a primary, a standby of one, or a copy of one."""
    clusters = []

    def make(source=None, is_standby=True):
        clusters.append(Cluster(source, is_standby=is_standby))
        return clusters[-1]

    yield make
    for cluster in clusters:
        cluster.close()


@pytest.fixture
def certificates(tmp_path):
    """A private certificate authority with the certificate of a server."""
    return Certificates(tmp_path / "certificates")


@pytest.fixture
def make_device(tmp_path):
    """Creates devices without data."""
    devices, numbers = [], itertools.count(1)

    def make(**environment):
        devices.append(Device(tmp_path / f"device-{next(numbers)}", environment))
        return devices[-1]

    yield make
    for device in devices:
        device.close()


@pytest.fixture
def device(make_device):
    return make_device()


@pytest.fixture
def laptop(make_device, server):
    """A device that has created the account `ada`."""
    return make_device().register(server)


@pytest.fixture
def desktop(make_device, server, laptop):
    """A second device of `ada`."""
    return make_device().log_in(server)


@pytest.fixture
def make_proxy():
    """Creates networks in front of a server."""
    proxies = []

    def make(server):
        proxies.append(Proxy(server.port))
        return proxies[-1]

    yield make
    for proxy in proxies:
        proxy.close()


@pytest.fixture
def make_bad_network():
    """Creates networks in front of a server with random faults; the seed is printed."""
    networks = []

    def make(server, seed=None):
        seed = random.randrange(1 << 32) if seed is None else seed
        print(f"the network's seed: {seed}")
        networks.append(BadNetwork(server.port, seed))
        return networks[-1]

    yield make
    for network in networks:
        network.close()


@pytest.fixture
def make_disk(tmp_path):
    """Creates small disks; only root can."""
    disks = []

    def make(size):
        disks.append(SmallDisk(tmp_path / f"disk-{len(disks)}", size))
        return disks[-1]

    yield make
    for disk in disks:
        disk.close()


@pytest.fixture
def export_file(tmp_path):
    """3,000 tasks as Taskwarrior exports them."""
    path = tmp_path / "taskwarrior.json"
    path.write_bytes(taskwarrior.text(taskwarrior.export(3_000)))
    return path


@pytest.fixture
def wrong_clock():
    """Creates the environment of a process whose clock is wrong."""
    return clock
