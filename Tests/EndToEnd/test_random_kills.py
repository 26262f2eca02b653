"""kill -9 of clients and server at random moments under load. `Tests/soak` does the same for as long as one likes."""

import random

import pytest

from harness import Household

ROUNDS = 10


@pytest.mark.parametrize("seed", [1, random.randrange(1 << 32)], ids=["a known seed", "a fresh seed"])
def test_what_was_acknowledged_is_there_after_kills_at_random_moments(seed, server, laptop, desktop, make_device):
    """Two tests of ten rounds are twenty. What was done is known by the command's exit code, what the server took by a sync's."""
    print(f"seed {seed}: the same by Tests/soak --rounds {ROUNDS} --seed {seed}")
    household = Household(server, [laptop, desktop, make_device().log_in(server)], seed)
    for _ in range(ROUNDS):
        household.round()
    assert household.kills > 0 and any(edit.done for edit in household.book.edits)
