"""First syncs of a fresh device, and syncs with nothing to do."""

import contextlib
import shutil

import setting
from harness import Device
from harness.device import PASSWORD
from measuring import Row, timed


@contextlib.contextmanager
def first_sync(place, count):
    """A fresh, signed-in device receives a whole space.

    The yardstick gets the same pages (the same URLs, compressed as libcurl requests it) in one curl with one
    connection, and passes them to the sqlite3 shell, which inserts them into the same tables, indexes and triggers (a
    copy of a fresh device's file), in the same mode, one transaction per page. It does not verify, hash or report
    anything.
    """
    with setting.server(place) as server:
        origin = setting.device_with(place, count).register(server)
        origin.sync()
        api = server.api.log_in(password=PASSWORD)
        urls = page_urls(server, api)
        (place / "header").write_text(f"Authorization: Bearer {api.token}\n")
        empty = place / "empty.db"
        fresh = Device(place / "fresh").log_in(server)
        setting.copy(fresh.home / "satchel.db", empty)

        def product(number):
            device = Device(place / f"device-{number}").log_in(server)
            seconds = timed(device.command("sync"), setting.environment(device))
            setting.expect(count, device.home / "satchel.db")
            shutil.rmtree(device.directory)
            return seconds

        def yardstick(number):
            file = place / f"yardstick-{number}.db"
            shutil.copy(empty, file)
            pages = [place / f"page-{index}.json" for index in range(len(urls))]
            outputs = [part for page, url in zip(pages, urls) for part in ("-o", str(page), url)]
            script = place / "take-in.sql"
            script.write_text("PRAGMA synchronous = FULL;\n" + "".join(map(take_in, pages)))
            seconds = timed(["curl", "-sS", "--fail", "--compressed", "-H", f"@{place / 'header'}", *outputs])
            seconds += timed(["sqlite3", "-bail", str(file), f".read {script}"])
            setting.expect(count, file)
            for made in place.glob("yardstick-*"):
                made.unlink()
            return seconds

        yield Row(f"first sync of {count:,} records", "curl, then sqlite3", product, yardstick)


def page_urls(server, api):
    """The pages that a first sync requests."""
    base = f"{server.url}/v1/spaces/{api.space}/changes?limit=5000"
    urls = [base]
    while True:
        page = api.request("GET", urls[-1].removeprefix(server.url)).json
        if not page["more"]:
            return urls
        urls.append(f"{base}&since={page['cursor']}")


def take_in(page):
    return f"""
        BEGIN IMMEDIATE;
        INSERT INTO records (space, collection, id, version, deleted, modified_at, modified_by, fields, clock)
        SELECT 1, value ->> 'collection', value ->> 'id', value ->> 'version', value ->> 'deleted',
            value ->> 'modifiedAt', value ->> 'modifiedBy', value -> 'fields', value -> 'clock'
        FROM json_each(CAST(readfile('{page}') AS TEXT), '$.records');
        COMMIT;
        """


@contextlib.contextmanager
def nothing_to_do(place):
    """A device in step asks for changes; the yardstick is a health request to the same server with curl."""
    with setting.server(place) as server:
        device = setting.device_with(place, 10_000).register(server)
        device.sync()

        def product(_):
            return timed(device.command("sync"), setting.environment(device))

        def yardstick(_):
            return timed(["curl", "-sS", "--fail", f"{server.url}/healthz"])

        yield Row("sync with nothing to do, 10,000 records", "curl /healthz", product, yardstick)
