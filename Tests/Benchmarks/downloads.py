"""First syncs of a fresh device, and syncs with nothing to do."""

import contextlib
import shutil

import peers
import setting
from harness import Device
from measuring import Goal, Row, in_sequence, timed


@contextlib.contextmanager
def first_sync(place, count):
    """A fresh, signed-in device receives a whole space.

    The yardstick gets the same pages (the same URLs, compressed as libcurl requests it) in one curl with one
    connection, and passes them to the sqlite3 shell, which inserts them into the same tables, indexes and triggers (a
    copy of a fresh device's file), in the same mode, one transaction per page. It does not verify, hash or report
    anything.
    """
    with setting.filled_server(place, count) as server, peers.downloading(place / "peer", count) as sides:
        # A token lives for a quarter of an hour, so each round of the yardstick has a session of its own.
        urls = page_urls(server, setting.api(server))
        empty = place / "empty.db"
        fresh = Device(place / "fresh").log_in(server)
        setting.copy(fresh.home / "satchel.db", empty)

        def product(number):
            device = Device(place / f"device-{number}").log_in(server)
            sample = timed(device.command("sync"), setting.environment(device))
            setting.expect(count, device.home / "satchel.db")
            shutil.rmtree(device.directory)
            return sample

        def yardstick(number):
            (place / "header").write_text(f"Authorization: Bearer {setting.api(server).token}\n")
            file = place / f"yardstick-{number}.db"
            shutil.copy(empty, file)
            pages = [place / f"page-{index}.json" for index in range(len(urls))]
            outputs = [part for page, url in zip(pages, urls) for part in ("-o", page, url)]
            script = place / "take-in.sql"
            script.write_text("PRAGMA synchronous = FULL;\n" + "".join(map(take_in, pages)))
            sample = in_sequence(
                timed(["curl", "-sS", "--fail", "--compressed", "-H", f"@{place / 'header'}", *outputs]),
                timed(["sqlite3", "-bail", file, f".read {script}"]))
            setting.expect(count, file)
            setting.remove(place, "yardstick-*")
            return sample

        yield Row(
            product, yardstick, "curl, then sqlite3",
            {"time": Goal(ratio=1.2), "memory": Goal(value=60e6, unit="B")}, sides)


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
def nothing_to_do(place, count):
    """A device in step asks for changes; the yardstick is a health request to the same server with curl."""
    with setting.filled_server(place, count) as server:
        device = setting.signed_in(place / "device", server)
        setting.expect(count, device.home / "satchel.db")
        yield Row(
            lambda _: timed(device.command("sync"), setting.environment(device)),
            lambda _: timed(["curl", "-sS", "--fail", f"{server.url}/healthz"]), "curl /healthz",
            {"time": Goal(ratio=2.5)})
