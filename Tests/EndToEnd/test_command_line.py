"""The command line as an interface for scripts."""

import json
import os
import re
import signal
import subprocess

import pexpect
import pytest

from harness import binary, plain_environment, taskwarrior
from harness.environment import PATIENCE

COMMANDS = (
    "help add note list show edit done undone rm tag search import export register login logout whoami devices sync "
    "status conflicts resolve view quit").split()


def ids(device):
    """The ids of all records, by title."""
    return {record["fields"]["title"]: record["id"] for record in device.records()}


# Commands and exit codes


def test_help_names_every_command(device):
    out = device.run("help").out
    assert [command for command in COMMANDS if not re.search(rf"^\s*{command}\b", out, re.M)] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_help_describes_each_command(device, command):
    result = device.run("help", command)
    assert command in result.out and not result.err


def test_the_lifecycle_of_a_task(device):
    device.run("add", "Buy milk", "+shop", "due:2031-05-05", "project:home", "priority:H")
    id = ids(device)["Buy milk"]
    assert "Buy milk" in device.run("list", "+shop").out
    assert "Buy milk" not in device.run("list", "+other").out
    assert "Buy milk" in device.run("search", "MILK").out
    assert "2031-05-05" in device.run("show", id).out
    device.run("edit", id, "--title", "Buy oat milk", "--body-file", device.write("body", "two\nlines\n"))
    assert device.fields(id)["body"] == "two\nlines\n"
    device.run("done", id)
    assert device.fields(id)["status"] == "completed" and "end" in device.fields(id)
    device.run("undone", id)
    assert device.fields(id)["status"] == "pending" and "end" not in device.fields(id)
    device.run("rm", id)
    assert device.records() == [] and device.try_("show", id).code == 3


EXIT_CODES = {
    "nothing": ((), 0), "an unknown command": (("frobnicate",), 2), "an unknown option": (("list", "--wide"), 2),
    "too few words": (("show",), 2), "too many words": (("logout", "now"), 2), "no such record": (("show", "ffffffff"), 3),
    "no such number": (("show", "4711"), 3), "no account": (("sync",), 4), "an invalid date": (("add", "x", "due:never"), 2),
    "an unknown flag of the process": (("--colour", "list"), None),
}


@pytest.mark.parametrize("arguments, code", EXIT_CODES.values(), ids=EXIT_CODES.keys())
def test_exit_codes_are_those_of_the_documentation(device, arguments, code):
    result = device.try_(*arguments)
    assert result.code == code if code is not None else result.code not in (0, 1), str(result)
    if result.code:
        assert result.err and not result.out, "messages are on stderr"


def test_data_goes_to_stdout_and_messages_to_stderr(device):
    added = device.run("add", "Buy milk")
    assert not added.out and "Buy milk" in added.err
    listed = device.run("list")
    assert "Buy milk" in listed.out and not listed.err


@pytest.mark.parametrize("typed, meant", [("lsit", "list"), ("ad", None), ("shwo", "show"), ("exprot", "export"), ("serach", "search")])
def test_a_wrong_command_gets_the_nearest_suggestion(device, typed, meant):
    result = device.try_(typed, "x")
    if meant:
        assert result.code == 2 and f"“{meant}”" in result.err
    else:
        assert result.code == 0, "an unambiguous prefix is enough"


def test_commands_may_be_shortened_if_that_is_unambiguous(device):
    device.run("add", "Buy milk")
    assert "Buy milk" in device.run("li").out
    assert "Buy milk" in device.run("sea", "milk").out
    result = device.try_("s")
    assert result.code == 2 and all(name in result.err for name in ["search", "show", "status", "sync"])


def test_words_that_look_like_options_are_accepted_after_two_dashes(device):
    device.run("add", "--", "--force is no option")
    assert device.titles() == ["--force is no option"]


@pytest.mark.parametrize("words", [("help",), ("help", "dates"), ("add", "Buy milk", "--help"), ("add", "-h"), ("completions", "zsh")])
def test_help_needs_no_home_and_creates_none(device, words):
    assert device.run(*words).out and not device.home.exists()


@pytest.mark.parametrize("command", ["add", "note"])
def test_all_words_after_two_dashes_are_text_in_a_shell_and_in_a_script(device, command):
    device.run(command, "Call", "+shop", "--", "+home", "due:friday", "recur:weekly")
    device.run(stdin=f"{command} Write +shop -- +home due:friday recur:weekly\n")
    for title in ("Call +home due:friday recur:weekly", "Write +home due:friday recur:weekly"):
        fields = device.record(title)["fields"]
        assert fields["tags"] == ["shop"] and "due" not in fields
    assert "Call +home" in device.run("list", "--", "+home").out
    assert "Call +home" not in device.run("list", "+home").out
    assert "Call +home" in device.run("search", "--", "due:friday").out


