"""A private certificate authority and its certificates for `localhost` and `127.0.0.1`."""

import subprocess
from pathlib import Path

from .programs import program

NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


class Certificates:
    def __init__(self, directory: Path):
        directory.mkdir(parents=True)
        self.directory = directory
        self.authority = directory / "ca.pem"
        self.certificate = directory / "server.pem"
        self.key = directory / "server.key"
        self._run("req", "-x509", "-subj", "/CN=Test CA", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem", *NEW_KEY)
        (directory / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1")
        self.issue("first")

    def issue(self, name, days=2):
        """Replaces certificate and key; `name` is the certificate's organisation."""
        self._run("req", "-subj", f"/CN=localhost/O={name}", "-keyout", "server.key", "-out", "server.csr", *NEW_KEY)
        self._run(
            "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
            str(days), "-extfile", "names", "-out", "server.pem")
        self.key.chmod(0o600)

    @property
    def flags(self):
        """The flags of `satcheld serve`."""
        return ["--tls-certificate", str(self.certificate), "--tls-key", str(self.key)]

    def _run(self, *arguments):
        subprocess.run([program("openssl"), *arguments], check=True, capture_output=True, cwd=self.directory)
