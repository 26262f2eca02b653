"""Access to the page. Each refused request is tested together with the accepted one."""

import os
import re
import socket
import stat
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from harness import binary, wait_until
from harness.web import Web, request


@pytest.fixture
def web(device):
    device.run("add", "Secret plans")
    return Web(device)


@pytest.fixture
def cookie(web):
    """The cookie of a browser that was signed in by the link."""
    return let_in(web)


def let_in(web):
    parts = urlsplit(web.link)
    reply = web.request("GET", f"{parts.path}?{parts.query}")
    [cookie] = reply.cookies
    return cookie.split(";")[0]


def token(web, cookie):
    """The token of this session's forms."""
    return re.search(r'name="csrf" value="([^"]+)"', web.request("GET", "/list", cookie=cookie).text).group(1)


def add(web, cookie, title, csrf=None, **headers):
    """Sends the form that adds a task."""
    form = {"words": title, "at": "/list"}
    if csrf is not None:
        form["csrf"] = csrf
    return web.request("POST", "/list/add", form, cookie=cookie, **headers)


# In a browser


def test_the_link_opens_the_page_once(web, page, make_page, complaints):
    page.enter(web.link).shows("Secret plans")
    assert web.link.split("=")[-1] not in page.url
    other = make_page().open(web.link)
    complaints.append("403")
    assert "Secret plans" not in other.text and "link was already used" in other.text


def test_without_a_cookie_nothing_is_shown(web, page, make_page, complaints):
    complaints.append("401")
    stranger = make_page()
    for path in ("/", "/list", "/detail", "/sync", "/conflicts"):
        stranger.open(web.origin + path)
        assert "Secret plans" not in stranger.driver.page_source and "closed" in stranger.text
    page.enter(web.link).shows("Secret plans")
    stranger.open(web.origin + "/list")
    assert "Secret plans" not in stranger.text


def test_scripts_of_the_page_can_not_read_its_cookie(web, page):
    page.enter(web.link)
    [cookie] = page.driver.get_cookies()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
    assert page.script("return document.cookie") == ""


def test_the_browser_is_opened_by_a_private_file_and_no_argument_has_the_key(device, page, tmp_path):
    device.run("add", "Secret plans")
    seen = tmp_path / "seen"
    programs = tmp_path / "programs"
    programs.mkdir()
    program = programs / "xdg-open"
    program.write_text(f"#!/bin/sh\ncat /proc/$$/cmdline > {seen}.part\nmv {seen}.part {seen}\n")
    program.chmod(0o755)
    web = Web(device, "--port", 0, "--open", environment={"PATH": f"{programs}:{os.environ['PATH']}"})
    wait_until(seen.exists, "the browser is opened")
    arguments = seen.read_bytes().decode().rstrip("\0").split("\0")
    file = Path(arguments[-1])
    assert not any("http" in argument or "key=" in argument for argument in arguments)
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)
    page.enter(file.as_uri()).shows("Secret plans")
    wait_until(lambda: not file.exists(), "the file is removed once its link is used")
    page.reload().shows("Secret plans")
    assert web.stop() == 0


