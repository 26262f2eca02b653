"""kill -9 of clients and server at random times under load. `Tests/soak` does the same without a time limit."""

import random
import subprocess

import pytest

from harness import Household

ROUNDS = 10


@pytest.mark.parametrize("seed", [1, random.randrange(1 << 32)], ids=["a known seed", "a fresh seed"])
def test_acknowledged_edits_survive_kills_at_random_times(seed, server, laptop, desktop, make_device):
    """Two tests of ten rounds make twenty. A command is done by its exit code, an edit is sent by a sync's."""
    print(f"seed {seed}: the same by Tests/soak --rounds {ROUNDS} --seed {seed}")
    household = Household(server, [laptop, desktop, make_device().log_in(server)], seed)
    for _ in range(ROUNDS):
        household.round()
    assert household.kills > 0 and any(edit.done for edit in household.book.edits)


def test_a_device_that_is_killed_while_it_renews_its_session_is_not_signed_out(server, laptop, wrong_clock):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    moments = random.Random(seed)
    laptop.sync()
    for renewal in range(1, 16):
        server.stop()
        server.start(environment=wrong_clock(f"+{16 * renewal}m"))
        syncing = laptop.start("sync")
        try:
            syncing.wait(moments.uniform(0, 0.15))
        except subprocess.TimeoutExpired:
            syncing.kill()
        laptop.finish(syncing)
    laptop.run("add", "Still signed in")
    laptop.sync()
