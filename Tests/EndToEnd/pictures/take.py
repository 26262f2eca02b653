#!/usr/bin/env python3
"""Pictures of each page of `satchel web` and of a session at the prompt, with invented records and a fixed clock."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import Device, Server, clock  # noqa: E402
from harness.browser import Chromium  # noqa: E402
from harness.device import meet  # noqa: E402
from harness.screen import Screen  # noqa: E402
from harness.web import Web  # noqa: E402
from pictures import lists, terminal  # noqa: E402

HERE = Path(__file__).resolve().parent
DESKTOP, PHONE = (1280, 800), (390, 844)
PORT = 8286
# The task that is shown with all details.
RECORD = "Call the plumber about the kitchen tap"
DAY = "2026-12-01"
# The limit of the pictures' total size, in bytes: they are in every clone.
LIMIT = 2_000_000


class NamedDevice(Device):
    """A device whose name isn't this machine's."""

    def command(self, *arguments):
        own = ["unshare", "--uts"] if os.geteuid() == 0 else ["unshare", "--uts", "--map-root-user"]
        return [*own, "sh", "-c", 'hostname "$0" && exec "$@"', self.directory.name, *super().command(*arguments)]


def at(time):
    """The environment of a process whose clock begins at a time of the day."""
    return clock(f"@{DAY} {time}:00")


def prepare(directory, server):
    """A laptop and a desktop of one user, with two conflicts between them; returns the laptop."""
    laptop, desktop = (NamedDevice(directory / name, at("08:00")) for name in ("laptop", "desktop"))
    laptop.register(server)
    laptop.run("import", "satchel", HERE / "sample.json")
    laptop.run("add", "Put the bins out", "due:today", "repeat:weekly", "+house")
    laptop.run("save", "errands", "+errand")
    laptop.sync()
    desktop.log_in(server).sync()
    ticket, note = laptop.record("Book train tickets to Lyon")["id"], laptop.record("Packing list")["id"]
    for device, time, title, line in (
            (desktop, "08:10", "Book train tickets to Lyon, window seats", "an umbrella"),
            (laptop, "08:20", "Book train tickets to Lyon and back", "the good raincoat")):
        body = device.fields(note)["body"].replace("raincoat", line)
        device.run("edit", ticket, "--title", title, environment=at(time))
        device.run("edit", note, "--body-file", device.write("body.txt", body), environment=at(time))
    laptop.environment = desktop.environment = at("08:45")
    meet(laptop, desktop)
    laptop.environment = at("09:00")
    return laptop


def addresses(page, origin, record):
    """The pages by name: all of the navigation, and those linked from a record."""
    links = page.all("nav[aria-label=Screens] a")
    shown = {link.get_attribute("href").rsplit("/", 1)[-1]: link.get_attribute("href") for link in links}
    lists = {"lists": f"{origin}/lists", "search": f"{origin}/list?filter=plumb&search=1"}
    return {**shown, **lists, "detail": f"{origin}/detail?record={record}", "history": f"{origin}/history?record={record}"}


def shoot(page, path, size, scheme):
    """One picture of a page."""
    page.size(*size).colours(scheme).reload()
    page.driver.save_screenshot(str(path))
    reduce_colours(path)


def reduce_colours(path):
    subprocess.run(["pngquant", "--force", "--strip", "--speed", "1", "--ext", ".png", "64", str(path)], check=True)


def pictures(page, name, directory):
    """A page in both sizes, light; for a desktop also dark, under the name that DocC expects."""
    shoot(page, directory / f"{name}-desktop.png", DESKTOP, "light")
    shoot(page, directory / f"{name}-desktop~dark.png", DESKTOP, "dark")
    shoot(page, directory / f"{name}-phone.png", PHONE, "light")


def session(page, directory, path):
    """A picture of a session at the prompt, 80 columns wide."""
    screen = Screen(NamedDevice(directory / "terminal"), rows=40, NO_COLOR="", **at("09:00"))
    terminal.run(screen)
    document = directory / "terminal.html"
    document.write_text(terminal.html(screen), encoding="utf-8")
    page.open(document.as_uri()).size(*DESKTOP)
    page.driver.find_element("css selector", "pre").screenshot(str(path))
    reduce_colours(path)


def list_pictures(page, directory, target):
    """Pictures of `list` with few and with many records, on terminals of several widths."""
    for old in target.glob("list-*.png"):
        old.unlink()
    for name, columns in [("handmade", 40), ("handmade", 80), ("handmade", 120), ("handmade", 200), ("tasks", 80), ("tasks", 120)]:
        device = NamedDevice(directory / f"{name}-{columns}", lists.NOW)
        lists.fill(device, name)
        words = ["list", "task", "or", "note", "--limit", "15"]
        screen = Screen(device, *words, columns=columns, rows=60, NO_COLOR="", COLORFGBG="15;0", **lists.NOW)
        screen.ends()
        document = directory / f"{name}-{columns}.html"
        document.write_text(terminal.html(screen), encoding="utf-8")
        page.open(document.as_uri()).size(2200, 1600)
        path = target / f"list-{name}-{columns}.png"
        page.driver.find_element("css selector", "pre").screenshot(str(path))
        reduce_colours(path)


def main(target, session_target, lists_target):
    for place in (target, session_target, lists_target):
        place.mkdir(parents=True, exist_ok=True)
    for old in target.glob("*.png"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="satchel-screenshots-") as place:
        directory = Path(place)
        server, browser, laptop = Server(directory / "server"), Chromium(), None
        try:
            # The port is visible in the pictures.
            server.port = PORT
            laptop = prepare(directory, server.start(environment=at("08:40")))
            web = Web(laptop)
            with browser.profile() as page:
                page.size(*DESKTOP).enter(web.link)
                for name, address in addresses(page, web.origin, laptop.record(RECORD)["id"]).items():
                    page.open(address)
                    pictures(page, name, target)
                session(page, directory, session_target / "session.png")
                list_pictures(page, directory, lists_target)
        finally:
            browser.close()
            if laptop:
                laptop.close()
            server.close()
    size = sum(path.stat().st_size for path in target.glob("*.png"))
    assert size <= LIMIT, f"the pictures are {size} bytes, more than {LIMIT}"
    print(f"{len(list(target.glob('*.png')))} pictures, {size // 1000} kB, in {target}")


if __name__ == "__main__":
    main(*(Path(argument).resolve() for argument in sys.argv[1:4]))
