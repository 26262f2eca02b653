"""An encrypted connection to PostgreSQL, whose certificate is trusted by name and authority (`sslmode=verify-full`)."""

import shutil

import pytest

from harness import Certificates, Cluster, ClusterDatabase, Server, wait_until


@pytest.fixture
def cluster(certificates):
    """A PostgreSQL that accepts only encrypted connections."""
    made = Cluster()
    (made.data / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 trust\n", encoding="ascii")
    use(certificates, made)
    try:
        yield made.start(
            "ssl=on", f"ssl_cert_file={made.directory}/server.pem", f"ssl_key_file={made.directory}/server.key")
    finally:
        made.close()


def use(certificates, cluster):
    """Copies certificate and key to where the cluster may read them."""
    for file in (certificates.certificate, certificates.key):
        copy = cluster.directory / file.name
        shutil.copyfile(file, copy)
        copy.chmod(0o600)
        if cluster.USER:
            shutil.chown(copy, "postgres", "postgres")


def address(cluster, authority, host="localhost"):
    return f"postgres://postgres@{host}:{cluster.port}/postgres?sslmode=verify-full&sslrootcert={authority}"


@pytest.fixture
def server(cluster, certificates, tmp_path):
    """A running server that verifies the certificate of its PostgreSQL."""
    database = ClusterDatabase(cluster)
    database.address = address(cluster, certificates.authority)
    server = Server(tmp_path / "server", database)
    yield server.start()
    server.close()


def test_a_server_works_with_a_postgresql_whose_certificate_it_verifies(cluster, server, make_device):
    device = make_device().register(server)
    device.run("add", "Buy milk")
    device.sync()
    assert cluster.sql("SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                       "WHERE backend_type = 'client backend' AND NOT ssl") == ["0"]
    assert server.administer("stats").returncode == 0


def test_a_certificate_of_another_authority_or_for_another_name_is_refused(cluster, server, certificates, tmp_path):
    other = Certificates(tmp_path / "other")
    trusted = server.database.address
    server.database.address = address(cluster, other.authority)
    done = server.administer("stats")
    assert done.returncode != 0 and "certificate" in done.stderr

    (certificates.directory / "names").write_text("subjectAltName=DNS:other.example.org", encoding="ascii")
    certificates.issue("second")
    use(certificates, cluster)
    cluster.sql("SELECT pg_reload_conf()")
    server.database.address = trusted
    wait_until(lambda: server.administer("stats").returncode != 0, "the new certificate is used")
    done = server.administer("stats")
    assert done.returncode != 0 and "certificate" in done.stderr


def test_for_another_machine_a_mode_must_be_chosen_and_one_that_verifies_nothing_is_logged(cluster, tmp_path):
    # 0.0.0.0 leads to this machine, but isn't a loopback address.
    unchosen = f"postgres://postgres@0.0.0.0:{cluster.port}/postgres"
    database = ClusterDatabase(cluster)
    database.address = unchosen
    server = Server(tmp_path / "server", database)
    done = server.administer("stats")
    assert done.returncode == 1 and "sslmode=verify-full" in done.stderr, done.stderr
    database.address = f"{unchosen}?sslmode=require"
    try:
        server.start()
        # As a field of its own: the address is logged, too.
        assert server.log.read_text(encoding="utf-8").count(" sslmode=require") == 1
    finally:
        server.close()
