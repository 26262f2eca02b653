"""JSON lines as a protocol: the documentation compared with the program."""

import re
import signal
import sys
from pathlib import Path

import jsonschema
import pexpect
import pytest
from harness import binary, plain_environment, wait_until
from harness.device import PASSWORD
from harness.environment import PATIENCE

ARTICLE = Path(__file__).parents[2] / "Sources/JSONLinesView/JSONLinesView.docc/Protocol.md"


@pytest.fixture
def session(device):
    return device.json_lines()


def validator(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def script():
    [code] = re.findall(r"```python\n(.*?)```", ARTICLE.read_text(), re.S)
    return code


def test_the_documented_program_signs_in_adds_and_syncs(server, laptop, device, tmp_path):
    code = script()
    assert len(code.splitlines()) <= 30
    (tmp_path / "notes.py").write_text(code)
    environment = plain_environment(device.directory, SATCHEL_HOME=device.home)
    environment["PATH"] = f"{Path(binary('satchel')).parent}:{environment['PATH']}"
    child = pexpect.spawn(
        sys.executable, [str(tmp_path / "notes.py"), server.url, "ada", "Buy milk", "+shop"], env=environment,
        timeout=PATIENCE, encoding="utf-8")
    child.expect("Password: ")
    child.sendline(PASSWORD)
    child.expect("Buy milk")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    laptop.sync()
    assert laptop.titles() == ["Buy milk"]


def test_the_greeting_names_its_protocol_and_has_valid_schemas(session):
    hello = session.hello
    assert hello["protocol"] == 1 and re.fullmatch(r"\d+\.\d+\.\d+", hello["version"])
    assert hello["dialect"] == jsonschema.Draft202012Validator.META_SCHEMA["$id"]
    for screen in hello["screens"]:
        assert screen["state"]["properties"], f"the state of {screen['name']} has no members"
        validator(screen["state"])
        for verb in screen["verbs"]:
            validator(verb["arguments"])
            assert verb["answer"] in ("state", "notice")


class Checked:
    """A session whose requests and states are validated with the greeting's schemas."""

    def __init__(self, session):
        self.session = session
        self.states = {screen["name"]: validator(screen["state"]) for screen in session.hello["screens"]}
        self.arguments = {
            verb["name"]: validator(verb["arguments"]) for screen in session.hello["screens"] for verb in screen["verbs"]}
        self.seen = set()

    def ask(self, verb, **arguments):
        self.arguments[verb].validate(arguments)
        states, outcome = self.session.ask(verb, **arguments)
        for event in states:
            self.states[event["screen"]].validate(event["state"])
            self.seen.add(event["screen"])
        return states[-1]["state"] if states else None, outcome


def test_the_states_of_all_screens_match_their_schemas(session, server, laptop, make_device):
    checked = Checked(session)
    _, outcome = checked.ask("login", name="ada", password=PASSWORD, server=server.url)
    assert outcome["type"] == "done", outcome
    checked.ask("add", words=["Buy milk", "+shop", "project:home", "due:tomorrow", "priority:H"], body="One\nTwo\n")
    checked.ask("note", words=["Diary"], body="Text")
    state, _ = checked.ask("list")
    id = next(row["id"] for row in state["rows"] if row["title"] == "Buy milk")
    checked.ask("annotate", record=id, text=["At", "the", "market"])
    checked.ask("sync")
    checked.ask("edit", record=id, title="Buy oat milk", body="One\nThree\n")
    laptop.sync()
    laptop.run("edit", id, "--title", "Buy cow milk", "--body-file", laptop.write("body", "One\nFour\n"))
    laptop.sync()
    checked.ask("sync")
    for verb in ("conflicts", "status", "whoami", "devices", "journal", "doctor", "export", "config"):
        _, outcome = checked.ask(verb)
        assert outcome["type"] == "done", outcome
    checked.ask("show", record=id)
    checked.ask("status", record=id)
    checked.ask("history", record=id)
    checked.ask("resolve", conflict="1", choice="edit")
    checked.ask("resolve", conflict="1", choice="mine")
    checked.ask("conflicts", resolved=True)
    checked.ask("import", format="csv", file="title\nFrom a table\n")
    checked.ask("save", name="shopping", filter=["+shop"])
    checked.ask("lists")
    for verb in ("agenda", "projects", "tags", "summary", "count", "stats"):
        _, outcome = checked.ask(verb)
        assert outcome["type"] == "done", outcome
    checked.ask("context", name="define", words=["home", "project:home"])
    state, _ = checked.ask("context", name="home")
    assert state["current"] == {"name": "home", "filter": "project:home"}
    checked.ask("list")
    checked.ask("context", name="none")
    checked.ask("undo")
    checked.ask("journal")
    checked.ask("login", name="ada", password="wrong password", server=server.url)
    assert checked.seen == set(checked.states), "a screen was never shown"


def test_the_schemas_refuse_what_the_verbs_refuse(session):
    checked = Checked(session)
    for verb, arguments in [("show", {}), ("list", {"limit": "many"}), ("add", {"words": "Buy milk"}), ("list", {"colour": 1})]:
        with pytest.raises(jsonschema.ValidationError):
            checked.arguments[verb].validate(arguments)
        assert session.ask(verb, **arguments)[1]["category"] == "usage"


def test_the_last_line_is_the_end(session):
    session.send(b'{"id": "last", "verb": "list"}\n')
    assert session.finish() == 0
    events = list(iter(session.event, None))
    assert [event["type"] for event in events[-2:]] == ["done", "end"]


def test_news_of_an_automatic_sync_is_reported(server, laptop, make_device):
    laptop.run("add", "Buy milk")
    laptop.sync()
    desktop = make_device(SATCHEL_SYNC="").log_in(server)
    desktop.sync()
    session = desktop.json_lines()
    record = laptop.record("Buy milk")["id"]
    # Both change the title before either has received the other's edit.
    server.stop()
    session.ask("edit", record=record, title="Buy oat milk")
    laptop.run("edit", record, "--title", "Buy cow milk")
    # The desktop continues after the laptop's edit is on the server: then it is the desktop that finds the conflict.
    session.process.send_signal(signal.SIGSTOP)
    server.start()
    laptop.sync()
    session.process.send_signal(signal.SIGCONT)
    events = []
    wait_until(lambda: events.append(session.event()) or events[-1]["type"] == "news", "there is news")
    assert "conflict" in events[-1]["message"]
