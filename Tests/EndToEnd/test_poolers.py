"""Servers whose connections to PostgreSQL go through a proxy: ServerCore.docc/Capacity.md says which proxies work."""

import pytest

from harness import API, Cluster, ClusterDatabase, Server, Stream
from harness.api import task
from harness.environment import PATIENCE
from harness.poolers import Pooler


@pytest.fixture(scope="module")
def cluster():
    cluster = Cluster()
    yield cluster.start("max_connections=100")
    cluster.close()


@pytest.fixture
def make_servers(tmp_path, cluster):
    """Creates running servers behind a kind of proxy."""
    opened = []

    def make(kind, count):
        pooler = Pooler(kind, cluster)
        opened.append(pooler)
        servers = [Server(tmp_path / f"{kind}-{number}", ClusterDatabase(pooler)) for number in range(count)]
        opened.extend(servers)
        return [server.start() for server in servers]

    yield make
    for one in reversed(opened):
        one.close()


@pytest.mark.parametrize("kind", ["session", "haproxy"])
def test_changes_reach_the_streams_of_another_server_through_a_proxy_of_connections(make_servers, kind):
    first, second = make_servers(kind, 2)
    ada = first.api.register(f"ada-{kind}")
    other = API(second.port)
    other.token, other.space = ada.token, ada.space
    stream = Stream(other)
    assert ada.push({"mutations": [task("one")]}).status == 200
    received = len(stream.events)
    assert ada.push({"mutations": [task("two")]}).status == 200
    assert stream.has_event_within(PATIENCE, lambda event: len(stream.events) > received)


@pytest.mark.parametrize("round_robin", [False, True], ids=["last-used", "round-robin"])
@pytest.mark.parametrize("mode", ["transaction", "statement"])
def test_a_pooler_that_assigns_another_connection_to_each_transaction_is_refused_at_the_start(
        tmp_path, cluster, mode, round_robin):
    pooler = Pooler(mode, cluster, round_robin=round_robin)
    server = Server(tmp_path / mode, ClusterDatabase(pooler))
    try:
        assert "pool_mode=session" in server.refused_start()
    finally:
        server.close()
        pooler.close()
