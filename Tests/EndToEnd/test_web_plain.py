"""The page in a browser without scripts: everything works except live changes."""

from harness import wait_until
from harness.device import PASSWORD, meet
from harness.web import Web


def test_scripts_are_off(plain):
    """A precondition of these tests."""
    plain.open("data:text/html,<title>off</title><script>document.title = 'on'</script>")
    assert plain.title == "off"


def test_records_are_added_edited_done_deleted_and_restored(device, plain):
    web = Web(device)
    plain.enter(web.link).send("add", Add_a_task="Buy milk +shop").shows("Buy milk")
    plain.follow("Buy milk")
    plain.send("edit", Title="Buy oat milk").shows("Buy oat milk")
    id = device.record("Buy oat milk")["id"]
    plain.open(web.origin + "/list").press("Done: Buy oat milk")
    wait_until(lambda: device.fields(id)["status"] == "completed", "it is done")
    plain.open(web.origin + "/list?filter=all").unfold("More for Buy oat milk")
    plain.unfold("Delete…", inside=".menu").press("Delete: Buy oat milk")
    wait_until(lambda: device.titles() == [], "it is deleted")
    plain.press("Undo")
    wait_until(lambda: device.titles() == ["Buy oat milk"], "it is restored")


def test_a_note_keeps_its_lines(device, plain):
    plain.enter(Web(device).link).send("add-note", Title="Garden", Body="peas\n\n  beans\nleeks 🌱")
    wait_until(lambda: device.record("Garden")["fields"]["body"] == "peas\n\n  beans\nleeks 🌱", "it is kept")


def test_signing_in_syncing_and_resolving_a_conflict(server, laptop, desktop, plain, make_device):
    id = laptop.add("Buy milk")
    meet(laptop, desktop)
    laptop.run("edit", id, "--title", "Buy oat milk")
    desktop.run("edit", id, "--title", "Buy rice milk")
    meet(laptop, desktop)
    device = make_device()
    web = Web(device)
    plain.enter(web.link).open(web.origin + "/login")
    plain.send("login", Name="ada", Password=PASSWORD, Server=server.url).shows("ada")
    plain.open(web.origin + "/sync").send("sync").shows("1 conflict").follow("1 conflict")
    plain.shows("Buy oat milk", "Buy rice milk")
    with plain.leaving():
        plain.press("The earlier")
    plain.lacks("1 conflict")
    assert device.fields(id)["title"] == "Buy oat milk"


def test_an_error_is_reported_and_no_input_is_lost(device, plain):
    plain.enter(Web(device).link).send("add", Add_a_task="Buy bread due:whenever").shows("whenever")
    assert plain.field("Add a task", inside="#form-add").get_property("value") == "Buy bread due:whenever"


def test_a_reload_shows_what_changed(device, plain):
    plain.enter(Web(device).link)
    device.run("add", "From a command")
    plain.until(lambda: "From a command" in plain.reload().text, "a reload shows it")


def test_a_reload_groups_the_list_again(device, plain):
    device.run("add", "Now", "due:today")
    plain.enter(Web(device).link).shows("Now")
    device.run("add", "Late", "due:yesterday")
    plain.until(lambda: "Late" in plain.reload().text, "a reload shows it")
    plain.lacks("New since")


def test_the_session_is_closed(device, plain, complaints):
    web = Web(device)
    plain.enter(web.link).press("Close this page’s session")
    complaints.append("401")
    plain.open(web.origin + "/list").shows("closed")


def test_a_sync_that_hangs_is_shown_and_cancelled(make_device, make_proxy, server, plain):
    proxy, device = make_proxy(server), make_device()
    device.run("register", "ada", "--server", proxy.url, "--password-file", device.password_file())
    device.run("add", "Milk")
    proxy.hold_answer("POST", "/changes", times=9)
    proxy.hold_answer("GET", "/changes", times=9)
    web = Web(device)
    plain.enter(web.link).open(web.origin + "/sync")
    plain.send("sync").shows("Receiving…").press("Cancel").shows("cancelled")
