"""Texts of all kinds are unchanged everywhere: typed, stored, synced, shown, exported."""

import pytest

TEXTS = {
    "Arabic": "اشترِ الحليب غداً",
    "Hebrew and Latin": "לקנות חלב (milk) 2%",
    "emoji": "Pack 👩‍👩‍👧‍👦 🏳️‍🌈 🇦🇹 👍🏽",
    "combining": "Cafe\u0301 ≠ Café",
    "Chinese": "买牛奶 𠜎𠜱",
    "quotes": 'She said "don\'t" \\ and left',
    "percent": "100% %s %d $HOME `ls` ; & | > <",
    "zero width": "a\u200bb\u200d\ufeffc",
    "long": "word " * 500 + "end",
}

# Invisible characters are named where they are shown.
SHOWN = {TEXTS["zero width"]: "a‹U+200B›b‹U+200D›‹U+FEFF›c"}


@pytest.fixture
def pair(laptop, desktop):
    def through(id):
        laptop.sync()
        desktop.sync()
        assert laptop.export() == desktop.export()
        return desktop.fields(id)
    return laptop, through


def test_titles_in_any_script_are_unchanged(pair):
    laptop, through = pair
    made = {laptop.add("--", text): text for text in TEXTS.values()}
    through(next(iter(made)))
    for id, text in made.items():
        assert through(id)["title"] == text
        assert (SHOWN.get(text) or text[:40]) in laptop.run("show", id).out


def test_a_script_in_any_script(device):
    device.run(stdin='add "اشترِ الحليب" +تسوق\nadd 👩‍👩‍👧‍👦\n')
    assert device.titles() == sorted(["اشترِ الحليب", "👩‍👩‍👧‍👦"])
    assert "اشترِ" in device.run("list", "+تسوق").out


def test_texts_are_unchanged_in_the_c_locale(make_device):
    device = make_device(LANG="C", LC_ALL="C")
    device.run("add", "Grüße 👍")
    assert device.titles() == ["Grüße 👍"] and "Grüße 👍" in device.run("list").out


def test_a_body_of_10000_lines_is_unchanged_and_is_merged_by_line(laptop, desktop):
    lines = [f"line {number}: ü 👍" for number in range(10_000)]
    laptop.run("note", "Long")
    id = laptop.record("Long")["id"]

    def write(device, lines):
        device.run("edit", id, "--body-file", device.write("body.txt", "\n".join(lines) + "\n"))

    write(laptop, lines)
    laptop.sync()
    desktop.sync()
    assert desktop.fields(id)["body"].splitlines() == lines
    write(laptop, ["first, from the laptop"] + lines[1:])
    write(desktop, lines[:-1] + ["last, from the desktop"])
    for device in [laptop, desktop, laptop]:
        device.sync()
    assert laptop.export() == desktop.export()
    assert laptop.fields(id)["body"].splitlines() == ["first, from the laptop"] + lines[1:-1] + ["last, from the desktop"]


def test_line_ends_and_a_missing_last_one_are_unchanged(pair):
    laptop, through = pair
    for number, body in enumerate(["no end", "unix\nend\n", "dos\r\nend\r\n", "\n\n\n", "  spaces  \n\ttab\n"]):
        laptop.run("note", f"Note {number}")
        id = laptop.record(f"Note {number}")["id"]
        laptop.run("edit", id, "--body-file", laptop.write("body", body))
        assert through(id)["body"] == body


def test_search_finds_words_ignoring_accents_and_case(device):
    device.run("add", "Crème brûlée für Übermorgen")
    for words in ["creme", "BRULEE", "ubermorgen"]:
        assert "Crème" in device.run("search", words).out
