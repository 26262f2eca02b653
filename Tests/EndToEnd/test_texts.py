"""Texts of all kinds through a process: arguments, input, files, output. The other tests of texts are in Tests/SatchelApp."""


def test_a_script_with_texts_in_any_writing_system(device):
    device.run(stdin='add "اشترِ الحليب" +تسوق\nadd 👩‍👩‍👧‍👦\n')
    assert device.titles() == sorted(["اشترِ الحليب", "👩‍👩‍👧‍👦"])
    assert "اشترِ" in device.run("list", "+تسوق").out


def test_texts_are_unchanged_in_the_c_locale(make_device):
    device = make_device(LANG="C", LC_ALL="C")
    device.run("add", "Grüße 👍")
    assert device.titles() == ["Grüße 👍"] and "Grüße 👍" in device.run("list").out


def test_line_ends_of_a_file_are_unchanged(device):
    body = "unix\ndos\r\n\n  spaces  \n\ttab\r\nno end"
    device.run("note", "Lines", "--body-file", device.write("body", body))
    assert device.record("Lines")["fields"]["body"] == body
