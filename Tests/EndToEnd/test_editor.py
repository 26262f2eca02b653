"""`edit` and `resolve` in an editor: the record as text, concurrent changes, and no loss of typed text."""

import os
import pty
import stat

import pytest

from harness.device import Device, meet
from harness.screen import ENTER, Screen


@pytest.fixture
def task(device):
    return device.add("Buy milk", "+shop", "due:2026-12-01")


@pytest.fixture
def conflict(laptop, desktop):
    """A conflict about a task's title; returns its id. The desktop's edit is the later one."""
    task = laptop.add("Buy milk")
    meet(laptop, desktop)
    laptop.run("edit", task, "--title", "Buy oat milk")
    desktop.run("edit", task, "--title", "Buy rice milk")
    meet(laptop, desktop)
    [record] = laptop.records("conflicts")
    return record["id"]


def in_editor(device: Device, *arguments, editor):
    """Runs a command with an editor: a shell command, or the text of a script that gets the file."""
    if "\n" in editor:
        script = device.write("editor.sh", "#!/bin/sh\nset -e\n" + editor)
        script.chmod(0o700)
        editor = str(script)
    person, terminal = pty.openpty()
    try:
        process = device.start(*arguments, stdin=terminal, environment={"VISUAL": editor})
        os.close(terminal)
        return device.finish(process, arguments)
    finally:
        os.close(person)


def drafts(device):
    folder = device.home / "drafts"
    return sorted(folder.glob("*/*")) if folder.exists() else []


def leftover(device, result):
    """The refused text: named in the message, private, and the only one."""
    path = result.err.split("Your text is in ")[1].split("\n")[0].rstrip(".")
    assert [str(file) for file in drafts(device)] == [path], result
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with open(path, "rb") as file:
        return file.read()


def test_fields_and_body_are_edited_in_one_text(device, task):
    result = in_editor(
        device, "edit", task,
        editor='sed -i -e "s/Buy milk/Buy bread/" -e "s/^due:.*/due: 2026-12-24 18:00/" -e "s/^tags:.*/tags: shop, food/" "$1"\n'
        'printf "\\nwhole grain\\n" >> "$1"\n')
    assert result.code == 0 and "Changed “Buy bread”." in result.err, result
    fields = device.fields(task)
    assert (fields["title"], fields["tags"], fields["body"]) == ("Buy bread", ["shop", "food"], "whole grain")
    assert fields["due"].startswith("2026-12-24T")
    assert drafts(device) == []
    device.run("undo")
    assert device.fields(task)["title"] == "Buy milk" and "body" not in device.fields(task)


def test_a_note_is_edited_too(device):
    device.run("note", "Plan")
    result = in_editor(device, "edit", device.record("Plan")["id"], editor='printf "one\\ntwo\\n" >> "$1"\n')
    assert result.code == 0, result
    assert device.record("Plan")["fields"]["body"] == "one\ntwo"


def test_the_text_is_private_while_it_is_edited(device, task):
    in_editor(device, "edit", task, editor='stat -c "%a" "$1" "$(dirname "$1")" > "$HOME/seen"\n')
    assert (device.directory / "seen").read_text().split() == ["600", "700"]


def test_an_editor_that_changes_nothing_changes_nothing(device, task):
    before = device.export()
    result = in_editor(device, "edit", task, editor="true")
    assert result.code == 0 and "Nothing changed in “Buy milk”." in result.err
    assert device.export() == before and drafts(device) == []


@pytest.mark.parametrize("editor", ["false", "kill -9 $$; true", "no-such-editor-anywhere"])
def test_an_editor_that_fails_changes_nothing_and_leaves_nothing(device, task, editor):
    before = device.export()
    result = in_editor(device, "edit", task, editor=editor)
    assert result.code == 1, result
    assert device.export() == before and drafts(device) == []


def test_an_editor_that_fails_after_it_wrote_leaves_the_text(device, task):
    result = in_editor(device, "edit", task, editor='sed -i s/milk/bread/ "$1"\nexit 3\n')
    assert result.code == 1
    assert b"title: Buy bread" in leftover(device, result)
    assert device.fields(task)["title"] == "Buy milk"