def test_an_unknown_field_is_refused_and_the_alternative_in_the_message_works(device):
    refused = device.try_("add", "Water", "recur:weekly")
    assert refused.code == 2 and "Did you mean “repeat:”?" in refused.err and device.titles() == []
    device.run("add", "Water", "--", "recur:weekly")
    device.run("add", "Count", "field.recur:weekly")
    assert device.titles() == ["Count", "Water recur:weekly"]


def test_edit_changes_several_records_and_never_takes_a_number_as_a_title(device):
    for title in ("One", "Two", "Three"):
        device.run("add", title)
    device.run("list")
    refused = device.try_("edit", "1", "2", "eggs")
    assert refused.code == 2 and "A title for 2 records?" in refused.err
    device.run("edit", "1", "2", "3", "priority:H")
    assert device.titles() == ["One", "Three", "Two"]
    assert [record["fields"]["priority"] for record in device.records()] == ["H", "H", "H"]
    device.run("edit", "1", "--", "2 eggs")
    assert "2 eggs" in device.titles()


def test_many_records_are_changed_in_a_script_only_with_yes(device):
    device.run(stdin="".join(f"add Task {number} +shop\n" for number in range(12)))
    refused = device.try_("done", "+shop")
    assert refused.code == 2 and "12 tasks" in refused.err and "--yes" in refused.err
    assert all(record["fields"]["status"] == "pending" for record in device.records())
    device.run("done", "+shop", "--yes")
    assert all(record["fields"]["status"] == "completed" for record in device.records())
    device.run("undo")
    assert all(record["fields"]["status"] == "pending" for record in device.records())
    assert device.try_("rm", "+shop", "3").code == 2
    device.run("rm", "Task 3")
    assert len(device.records()) == 11


def test_lists_and_ranges_of_numbers_name_several_records(device):
    for day, title in enumerate(("One", "Two", "Three", "Four"), start=1):
        device.run("add", title, f"due:2030-01-0{day}")
    device.run("list")
    device.run("tag", "1,3-4", "+some")
    assert {record["fields"]["title"] for record in device.records() if "tags" in record["fields"]} == {"One", "Three", "Four"}
    assert device.try_("done", "3-5").code == 3
    assert all(record["fields"]["status"] == "pending" for record in device.records())
    device.run("done", "1-4")
    assert all(record["fields"]["status"] == "completed" for record in device.records())


@pytest.mark.parametrize("path, said", [
    ("folder", "is a folder"), ("pipe", "no program writes to"), ("/dev/zero", "is a device"), ("none", "No such file"),
    ("binary", "not UTF-8"), ("large", "256 KiB")])
@pytest.mark.parametrize("command", [("edit", "1", "--body-file"), ("edit", "1", "--text-file"), ("login", "ada", "--password-file")])
def test_a_path_that_is_not_a_readable_text_file_is_refused_and_changes_nothing(device, tmp_path, path, said, command):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.md").write_text("secret")
    (tmp_path / "binary").write_bytes(b"a\xff")
    (tmp_path / "large").write_text("x" * (300 << 10))
    os.mkfifo(tmp_path / "pipe")
    device.run("note", "Plan", "--body-file", device.write("body", "one\ntwo\n"))
    device.run("notes")
    before = device.records()
    refused = device.try_(*command, tmp_path / path)
    assert refused.code != 0 and not refused.out
    if path != "large" or "--body-file" in command:
        assert said in refused.err, refused.err
    if path not in ("large", "binary"):
        assert str(tmp_path / path) in refused.err
    assert device.records() == before


def test_a_body_is_read_from_a_pipe_that_a_program_writes_to(device):
    device.run("note", "Plan", "--body-file", "/dev/stdin", stdin="one\ntwo\n")
    assert device.record("Plan")["fields"]["body"] == "one\ntwo\n"


def test_doctor_ends_with_0_without_faults_and_with_7_with_one(device):
    device.run("add", "Buy milk")
    assert device.try_("doctor").code == 0
    device.home.joinpath("satchel.db").chmod(0o666)
    assert device.try_("doctor").code == 7
    device.home.joinpath("satchel.db").chmod(0o600)
    device.home.chmod(0o777)
    for command in ("doctor", "list"):
        refused = device.try_(command)
        assert refused.code == 7 and "chmod go-w" in refused.err
    device.home.chmod(0o700)
    assert device.try_("doctor").code == 0


@pytest.mark.parametrize("words, what", [(("off",), "Ctrl-C"), (("of",), "“of”"), (("off", "now"), "“off”"), (("stop",), "“stop”")])
def test_the_page_is_not_served_by_a_mistyped_command(device, words, what):
    refused = device.try_("web", *words)
    assert refused.code == 2 and what in refused.err and "http" not in refused.out


