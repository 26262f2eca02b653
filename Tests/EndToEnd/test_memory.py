"""What one caller's requests cost the server's memory, seen from outside: resident pages of the process."""

import re
from pathlib import Path

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
