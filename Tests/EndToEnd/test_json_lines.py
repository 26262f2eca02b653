"""`satchel --view json`: every screen for programs, JSON lines in both directions."""

import json

import pytest

from harness.device import PASSWORD


@pytest.fixture
def session(device):
    return device.json_lines()


def ok(answer):
    states, outcome = answer
    assert outcome["type"] == "done", outcome
    return states[-1]["state"] if states else None


def test_it_greets_with_every_verb_and_its_arguments(session):
    hello = session.hello
    assert hello["type"] == "hello"
    verbs = {verb["name"]: verb for screen in hello["screens"] for verb in screen["verbs"]}
    assert {"add", "list", "sync", "login", "export", "resolve", "devices"} <= set(verbs)
    assert all(verb["help"] and verb["arguments"]["type"] == "object" for verb in verbs.values())


def test_it_registers_adds_syncs_and_lists(session, server, make_device):
    ok(session.ask("register", name="ada", password=PASSWORD, server=server.url))
    ok(session.ask("add", words=["Buy milk", "+shop"]))
    ok(session.ask("sync"))
    state = ok(session.ask("list"))
    assert [row["title"] for row in state["rows"]] == ["Buy milk"] and state["total"] == 1
    assert session.finish() == 0
    other = make_device().log_in(server)
    other.sync()
    assert other.titles() == ["Buy milk"]


def test_it_drives_every_screen(session, server, export_file):
    ok(session.ask("register", name="ada", password=PASSWORD, server=server.url))
    ok(session.ask("import", format="taskwarrior", file=export_file.read_text()))
    id = ok(session.ask("list", limit=1))["rows"][0]["id"]
    ok(session.ask("edit", record=id, title="Changed"))
    assert ok(session.ask("show", record=id))["record"]["title"] == "Changed"
    ok(session.ask("sync"))
    assert ok(session.ask("status"))["unsent"] == 0
    assert ok(session.ask("whoami"))["username"] == "ada"
    assert len(ok(session.ask("devices"))["devices"]) == 1
    assert ok(session.ask("conflicts"))["total"] == 0
    ok(session.ask("done", records=[id]))
    ok(session.ask("rm", records=[id]))
    ok(session.ask("logout"))


BAD_LINES = [
    b"hello", b"{", b"[]", b"{}", b'{"verb": 5}', b'{"verb": "frobnicate"}', b'{"verb": "show"}', b'{"verb": "list", "colour": 1}',
    b'{"verb": "list", "arguments": {"colour": "red"}}', b'{"verb": "list", "arguments": {"limit": "many"}}', b"\xff\xfe",
    b'{"verb": "list", "verb": "list"}', b"[" * 100_000, b'{"id": {}, "verb": "list"}', b'{"verb": "add", "arguments": {"words": [1]}}']


@pytest.mark.parametrize("line", BAD_LINES, ids=[str(line[:40]) for line in BAD_LINES])
def test_an_invalid_line_becomes_an_error_line_and_the_session_continues(session, line):
    session.send(line + b"\n")
    event = session.event()
    assert event["type"] == "error" and event["category"] == "usage" and event["message"]
    ok(session.ask("add", words=["Still here"]))
    assert session.finish() == 0


def test_an_error_has_the_requests_id_and_a_category(session):
    _, outcome = session.ask("show", record="ffffffff")
    assert outcome["type"] == "error" and outcome["category"] == "not-found" and outcome["id"] == session.next_id
    _, outcome = session.ask("sync")
    assert outcome["category"] == "signed-out"


def test_a_line_of_more_than_8_mebibytes_is_refused(session):
    session.send(b'{"verb": "add", "arguments": {"words": ["' + b"x" * (9 << 20) + b'"]}}\n')
    assert session.event()["type"] == "error"
    ok(session.ask("list"))


def test_secrets_are_in_no_line_of_the_output(session, server):
    session.ask("register", name="ada", password=PASSWORD, server=server.url)
    _, outcome = session.ask("login", name="ada", password="not the password", server=server.url)
    lines = json.dumps([session.hello, outcome])
    while not session.events.empty():
        lines += json.dumps(session.events.get())
    assert PASSWORD not in lines and "not the password" not in lines


def test_changes_of_another_process_are_reported_without_a_request(device, session):
    ok(session.ask("list"))
    device.run("add", "From outside")
    while event := session.event():
        if event["type"] == "state" and event["screen"] == "list" and event["state"]["rows"]:
            assert [row["title"] for row in event["state"]["rows"]] == ["From outside"] and "id" not in event
            return