def test_help_among_the_words_is_a_word_after_two_dashes(device):
    device.run("add", "--", "--help")
    assert device.titles() == ["--help"]


def test_a_tag_can_be_removed_by_a_word_that_begins_with_a_dash(device):
    device.run("add", "Buy milk", "+shop", "+later")
    device.run("tag", ids(device)["Buy milk"], "-later")
    assert device.record("Buy milk")["fields"]["tags"] == ["shop"]


def test_a_body_can_be_read_from_standard_input(device):
    device.run("add", "Buy milk")
    id = ids(device)["Buy milk"]
    device.run("edit", id, "--body-file", "-", stdin="from\na pipe\n")
    assert device.fields(id)["body"] == "from\na pipe\n"


# Scripts


def test_a_script_is_read_from_a_pipe(device):
    device.run(stdin='add "Buy milk" +shop\n# a comment\n\nnote Diary\nlist\n')
    assert sorted(record["fields"]["title"] for record in device.records()) == ["Buy milk", "Diary"]


def test_a_script_continues_after_a_bad_line_names_it_and_ends_with_its_status(device):
    result = device.try_(stdin="add One\nfrobnicate\nadd Two\n")
    assert result.code == 2 and "line 2" in result.err
    assert device.titles() == ["One", "Two"]


def test_a_script_without_a_line_end_and_an_empty_one_are_valid(device):
    device.run(stdin="add One")
    device.run(stdin="")
    assert device.titles() == ["One"]


def test_a_script_of_invalid_utf8_is_reported_or_corrected_and_does_no_harm(device):
    device.run("add", "Kept")
    device.try_(stdin=b"add \xff\xfe\nlist\n")
    assert "Kept" in device.titles()


def test_a_closed_output_is_no_crash(device):
    device.run("import", "taskwarrior", device.write("tasks.json", taskwarrior.text(taskwarrior.export(3_000))))
    process = device.start("list", "--limit", "3000")
    process.stdout.read(10)
    process.stdout.close()
    process.stdin.close()
    assert process.wait(timeout=PATIENCE) in (0, 1, -signal.SIGPIPE), "a broken pipe ends it like any other command"
    process.stderr.close()
    device.started.remove(process)


def test_with_a_closed_standard_error_a_command_that_succeeded_ends_with_0(device):
    environment = plain_environment(device.directory, **device.environment)
    for title, redirection in [("One", "2>&-"), ("Two", "2>/dev/full")]:
        subprocess.run(["sh", "-c", f'exec "$@" {redirection}', "sh", *device.command("add", title)], env=environment,
                       check=True, timeout=PATIENCE)
    assert device.titles() == ["One", "Two"]


@pytest.mark.parametrize("option", ["--version", "--help", "-h", "--man"])
@pytest.mark.parametrize("name", ["satchel", "satcheld"])
def test_an_answer_that_can_not_be_written_is_an_error(device, name, option):
    environment = plain_environment(device.directory, **device.environment)
    command = [binary(name), option]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert printed.returncode == 0 and printed.stdout.endswith("\n") and printed.stderr == ""
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    assert done.returncode == 1 and "output can't be written" in done.stderr and "No space left" in done.stderr


# Numbers


def test_numbers_of_the_last_list_name_records_across_commands_and_never_change(device):
    for title in ["Apples", "Bread", "Cheese"]:
        device.run("add", title)
    numbers = {match[2]: match[1] for match in re.finditer(r"^\s*(\d+)\s.*(Apples|Bread|Cheese)", device.run("list").out, re.M)}
    assert set(numbers) == {"Apples", "Bread", "Cheese"}
    device.run("done", numbers["Apples"])
    device.run("add", "Aardvark food")
    device.run("rm", numbers["Bread"])
    device.run("edit", numbers["Cheese"], "--title", "Goat cheese")
    assert device.titles() == ["Aardvark food", "Apples", "Goat cheese"]
    # The number of a deleted record names nothing else.
    assert device.try_("rm", numbers["Bread"]).code == 3
    assert device.titles() == ["Aardvark food", "Apples", "Goat cheese"]


def test_each_terminal_has_its_own_numbers(device):
    device.run("add", "Apples")
    device.run("add", "Bread")

    def shell(*commands):
        """Commands in a separate terminal."""
        line = " ; ".join([f"'{binary('satchel')}' --home '{device.home}' {command}" for command in commands])
        return pexpect.spawn(
            "/bin/sh", ["-c", line + "; echo ready; read line; " + f"'{binary('satchel')}' --home '{device.home}' done 1"],
            env=plain_environment(device.directory), encoding="utf-8", timeout=PATIENCE, dimensions=(30, 100))

    first, second = shell("list apples"), None
    try:
        first.expect("ready")
        second = shell("list bread")
        second.expect("ready")
        first.sendline("")
        first.expect(pexpect.EOF)
        assert device.record("Apples")["fields"]["status"] == "completed"
        assert device.record("Bread")["fields"]["status"] == "pending"
    finally:
        first.close(force=True)
        if second:
            second.close(force=True)


