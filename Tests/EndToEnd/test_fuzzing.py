"""What Tests/fuzz does with the inputs that libFuzzer finds; in place of libFuzzer, a script selects all of them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Fuzzing"))

import fuzz

MERGER = """#!/bin/sh
for argument; do before=$last; last=$argument; done
case " $* " in *" -merge=1 "*) cp "$last"/* "$before" ;; *) exit 1 ;; esac
[ "$FUZZ_TARGET" = json ]
"""


@pytest.fixture
def merger(monkeypatch, tmp_path):
    """A program in place of the one with all targets, and directories in place of the repository's."""
    for name, path in [("TOP", ""), ("CORPUS", "Corpus"), ("WORK", "work")]:
        monkeypatch.setattr(fuzz, name, tmp_path / path)
    for directory in ("Corpus/json", "work/json"):
        (tmp_path / directory).mkdir(parents=True)
    (fuzz.CORPUS / "json" / "small.input").write_bytes(b"1")
    program = tmp_path / "fuzz"
    program.write_text(MERGER)
    program.chmod(0o755)
    return program


def find(number, size):
    """Stores an input as libFuzzer does, named by its digest."""
    (fuzz.WORK / "json" / f"{number:040x}").write_bytes(b"x" * size)


def kept():
    return sorted(file.stat().st_size for file in (fuzz.CORPUS / "json").glob("kept-*.input"))


def test_the_smallest_new_inputs_are_kept_up_to_a_number(merger):
    for number in range(2 * fuzz.KEPT_FILES):
        find(number << 140, number + 1)
    assert len(fuzz.keep_found(merger, "json")) == fuzz.KEPT_FILES
    assert kept() == list(range(1, fuzz.KEPT_FILES + 1))
    assert fuzz.keep_found(merger, "json") == []
    assert len(kept()) == fuzz.KEPT_FILES


def test_large_inputs_are_not_kept(merger):
    find(1, fuzz.KEPT_BYTES + 1)
    find(2 << 140, fuzz.KEPT_BYTES)
    [place] = fuzz.keep_found(merger, "json")
    assert kept() == [fuzz.KEPT_BYTES]
    assert (fuzz.TOP / place).parent == fuzz.CORPUS / "json"


def test_a_merge_that_fails_is_reported_and_keeps_nothing(merger):
    merger.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    find(1, 1)
    with pytest.raises(SystemExit, match="can't merge the inputs of json"):
        fuzz.keep_found(merger, "json")
    assert kept() == []