def test_an_unused_file_is_removed_with_the_page(device, tmp_path):
    (tmp_path / "xdg-open").write_text("#!/bin/sh\n")
    (tmp_path / "xdg-open").chmod(0o755)
    web = Web(device, "--port", 0, "--open", environment={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert len(list((device.home / "page").iterdir())) == 1
    web.stop()
    assert list((device.home / "page").iterdir()) == []


def test_a_reload_stays_signed_in(web, page):
    page.enter(web.link).shows("Secret plans")
    page.reload().shows("Secret plans")


def test_a_link_on_another_page_opens_it(web, page):
    page.open(f"data:text/html,<title>Mail</title><a href='{web.link}'>Satchel</a>")
    page.follow("Satchel")
    page.shows("Secret plans")


def test_closing_the_session_signs_out_this_browser_and_no_other(web, page, complaints, make_page, device):
    page.enter(web.link).shows("Secret plans")
    [cookie] = page.driver.get_cookies()
    stolen = f"{cookie['name']}={cookie['value']}"
    assert web.request("GET", "/list", cookie=stolen).status == 200
    with page.leaving():
        page.press("Close this page’s session")
    page.lacks("Secret plans")
    complaints.append("401")
    page.open(web.origin + "/list").shows("closed")
    assert page.driver.get_cookies() == []
    assert web.request("GET", "/list", cookie=stolen).status == 401


# By plain HTTP


def test_the_cookie_is_for_this_page_only(web):
    parts = urlsplit(web.link)
    [line] = web.request("GET", f"{parts.path}?{parts.query}").cookies
    [morsel] = SimpleCookie(line).values()
    assert (morsel["httponly"], morsel["samesite"], morsel["path"], morsel["domain"]) == (True, "Strict", "/", "")
    # Cookies belong to a host, whatever the port.
    assert str(web.port) in morsel.key
    assert len(morsel.value) >= 32


def test_a_forged_link_opens_nothing(web):
    parts = urlsplit(web.link)
    name, key = parts.query.split("=")
    for wrong in ("", key[:-1], key + "A", key.swapcase(), "A" * len(key)):
        reply = web.request("GET", f"{parts.path}?{name}={wrong}")
        assert (reply.status, reply.cookies) == (403, [])
    assert web.request("GET", f"{parts.path}?{parts.query}").cookies


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}", ""])
def test_a_foreign_host_is_refused(web, cookie, host):
    assert web.request("GET", "/list", cookie=cookie).status == 200
    refused = request(web.port, "GET", "/list", cookie=cookie, host=host.format(port=web.port) or " ")
    assert refused.status in (400, 421) and "Secret plans" not in refused.text


def test_a_form_of_another_origin_is_refused(web, cookie):
    csrf = token(web, cookie)
    foreign = ["http://evil.example", "null", f"https://127.0.0.1:{web.port}", "http://127.0.0.1:1", "http://localhost"]
    for origin in foreign:
        assert add(web, cookie, "Forged", csrf, Origin=origin).status == 403
    for site in ("cross-site", "same-site"):
        assert add(web, cookie, "Forged", csrf, Sec_Fetch_Site=site).status == 403
    assert web.device.titles() == ["Secret plans"]
    assert add(web, cookie, "Mine", csrf, Origin=web.origin, Sec_Fetch_Site="same-origin").status == 303
    assert web.device.titles() == ["Mine", "Secret plans"]


def test_embedding_and_fetching_by_another_page_are_refused(web, cookie):
    for site in ("cross-site", "same-site"):
        reply = web.request("GET", "/list", cookie=cookie, Sec_Fetch_Site=site)
        assert reply.status == 403 and "Secret plans" not in reply.text
    assert "Secret plans" in web.request("GET", "/list", cookie=cookie, Sec_Fetch_Site="none").text


def test_a_form_without_its_token_is_refused(web, cookie):
    csrf = token(web, cookie)
    for wrong in (None, "", csrf[:-1], csrf.swapcase()):
        assert add(web, cookie, "Forged", wrong).status == 403
    assert web.device.titles() == ["Secret plans"]
    assert add(web, cookie, "Mine", csrf).status == 303
    assert web.device.titles() == ["Mine", "Secret plans"]


def test_the_token_of_one_session_is_invalid_in_another(web, cookie, make_device):
    other = Web(make_device())
    foreign = token(other, let_in(other))
    assert foreign != token(web, cookie)
    assert add(web, cookie, "Forged", foreign).status == 403


@pytest.mark.parametrize("path", ["/list", "/nothing", "/open?key=wrong", "/page.css", "/page.js", "/list/add"])
def test_every_answer_has_the_security_headers(web, cookie, path):
    """Including refusals and answers without a session."""
    for reply in (web.request("GET", path, cookie=cookie), web.request("GET", path)):
        policy = dict(part.strip().split(" ", 1) for part in reply.headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert (policy["frame-ancestors"], policy["form-action"], policy["base-uri"]) == ("'none'", "'self'", "'none'")
        assert policy["script-src"] == "'self'" and policy["style-src"] == "'self'"
        assert "unsafe" not in reply.headers["content-security-policy"]
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in reply.headers
        assert "no-store" in reply.headers["cache-control"]


def test_the_stream_of_changes_needs_a_session(web, cookie):
    assert web.request("GET", "/live?at=/list", cookie=cookie).headers["content-type"].startswith("text/event-stream")
    assert web.request("GET", "/live?at=/list").status == 401


def test_an_address_of_another_site_is_ignored(web, cookie):
    """The address that a form returns to is an address of this page, or ignored."""
    csrf = token(web, cookie)
    for place in ("//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "/list\r\nX: y"):
        form = {"words": "Mine", "csrf": csrf, "at": place}
        reply = web.request("POST", "/list/add", form, cookie=cookie)
        assert reply.status == 303 and re.fullmatch(r"/[a-z][^\\\r\n]*", reply.headers["location"]), reply.headers
    assert web.request("POST", "/list/add", {"words": "Mine", "csrf": csrf, "at": "/sync"}, cookie=cookie).headers[
        "location"] == "/sync"


def test_it_listens_on_this_machine_only(web):
    """The port is bound at the loopback address, not at all addresses."""
    with open("/proc/net/tcp", encoding="ascii") as file:
        listening = [line.split()[1] for line in file.readlines()[1:] if line.split()[3] == "0A"]
    assert f"0100007F:{web.port:04X}" in listening
    assert f"00000000:{web.port:04X}" not in listening
    with open("/proc/net/tcp6", encoding="ascii") as file:
        assert not [line for line in file if line.split()[1].endswith(f":{web.port:04X}") and line.split()[3] == "0A"]


def test_a_port_in_use_is_reported(device):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = device.try_("web", "--port", port)
        assert result.code != 0 and str(port) in result.err and result.out == ""
        assert binary("satchel") not in result.err
