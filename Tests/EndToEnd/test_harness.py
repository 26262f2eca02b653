"""Tests of the harness."""

import http.server
import threading

import pytest

from harness.programs import MissingProgram, program


@pytest.mark.parametrize("name, message", [
    ("task", "the program task is missing; on Debian: apt-get install taskwarrior"),
    ("no-such-program", "the program no-such-program is missing"),
])
def test_a_missing_program_is_named_with_its_package(monkeypatch, tmp_path, name, message):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingProgram) as problem:
        program(name)
    assert str(problem.value) == message


class Reloading(http.server.BaseHTTPRequestHandler):
    """A page that reloads itself 100 ms after it was loaded."""

    PAGE = b"""<!doctype html><meta charset=utf-8><title>Reloading</title><link rel=icon href="data:,">
        <script>addEventListener("load", () => setTimeout(() => location.reload(), 100))</script>
        <main>""" + b"<p><button>Undo</button>" * 200 + b"</main>"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(self.PAGE)))
        self.end_headers()
        self.wfile.write(self.PAGE)

    def log_message(self, *_):
        pass


@pytest.fixture
def reloading():
    """The address of such a page."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Reloading)
    # A browser that navigates to the next page closes the connection in the middle of an answer.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def test_a_query_waits_while_the_document_is_replaced(page, reloading):
    page.open(reloading)
    for _ in range(8):
        assert len(page.controls("button", "Undo")) == 200
        assert len(page.controls("button", "Undo", inside="main")) == 200
        assert page.text.count("Undo") == 200
