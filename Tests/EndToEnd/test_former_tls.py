"""A client refuses versions of TLS before 1.2, also where the system's settings of OpenSSL permit them."""

import http.server
import ssl
import subprocess
import threading
import warnings

import pytest

from harness import plain_environment, program
from harness.environment import PATIENCE

PERMISSIVE = """\
openssl_conf = init
[init]
ssl_conf = ssl
[ssl]
system_default = tls
[tls]
MinProtocol = TLSv1
CipherString = DEFAULT@SECLEVEL=0
"""


class Answer(http.server.BaseHTTPRequestHandler):
    """Answers each request, and keeps its path."""
    paths: list[str] = []

    def do_GET(self):  # pylint: disable=invalid-name
        self.paths.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_POST = do_GET

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Quiet(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """A refused handshake, which the test expects."""


@pytest.fixture
def former(certificates):
    """A server that has only TLS 1.0 and 1.1: its port, and the paths of the requests that it received."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.certificate, certificates.key)
    with warnings.catch_warnings(action="ignore"):
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    handler = type("Handler", (Answer,), {"paths": []})
    server = Quiet(("127.0.0.1", 0), handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1], handler.paths
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_client_never_uses_tls_before_1_2(former, certificates, make_device, tmp_path):
    port, paths = former
    settings = tmp_path / "openssl.cnf"
    settings.write_text(PERMISSIVE, encoding="ascii")
    address = f"https://localhost:{port}"
    subprocess.run(
        [program("curl"), "--silent", "--show-error", "--cacert", certificates.authority, f"{address}/curl"],
        check=True, capture_output=True, timeout=PATIENCE, env=plain_environment(tmp_path, OPENSSL_CONF=settings))
    assert paths == ["/curl"], "the system's settings permit it"
    device = make_device(SATCHEL_CA_FILE=certificates.authority, OPENSSL_CONF=settings)
    result = device.try_("login", "ada", "--server", address, "--password-file", device.password_file())
    assert result.code == 5 and "1.2 and later" in " ".join(result.err.split()), str(result)
    assert paths == ["/curl"], "no request was sent"