def test_an_invalid_text_is_opened_again_with_the_errors(device, task):
    # The editor records what it is shown, then writes an error, corrects it, and ends.
    result = in_editor(
        device, "edit", task,
        editor='cat "$1" >> "$HOME/seen"\nif grep -q "^# ! " "$1"; then sed -i s/someday/tomorrow/ "$1"\n'
        'else sed -i -e "s/^due:.*/due: someday/" -e s/milk/bread/ "$1"; fi\n')
    assert result.code == 0, result
    shown = (device.directory / "seen").read_text()
    assert '# ! Can\'t read "someday" as a date' in shown and shown.count("title: Buy bread") == 1
    assert device.fields(task)["title"] == "Buy bread"
    assert drafts(device) == []


def test_after_giving_up_the_text_is_in_a_file_and_can_be_used_again(device, task):
    result = in_editor(device, "edit", task, editor='sed -i -e "s/^due:.*/due: someday/" -e s/milk/bread/ "$1"\n')
    assert result.code == 6 and "as a date" in result.err
    text = leftover(device, result)
    assert b"title: Buy bread\n" in text and b"due: someday\n" in text
    assert device.fields(task)["title"] == "Buy milk"
    device.run("edit", task, "project:home")
    corrected = device.write("corrected.md", text.replace(b"someday", b"2026-12-05"))
    device.run("edit", task, "--text-file", corrected)
    assert device.fields(task)["title"] == "Buy bread" and device.fields(task)["project"] == "home"


def test_an_editor_that_always_writes_invalid_text_is_opened_twice(device, task):
    result = in_editor(device, "edit", task, editor='echo x >> "$HOME/calls"\nprintf -- "---\\ndue: someday\\n---\\n" > "$1"\n')
    assert result.code == 6 and "as a date" in result.err
    assert (device.directory / "calls").read_text() == "x\nx\n"
    assert b"due: someday" in leftover(device, result)


def test_text_that_isnt_utf8_is_kept_unchanged(device, task):
    result = in_editor(device, "edit", task, editor='printf "\\377\\n" >> "$1"\n')
    assert result.code == 1 and "not UTF-8" in result.err
    assert leftover(device, result).endswith(b"\xff\n")
    assert "body" not in device.fields(task)


def test_editors_line_ends_are_no_edit(device, task):
    device.run("edit", task, "--body-file", "-", stdin="one\ntwo")
    before = device.export()
    result = in_editor(device, "edit", task, editor="sed -i 's/$/\\r/'")
    assert result.code == 0 and "Nothing changed" in result.err
    result = in_editor(device, "edit", task, editor='printf "%s" "$(cat "$1")" > "$1"\n')
    assert "Nothing changed" in result.err
    assert device.export() == before


def test_a_long_body_is_edited(device, task):
    device.run("edit", task, "--body-file", "-", stdin="".join(f"line {n}\n" for n in range(10_000)))
    result = in_editor(device, "edit", task, editor="sed -i -e 's/^line 5000$/changed/'")
    assert result.code == 0, result
    body = device.fields(task)["body"].splitlines()
    assert len(body) == 10_000 and body[5_000] == "changed"


def test_changes_of_another_process_meanwhile_are_merged(device, task):
    command = " ".join(device.command("edit", task, "project:home", "due:2026-12-02"))
    result = in_editor(
        device, "edit", task,
        editor=f'{command}\nsed -i -e s/milk/bread/ -e "s/^due:.*/due: 2026-12-03/" "$1"\n')
    assert result.code == 0 and "a conflict: see `conflicts`" in result.err, result
    fields = device.fields(task)
    assert (fields["title"], fields["project"]) == ("Buy bread", "home")
    conflicts = device.run("conflicts").out
    assert "2026-12-02" in conflicts or "due" in conflicts
    device.run("resolve", "1", "earlier")
    assert device.fields(task)["due"].startswith("2026-12-0")


def test_changes_of_another_device_meanwhile_are_merged(laptop, desktop):
    task = laptop.add("Buy milk")
    laptop.sync()
    desktop.sync()
    desktop.run("edit", task, "project:home")
    desktop.sync()
    result = in_editor(
        laptop, "edit", task, editor=f'{" ".join(laptop.command("sync"))} 2>/dev/null\nsed -i s/milk/bread/ "$1"\n')
    assert result.code == 0 and "both changes are kept" in result.err, result
    laptop.sync()
    desktop.sync()
    assert desktop.fields(task)["title"] == "Buy bread" and desktop.fields(task)["project"] == "home"