def test_a_record_is_named_by_a_unique_prefix_and_an_ambiguous_one_is_reported(device):
    tasks = [{"uuid": f"abcdef0{digit}-0000-4000-8000-000000000000", "description": f"Task {digit}", "status": "pending",
              "entry": "20260101T000000Z"} for digit in range(3)]
    device.run("import", "taskwarrior", device.write("tasks.json", json.dumps(tasks)))
    result = device.try_("show", "abcdef0")
    assert result.code == 3 and "several" in result.err
    assert "Task 2" in device.run("show", "abcdef02").out
    assert "Task 2" in device.run("show", tasks[2]["uuid"]).out


# Appearance


def on_a_terminal(device, *arguments, columns=60, **environment):
    command = device.command(*arguments)
    child = pexpect.spawn(
        command[0], command[1:], env=plain_environment(device.directory, **environment), encoding="utf-8",
        timeout=PATIENCE, dimensions=(40, columns))
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    return child.before


def test_colour_is_for_terminals_only_and_not_with_no_color(device):
    device.run("add", "Buy milk", "priority:H", "due:2020-01-01")
    assert "\x1b[" in on_a_terminal(device, "list")
    assert "\x1b[" not in on_a_terminal(device, "list", NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal(device, "list", TERM="dumb")
    assert "\x1b[" not in device.run("list").out


def test_lines_fit_the_terminal_and_are_whole_in_a_pipe(device):
    title = "A title that is much longer than any terminal of sixty columns could ever show on one line " * 2
    device.run("add", title.strip())
    shown = on_a_terminal(device, "list", columns=60, NO_COLOR="1")
    assert all(len(line) <= 60 for line in shown.splitlines()) and "…" in shown
    assert title.strip() in device.run("list").out


def test_a_title_cannot_control_the_terminal(device):
    tasks = [{"uuid": "abcdef00-0000-4000-8000-000000000000", "description": "evil \x1b[2J\x07 title", "status": "pending",
              "entry": "20260101T000000Z"}]
    device.run("import", "taskwarrior", device.write("tasks.json", json.dumps(tasks)))
    for command in ["list", "show abcdef00", "search evil"]:
        shown = on_a_terminal(device, *command.split(), NO_COLOR="1")
        assert "\x1b[2J" not in shown and "\x07" not in shown and "evil" in shown


def test_version_and_help_of_the_process_go_to_stdout(device):
    for flag in ["--version", "--help"]:
        result = device.run(flag)
        assert result.out and not result.err


# Homes


def test_the_home_is_the_flags_then_the_environments_then_that_of_xdg(device):
    def home(*flags, **environment):
        done = subprocess.run(
            [binary("satchel"), *flags, "add", "x"], capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL,
            env=plain_environment(device.directory, **environment))
        assert done.returncode == 0, done.stderr

    places = {name: device.directory / name for name in ["flag", "environment", "xdg"]}
    home("--home", places["flag"], SATCHEL_HOME=places["environment"], XDG_DATA_HOME=places["xdg"])
    assert (places["flag"] / "satchel.db").exists() and not places["environment"].exists()
    home(SATCHEL_HOME=places["environment"], XDG_DATA_HOME=places["xdg"])
    assert (places["environment"] / "satchel.db").exists() and not places["xdg"].exists()
    home(XDG_DATA_HOME=places["xdg"])
    assert (places["xdg"] / "satchel" / "satchel.db").exists()
    home()
    assert (device.directory / ".local" / "share" / "satchel" / "satchel.db").exists()


# Arguments and files that can't be used


def test_arguments_that_are_not_utf_8_are_refused_and_nothing_is_stored(device):
    process = subprocess.run(
        [binary("satchel"), "--home", str(device.home), "add", b"caf\xe9"], stdin=subprocess.DEVNULL, capture_output=True,
        cwd=device.directory, env=plain_environment(device.directory))
    assert process.returncode == 2, process
    assert "caf\\xE9" in process.stderr.decode() and "not UTF-8" in process.stderr.decode()
    assert device.titles() == []


def test_a_folder_is_refused_as_a_file_of_tasks(device):
    result = device.try_("import", "taskwarrior", "/etc")
    assert result.code == 2 and "is a folder" in result.err, str(result)


def test_a_missing_terminal_is_not_reported_as_a_socket(device):
    process = subprocess.run(
        [binary("satchel"), "--home", str(device.home), "note", "Title", "--body-file", "/dev/tty"], start_new_session=True,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=device.directory,
        env=plain_environment(device.directory))
    assert process.returncode == 3 and "no such device" in process.stderr and "socket" not in process.stderr, process
