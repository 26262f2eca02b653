"""A server with many accounts. One is registered; the others are copies of its rows, since each registration hashes a
password for tens of milliseconds."""

import contextlib
import functools
import hashlib
import sqlite3
import time
import uuid
from typing import NamedTuple

import setting

PASSWORD = "correct horse"
# The devices hold sessions that outlive any row.
DAY = 86_400_000


class Account(NamedTuple):
    """An account with one session."""

    name: str
    token: str
    space: str

    def record(self, id):
        return f"/v1/spaces/{self.space}/records/tasks/{id}"


@functools.cache
def prepared(count):
    """The data directory of a server with these accounts, and the accounts."""
    place = setting.Setting.directory / f"accounts-{count}"
    with setting.server(place) as server:
        server.api.register("user-0", PASSWORD)
        server.stop()
    data = place / "server" / "data"
    return data, list(copies(data / "satchel.sqlite", count))


def copies(file, count):
    """Adds accounts to the one in the file. They have its password."""
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.row_factory = sqlite3.Row
        first = {table: dict(database.execute(f"SELECT * FROM {table}").fetchone())
                 for table in ("accounts", "sessions", "spaces", "members")}
        access = dict(database.execute("SELECT * FROM tokens WHERE kind = 'access'").fetchone())
        access["expires_at"] = int(time.time() * 1000) + DAY
        number = first["spaces"]["number"]

        def insert(table, row, **values):
            row = row | values
            places = ", ".join("?" * len(row))
            database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", list(row.values()))

        for index in range(count):
            name, token = f"user-{index}", f"token-of-user-{index}-{uuid.uuid4()}"
            account, session, space = str(uuid.uuid4()), str(uuid.uuid4()), str(uuid.uuid4())
            if index == 0:
                account, session, space = first["accounts"]["id"], first["sessions"]["id"], first["spaces"]["id"]
            else:
                insert("accounts", first["accounts"], id=account, username=name, personal_space=space)
                insert("spaces", first["spaces"], id=space, number=number + index)
                insert("members", first["members"], account=account, space=number + index)
                insert("sessions", first["sessions"], id=session, account=account, device=str(uuid.uuid4()))
            insert("tokens", access, hash=hashlib.sha256(token.encode()).digest(), session=session)
            yield Account(name, token, space)


@contextlib.contextmanager
def server(place, count, *flags):
    """A server with these accounts, and the accounts."""
    data, accounts = prepared(count)
    with setting.server(place, data, *flags) as running:
        yield running, accounts


@contextlib.contextmanager
def server_with_records(place, count):
    """A server with one account that has this many records, and the account, whose token is valid for a quarter of an hour."""
    with setting.filled_server(place, count) as running:
        api = setting.api(running)
        yield running, [Account("ada", api.token, api.space)]
