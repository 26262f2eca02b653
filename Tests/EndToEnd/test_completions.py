"""Tab in bash, zsh and fish, in real shells."""

import os
import subprocess

import pytest

from harness import binary, program
from harness.shell import Shell, environment, fish_offers


@pytest.fixture
def book(device):
    """Records whose names are difficult to complete."""
    device.run("add", "Buy milk", "+shop", "project:Big house")
    device.run("add", "Grüße an Zoë", "+Später", "project:it's")
    device.run("add", "Cost $5", "+shed", "project:a:b")
    return device


@pytest.fixture(params=["bash", "zsh"])
def shell(request, book):
    shells = [Shell(request.param, book)]
    yield shells[0]
    shells[0].close()


TYPED = [
    ("satchel exp", "satchel export "), ("satchel list --lim", "satchel list --limit "), ("satchel list +sho", "satchel list +shop "),
    ("satchel list -Sp", "satchel list -Später "), ("satchel add x pro", "satchel add x project:"),
    ("satchel list project:Big", "satchel list project:Big\\ house "), ("satchel list project:Big\\ ho", "satchel list project:Big\\ house "),
    ('satchel list "project:Big ho', 'satchel list "project:Big house" '), ("satchel list project:it", "satchel list project:it\\'s "),
    ("satchel list project:a:", "satchel list project:a:b "), ("satchel help dat", "satchel help dates "),
    ("satchel --view js", "satchel --view json "), ("satchel --vi", "satchel --view "), ("satchel nonsense +sho", "satchel nonsense +sho"),
    ("satchel --view line list +sho", "satchel --view line list +shop "), ("satchel completions z", "satchel completions zsh "),
]


def test_a_unique_completion_is_inserted(shell):
    got = {typed: shell.tab(typed)[0] for typed, _ in TYPED}
    assert {typed: line.rstrip() for typed, line in got.items()} == {typed: line.rstrip() for typed, line in TYPED}
    assert got["satchel add x pro"] == "satchel add x project:", "more of the word follows"
    assert got["satchel exp"] == "satchel export ", "the word is complete"


def test_several_completions_are_shown_with_their_descriptions(shell):
    line, shown = shell.tab("satchel list +sh", times=2)
    assert line == "satchel list +sh" and "+shop" in shown and "+shed" in shown
    _, shown = shell.tab("satchel re", times=2)
    assert "register" in shown and "Create an account on a server" in shown


def test_a_record_is_found_by_words_of_its_title(shell, book):
    id = book.record("Buy milk")["id"]
    line, _ = shell.tab("satchel show milk")
    letters = id.translate(str.maketrans("0123456789abcdef", "zyxwvutsrqponmlk", "-"))
    assert letters.startswith(line.split()[-1]) and len(line.split()[-1]) >= 4


def test_files_are_completed_by_the_shell(shell, book):
    book.write("contract one.txt", "text")
    assert shell.tab("satchel add x --body-file contr")[0].rstrip() == "satchel add x --body-file contract\\ one.txt"


@pytest.mark.parametrize("line, offers", [
    ("satchel exp", {"export"}), ("satchel list +sh", {"+shop", "+shed"}), ("satchel list -Sp", {"-Später"}),
    ("satchel list project:Big", {"project:Big house"}), ("satchel list project:Big\\ ho", {"project:Big house"}),
    ('satchel list "project:Big ho', {"project:Big house"}), ("satchel list project:it", {"project:it's"}),
    ("satchel list project:a:", {"project:a:b"}), ("satchel help dat", {"dates"}), ("satchel --view js", {"json"}),
    ("satchel nonsense +", set()),
])
def test_fish_gets_the_same_completions(book, line, offers):
    assert {offer.replace("\\ ", " ").replace("\\'", "'").strip("'\"") for offer in fish_offers(book, line)} == offers


def test_fish_describes_a_completion_and_completes_files(book):
    assert fish_offers(book, "satchel regis")["register"].startswith("Create an account")
    book.write("contract.txt", "text")
    assert "contract.txt" in fish_offers(book, "satchel add x --body-file contr")


def complete(device, line, **more):
    done = subprocess.run(
        ["satchel", "--complete", "zsh", line], capture_output=True, text=True, env={**environment(device), **more},
        cwd=device.directory)
    assert done.returncode == 0 and not done.stderr
    return done.stdout.splitlines()


def test_completing_creates_no_home_and_knows_the_commands_without_one(device):
    assert "export\tExport all records that the format can hold." in complete(device, "satchel exp")
    assert complete(device, "satchel list +") == ["words"]
    assert not device.home.exists()


def test_a_broken_cache_is_unchanged(book):
    cache = book.home / "satchel.db"
    for leftover in book.home.glob("satchel.db-*"):
        leftover.unlink()
    cache.write_bytes(b"no database" * 1_000)
    before = sorted(os.listdir(book.home))
    assert complete(book, "satchel list +sh") == ["words"]
    assert cache.read_bytes() == b"no database" * 1_000 and sorted(os.listdir(book.home)) == before


def test_completing_changes_nothing_in_the_home(book):
    def state():
        # SQLite's table of readers and writers (satchel.db-shm) is changed by readers, too.
        return {path.name: path.read_bytes() for path in book.home.iterdir() if not path.name.endswith("-shm")}

    before = state()
    assert "+shop" in complete(book, "satchel list +sh")
    assert len(complete(book, "satchel show milk")) == 2
    assert state() == before


def test_a_home_in_use_is_read(book):
    session = book.json_lines()
    session.ask("add", words=["Read", "+shelf"])
    assert "+shelf" in complete(book, "satchel list +she")
    assert session.finish() == 0


def test_the_home_named_in_the_line_is_read(book, make_device):
    other = make_device()
    other.run("add", "Read", "+books")
    assert complete(book, f"satchel --home {other.home} list +b") == ["words", "+books"]


def test_the_scripts_are_valid(device):
    script = subprocess.run(["satchel", "completions", "bash"], capture_output=True, text=True, env=environment(device)).stdout
    checked = subprocess.run([program("shellcheck"), "-"], input=script, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    assert not device.home.exists()


def test_the_server_has_its_own_scripts(server):
    for shell in ("bash", "zsh", "fish"):
        done = subprocess.run([binary("satcheld"), "--generate-completion-script", shell], capture_output=True, text=True)
        assert done.returncode == 0 and "backup" in done.stdout