def test_a_repeating_task_is_edited_and_completed_in_the_text(device, task):
    edits = '-e "s/^repeat:.*/repeat: every 2 weeks/" -e "s/^until:.*/until: 2027-01-31/"'
    result = in_editor(device, "edit", task, editor=f'sed -i {edits} "$1"\n')
    fields = device.fields(task)
    assert fields["repeat"] == "2w" and fields["repeatZone"] and fields["until"].startswith("2027-01-3"), result
    done = 'grep -q "^repeat: 2w$" "$1"\n! grep -q repeatZone "$1"\nsed -i "s/^status:.*/status: completed/" "$1"\n'
    for _ in range(2):
        assert in_editor(device, "edit", task, editor=done).code == 0
    tasks = {record["id"]: record["fields"] for record in device.records("tasks")}
    assert len(tasks) == 2 and tasks.pop(task)["status"] == "completed"
    [following] = tasks.values()
    assert following["status"] == "pending" and following["due"].startswith("2026-12-1")


def test_crlf_line_ends_change_nothing(device, task):
    result = in_editor(device, "edit", task, editor='sed -i "s/$/\\r/" "$1"\n')
    assert "Nothing changed" in result.err, result
    in_editor(device, "edit", task, editor='sed -i -e s/milk/bread/ -e "s/$/\\r/" "$1"\n')
    assert device.fields(task) | {"title": "Buy bread"} == device.fields(task)
    assert "\\r" not in device.run("export").out


def test_a_record_deleted_meanwhile_is_revived_by_the_edit(device, task):
    result = in_editor(
        device, "edit", task, editor=f'{" ".join(device.command("rm", task))} 2>/dev/null\nsed -i s/milk/bread/ "$1"\n')
    assert result.code == 0 and "your edit restored it" in result.err, result
    assert device.titles() == ["Buy bread"]


def test_a_conflict_stays_open_if_the_editor_fails_or_its_text_is_refused_and_the_text_is_not_lost(laptop, conflict):
    assert in_editor(laptop, "resolve", conflict, "edit", editor="false").code == 1
    assert drafts(laptop) == []
    # Both lines of the title are kept: a title has one line.
    result = in_editor(laptop, "resolve", conflict, "edit", editor="sed -i -e '/^[<=>]/d'")
    assert result.code == 2 and "several lines" in result.err
    assert leftover(laptop, result).decode().splitlines() == ["Buy oat milk", "Buy rice milk"]
    assert ["settled" in record["fields"] for record in laptop.records("conflicts")] == [False]


def test_without_a_terminal_the_message_says_what_to_give(device, task):
    result = device.try_("edit", task)
    assert result.code == 2 and "No change is given. Example: edit" in result.err and "your editor" in result.err


def test_json_lines_have_the_text_in_the_state(device, task):
    peer = device.json_lines()
    states, outcome = peer.ask("edit", record=task)
    assert outcome["type"] == "error"
    draft = states[-1]["state"]["draft"]
    assert draft["record"] == task and "title: Buy milk\n" in draft["text"]
    states, _ = peer.ask("edit", record=task, text=draft["text"].replace("milk", "bread"))
    assert device.fields(task)["title"] == "Buy bread" and "draft" not in states[-1]["state"]
    peer.finish()


def test_the_prompt_returns_after_the_editor(device, task):
    # An editor that uses the whole screen, and leaves the terminal in a bad state.
    script = device.write(
        "editor.sh", '#!/bin/sh\nprintf "\\033[?1049h"\nsed -i s/milk/bread/ "$1"\nstty raw -echo\n'
        'printf "\\033[?1049l"\n')
    script.chmod(0o700)
    screen = Screen(device, VISUAL=str(script))
    try:
        screen.say(f"edit {task}").shows("Changed “Buy bread”.")
        screen.say("list").shows("Buy bread")
        assert screen.type("quit", ENTER).ends() == 0
    finally:
        screen.close()
