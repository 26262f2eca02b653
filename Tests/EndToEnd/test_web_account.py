"""What a user does on the page of the account: devices, app passwords, the password, and deleting the account."""

import json

import pytest

from harness.device import PASSWORD
from harness.web import Web


@pytest.fixture
def web(laptop, page):
    """The page of a device that is signed in, in a signed-in browser."""
    web = Web(laptop)
    page.enter(web.link)
    return web


def devices(device):
    """The devices and app passwords of the account, by their names."""
    return {entry["name"]: entry for entry in json.loads(device.run("devices", "--json").out)["devices"]}


def alert(page):
    """The text of the failure, as soon as one is reported."""
    return page.until(lambda: next((entry.text for entry in page.all("[role=alert]") if entry.text), None), "a failure")


def after_a_second(page, verb, notice, **fields):
    """Sends a form after a wrong password, which makes the server require a second before the next one."""
    def is_done():
        page.send(verb, **fields)
        # The script inserts the messages again for screen readers, so there are none for a moment.
        return notice in page.until(lambda: " ".join(entry.text for entry in page.all("#notice, #failure")), "an answer")

    page.until(is_done, f"{notice!r} is shown")
    return page


# App passwords


def test_an_app_password_is_created_and_its_secret_is_shown_once(server, laptop, web, page):
    page.open(web.origin + "/session").send("token", Name="phone", Password="not the password")
    assert "The current password is wrong. Nothing was changed." in alert(page)
    assert page.field("Name", inside="#form-token").get_property("value") == "phone"
    assert page.field("Password", inside="#form-token").get_property("value") == ""
    page.unfold("More", inside="#form-token").press("Read only", role="checkbox", inside="#form-token")
    after_a_second(page, "token", "Created the app password phone", Name="phone", Password=PASSWORD, Expires="90d")
    page.shows("The app password phone", "read-only until")
    secret = page.until(lambda: next((code.text for code in page.all("#status code")), None), "the secret is shown")
    api = server.api
    api.token = secret
    [space] = api.request("GET", "/v1/spaces").json["spaces"]
    assert api.request("GET", f"/v1/spaces/{space['id']}/changes").status == 200
    source = page.reload().driver.page_source
    assert secret not in source and PASSWORD not in source
    source = page.open(web.origin + "/session?devices=1").shows("phone", "read-only until").driver.page_source
    assert secret not in source


def test_an_app_password_is_revoked(server, laptop, web, page):
    laptop.run("token", "add", "phone", "--password-file", laptop.password_file())
    page.open(web.origin + "/session?devices=1").shows("phone", "full access until")
    with page.leaving():
        page.press("Revoke: phone")
    page.shows("Revoked the app password phone")
    assert [name for name, entry in devices(laptop).items() if "appPassword" in entry] == []


# Devices


def test_a_device_is_renamed(server, laptop, desktop, web, page):
    desktop.run("devices", "--name", "desktop")
    id = devices(laptop)["desktop"]["id"]
    page.open(web.origin + "/session?devices=1").send(f"rename-{id}", Name="kitchen")
    page.shows(f"Named the device {id} kitchen")
    assert devices(desktop)["kitchen"]["id"] == id and "desktop" not in devices(desktop)


def test_another_device_is_signed_out(server, laptop, desktop, web, page):
    desktop.run("devices", "--name", "desktop")
    page.open(web.origin + "/session?devices=1").shows("this one")
    with page.leaving():
        page.press("Sign out: desktop")
    page.shows("Signed out desktop")
    assert desktop.try_("sync").code == 4
    laptop.sync()


@pytest.mark.parametrize("choice, notice, code", [
    ("Others", "This device stays signed in.", 0), ("Everywhere", "this device included", 4)])
def test_all_devices_are_signed_out(server, laptop, desktop, web, page, choice, notice, code):
    page.open(web.origin + "/session").unfold("More", inside="#form-logout")
    page.press(choice, role="checkbox", inside="#form-logout").send("logout").shows(notice)
    assert desktop.try_("sync").code == 4
    assert laptop.try_("sync").code == code


# The password, and deleting the account


def test_the_password_is_changed(server, laptop, desktop, web, page):
    page.open(web.origin + "/session").send("password", Current="not the password", New="another good phrase")
    assert "The current password is wrong. Nothing was changed." in alert(page)
    desktop.sync()
    after_a_second(page, "password", "Changed the password", Current=PASSWORD, New="another good phrase")
    assert "another good phrase" not in page.driver.page_source
    laptop.sync()
    assert desktop.try_("sync").code == 4
    desktop.log_in(server, password="another good phrase").sync()


def test_deleting_the_account_needs_the_password_and_keeps_the_records_here(server, laptop, desktop, web, page):
    laptop.run("add", "Buy milk")
    laptop.sync()
    page.open(web.origin + "/session").send("unregister", Password="not the password")
    assert "The current password is wrong. Nothing was changed." in alert(page)
    desktop.sync()
    after_a_second(page, "unregister", "Deleted the account ada", Password=PASSWORD).shows("Not signed in")
    assert desktop.try_("sync").code == 4
    assert laptop.titles() == ["Buy milk"] and not (laptop.home / "session.json").exists()
