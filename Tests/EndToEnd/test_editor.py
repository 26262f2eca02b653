"""`edit` in the process of an editor: its file, its failures, and no loss of typed text. The other tests of edited texts are in
Tests/SatchelApp."""

import os
import pty
import stat

import pytest

from harness.device import Device
from harness.screen import ENTER, Screen


@pytest.fixture
def task(device):
    return device.add("Buy milk", "+shop", "due:2026-12-01")


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


def test_the_text_is_private_while_it_is_edited(device, task):
    in_editor(device, "edit", task, editor='stat -c "%a" "$1" "$(dirname "$1")" > "$HOME/seen"\n')
    assert (device.directory / "seen").read_text().split() == ["600", "700"]


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


def test_after_giving_up_the_text_is_in_a_file_and_can_be_used_again(device, task):
    result = in_editor(device, "edit", task, editor='sed -i -e "s/^due:.*/due: whenever/" -e s/milk/bread/ "$1"\n')
    assert result.code == 6 and "as a date" in result.err
    text = leftover(device, result)
    assert b"title: Buy bread\n" in text and b"due: whenever\n" in text
    assert device.fields(task)["title"] == "Buy milk"
    device.run("edit", task, "project:home")
    corrected = device.write("corrected.md", text.replace(b"whenever", b"2026-12-05"))
    device.run("edit", task, "--text-file", corrected)
    assert device.fields(task)["title"] == "Buy bread" and device.fields(task)["project"] == "home"


def test_an_editor_that_always_writes_invalid_text_is_opened_twice(device, task):
    result = in_editor(device, "edit", task, editor='echo x >> "$HOME/calls"\nprintf -- "---\\ndue: whenever\\n---\\n" > "$1"\n')
    assert result.code == 6 and "as a date" in result.err
    assert (device.directory / "calls").read_text() == "x\nx\n"
    assert b"due: whenever" in leftover(device, result)


def test_text_that_isnt_utf8_is_kept_unchanged(device, task):
    result = in_editor(device, "edit", task, editor='printf "\\377\\n" >> "$1"\n')
    assert result.code == 1 and "not UTF-8" in result.err
    assert leftover(device, result).endswith(b"\xff\n")
    assert "body" not in device.fields(task)


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
