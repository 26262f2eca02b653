"""Man pages and help: generated from one source, and well-formed."""

import subprocess

import pytest

from harness import binary, plain_environment, program

PARTS = {"satchel": "1", "satcheld": "8"}


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


@pytest.fixture(params=PARTS)
def page(request, tmp_path):
    """A program's name, and its man page in a file."""
    done = run(binary(request.param), "--man", env=plain_environment(tmp_path))
    assert done.returncode == 0 and not done.stderr
    assert not (tmp_path / ".local").exists(), "a home was created"
    file = tmp_path / f"{request.param}.{PARTS[request.param]}"
    file.write_text(done.stdout)
    return request.param, file


def read(file):
    done = run(program("man"), "-l", str(file), env={**plain_environment(file.parent), "MANWIDTH": "100", "MAN_KEEP_FORMATTING": ""})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_man_page_reader_accepts_them_without_a_warning(page):
    _, file = page
    done = run(program("man"), "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(file), env=plain_environment(file.parent))
    assert done.returncode == 0 and not done.stderr
    done = run(program("mandoc"), "-Tlint", "-Wwarning", str(file))
    assert done.returncode == 0, done.stdout


def test_a_page_has_its_sections(page):
    name, file = page
    text = read(file)
    for title in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"]:
        assert f"\n{title}\n" in text, title
    assert text.startswith(f"{name.upper()}({PARTS[name]})")


def test_every_command_and_every_option_of_the_client_is_in_its_page(device, session_verbs, page):
    name, file = page
    text = " ".join(read(file).split())
    if name == "satcheld":
        options = ["--host", "--port", "--insecure-http", "--data", "--config", "--log-level", "--registration", "--password-memory", "--trusted-proxy",
                   "--tombstone-retention", "--revisions", "--force", "backup", "restore", "migrate-store", "--from", "--to", "invite add", "--uses", "--expires", "invite withdraw", "SATCHELD_TRUSTED_PROXIES",
                   "user list", "user add", "user disable", "user enable", "user delete", "user reset-password", "user quota",
                   "device list", "device revoke", "stats", "check", "config show", "--quota-bytes", "--json"]
        assert [option for option in options if option not in text] == []
        return
    for verb in session_verbs:
        assert f"satchel {verb['name']}" in text, f"{verb['name']} has no example"
        for argument, schema in verb["arguments"]["properties"].items():
            assert all(word in text for word in schema.get("enum", [argument])), argument
    assert all(option in text for option in ["--home", "--view", "--ca-file", "SATCHEL_HOME", "SATCHEL_SYNC", "SATCHEL_INSECURE_HTTP"])


@pytest.fixture
def session_verbs(device):
    session = device.json_lines()
    yield [verb for screen in session.hello["screens"] for verb in screen["verbs"]]
    session.finish()


def test_quoted_text_of_a_page_can_be_pasted_into_a_shell(page):
    _, file = page
    text = read(file)
    assert not set("‐−‘’“”´ˆ˜") & set(text), "typographic signs instead of typed ones"
