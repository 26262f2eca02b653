"""The memory cost of one caller's requests, measured from outside: resident pages of the server's process."""

import re
import socket
import threading
import time
from pathlib import Path

from harness.api import API

RECORDS = 60
#: The stored records' text. 60 of them are more than any request may hold.
TEXT = "x" * 1_000_000


def resident(server):
    """The memory of the server's process, in MiB."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) // 1024


def store_large_records(api):
    """Returns the cursor after them."""
    for number in range(RECORDS):
        mutation = {"collection": "tasks", "id": f"r{number}", "base": 0, "at": "000000000001-0000-curl",
                    "set": {"text": TEXT}}
        assert api.push({"mutations": [mutation]}).status == 200
    return api.request("GET", f"/v1/spaces/{api.space}/changes?limit=1").json["cursor"]


def test_a_small_push_that_names_large_records_adds_at_most_64_mebibytes(server):
    api = server.api.register()
    since = store_large_records(api)
    before = resident(server)
    mutations = [{"collection": "tasks", "id": f"r{number}", "base": number + 1, "at": "000000000002-0000-curl",
                  "set": {"n": 1}} for number in range(RECORDS)]
    most = 0
    for count in (RECORDS, 8):
        answer = api.push({"since": since, "mutations": mutations[:count]})
        most = max(most, resident(server))
        assert answer.status == (200 if count == 8 else 413), answer
    assert most - before <= 64, f"{most - before} MiB"


READERS = 100


def test_a_hundred_readers_that_do_not_read_add_at_most_100_mebibytes(server):
    # Enough accounts to fill the budget of all requests, and enough sessions that none exceeds its limit of requests.
    sessions = []
    for name in ("ada", "ben", "cleo", "dora", "emil"):
        first = API(server.port).register(name)
        for number in range(5):
            mutation = {"collection": "tasks", "id": f"r{number}", "base": 0, "at": "000000000001-0000-curl",
                        "set": {"text": TEXT}}
            assert first.push({"mutations": [mutation]}).status == 200
        sessions += [first] + [API(server.port).log_in(name) for _ in range(2)]
    before = resident(server)
    readers = []
    try:
        for number in range(READERS):
            api = sessions[number % len(sessions)]
            reader = socket.socket()
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.connect(("127.0.0.1", server.port))
            reader.sendall(f"GET /v1/spaces/{api.space}/changes HTTP/1.1\r\nHost: localhost\r\n"
                           f"Authorization: Bearer {api.token}\r\n\r\n".encode())
            readers.append(reader)
        most, refused = resident(server), 0
        for reader in readers:
            reader.settimeout(30)
            refused += reader.recv(12) == b"HTTP/1.1 503"
            most = max(most, resident(server))
        assert 0 < refused < READERS, refused
        # What is held for the others is unchanged.
        for _ in range(20):
            most = max(most, resident(server))
            time.sleep(0.1)
    finally:
        for reader in readers:
            reader.close()
    assert most - before <= 100, f"{most - before} MiB"


def most_while(server, requests):
    """The maximum memory of the server, in MiB, while each request runs in its own thread, and their statuses."""
    statuses, start = [], threading.Barrier(len(requests) + 1)

    def run(request):
        start.wait()
        statuses.append(request().status)

    threads = [threading.Thread(target=run, args=(request,)) for request in requests]
    for thread in threads:
        thread.start()
    start.wait()
    most = resident(server)
    while any(thread.is_alive() for thread in threads):
        most = max(most, resident(server))
        time.sleep(0.02)
    return max(most, resident(server)), statuses


def test_many_concurrent_reads_of_a_page_of_large_records_add_at_most_100_mebibytes(server):
    api = server.api.register()
    store_large_records(api)
    before = resident(server)
    sessions = [api] + [API(server.port).log_in() for _ in range(7)]
    path = f"/v1/spaces/{api.space}/changes"
    requests = [lambda session=session: session.request("GET", path) for session in sessions for _ in range(5)]
    most, statuses = most_while(server, requests)
    assert set(statuses) <= {200, 503} and 200 in statuses, statuses
    assert most - before <= 100, f"{most - before} MiB"


def test_many_concurrent_changes_of_a_large_record_add_at_most_100_mebibytes(server):
    api = server.api.register()
    mutation = {"collection": "tasks", "id": "r", "base": 0, "at": "000000000001-0000-curl", "set": {"text": TEXT}}
    assert api.push({"mutations": [mutation]}).status == 200
    before = resident(server)
    sessions = [api] + [API(server.port).log_in() for _ in range(7)]
    path = f"/v1/spaces/{api.space}/records/tasks/r"
    headers = {"If_Match": "*", "Content_Type": "application/merge-patch+json"}
    requests = [
        lambda session=session, number=number: session.request("PATCH", path, {"fields": {"n": number}}, **headers)
        for session in sessions for number in range(5)
    ]
    most, statuses = most_while(server, requests)
    assert set(statuses) <= {200, 503} and 200 in statuses, statuses
    assert api.request("GET", path).json["fields"]["text"] == TEXT
    assert most - before <= 100, f"{most - before} MiB"
