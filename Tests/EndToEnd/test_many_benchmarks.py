"""What Tests/bench does with servers over one PostgreSQL: its script for pgbench, and its numbers."""

import os
import re
import sys
import types
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Benchmarks"))

import bench
import cores
import many
import rows
import statements
from measuring import Failure, Row

LOG = """[7] LOG:  statement: BEGIN ISOLATION LEVEL SERIALIZABLE
[8] LOG:  statement: BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY
[7] LOG:  execute s1: SELECT version FROM spaces
\tWHERE id = $1 FOR UPDATE
[7] DETAIL:  parameters: $1 = 'the-space'
[8] LOG:  execute s2: SELECT 1
[9] LOG:  execute s3: SELECT pg_notify($1, 'x')
[9] DETAIL:  parameters: $1 = 'news'
[7] LOG:  execute s4: INSERT INTO records VALUES ($1, $2, $3, $10)
[7] DETAIL:  parameters: $1 = '{the-record}', $2 = '5', $3 = 'it''s $1', $10 = NULL
[7] LOG:  statement: COMMIT
"""


def test_whole_transactions_are_read_with_their_parameters():
    assert statements.transactions(LOG) == [[
        "BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT version FROM spaces WHERE id = 'the-space' FOR UPDATE",
        "INSERT INTO records VALUES ('{the-record}', '5', 'it''s $1', NULL)", "COMMIT"]]


def test_known_values_become_variables_of_the_script():
    script = statements.pgbench_script(
        statements.transactions(LOG), {"the-space": "space", "the-record": "id", "5": "next"})
    assert script.endswith("""
\\set next :version + 1
\\startpipeline
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT version FROM spaces WHERE id = :space FOR UPDATE;
\\endpipeline
\\startpipeline
INSERT INTO records VALUES (('{' || :id || '}'), :next, 'it''s $1', NULL);
COMMIT;
\\endpipeline
\\set version :next
""")


READS = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
CHANGES = "BEGIN ISOLATION LEVEL SERIALIZABLE"


@pytest.mark.parametrize("transaction, batches", [
    ([READS, "SELECT 1", "COMMIT"], [[READS, "SELECT 1", "COMMIT"]]),
    ([READS, "SELECT 1", "SELECT 2", "COMMIT"], [[READS, "SELECT 1"], ["SELECT 2"], ["COMMIT"]]),
    ([CHANGES, "SELECT 1", "SELECT 2", "INSERT 3", "UPDATE 4", "COMMIT"],
     [[CHANGES, "SELECT 1", "SELECT 2"], ["INSERT 3", "UPDATE 4", "COMMIT"]]),
])
def test_the_script_sends_together_what_the_store_does(transaction, batches):
    assert statements.batches(transaction) == batches


def test_a_change_that_reads_after_a_write_is_not_known():
    with pytest.raises(AssertionError, match="reads after its first write"):
        statements.batches([CHANGES, "SELECT 1", "INSERT 2", "SELECT 3", "COMMIT"])


def test_a_script_that_only_reads_sends_single_statements_alone():
    script = statements.pgbench_script([[READS, "SELECT 1", "SELECT 'id'", "COMMIT"]], {"id": "id"})
    assert script.endswith(f"""
\\startpipeline
{READS};
SELECT 1;
\\endpipeline
SELECT :id;
COMMIT;
""")


def test_the_key_of_a_space_is_that_of_the_store():
    # FNV-1a's published values for the empty text and for "a".
    assert statements.lock_key("") == 0xCBF29CE484222325 - 2**64
    assert statements.lock_key("a") == 0xAF63DC4C8601EC8C - 2**64


def test_rows_of_postgresql_are_measured_on_request_only():
    assert not [plan for plan in rows.chosen()[0] if plan.needs_postgres]
    assert [plan for plan in rows.chosen(postgres=True)[0] if plan.needs_postgres]


class FakeDatabase:
    """A database in which the last writes of a sample are under way until it is settled, or until the next sample."""

    cluster = None

    def __init__(self):
        self.records = self.under_way = 0

    def settle(self):
        self.records, self.under_way = self.records + self.under_way, 0

    def load(self, *_, **__):
        self.settle()
        self.records, self.under_way = self.records + 100, 32
        return {"time": 1 / 100, "requests": 100}


def test_writes_under_way_after_a_sample_do_not_count_in_the_next(tmp_path, monkeypatch):
    shared = FakeDatabase()
    monkeypatch.setattr(many, "load", shared.load)
    sides = [many.side(tmp_path / str(connections), [], [], connections, lambda: shared.records, shared) for connections in (32, 1)]
    for number in range(2):
        for sample in sides:
            assert sample(number)["requests"] == 100


REQUEST = """
[7] LOG:  statement: BEGIN ISOLATION LEVEL SERIALIZABLE
[7] LOG:  execute s1: SELECT 1
[7] LOG:  execute s2: UPDATE 2
[7] LOG:  statement: COMMIT
"""
MAINTENANCE = REQUEST.replace("[7]", "[8]")
# Its statements can't be grouped.
UNKNOWN_MAINTENANCE = MAINTENANCE.replace("SELECT 1", "DELETE 1").replace("UPDATE 2", "SELECT 2")


def recording(logs):
    """A database without a PostgreSQL, the log of which each request extends by the next of these texts, and its requests."""
    shared = many.Database.__new__(many.Database)
    shared.cluster, shared.servers = types.SimpleNamespace(log=""), [None]
    following = iter(logs)

    def request(_):
        shared.cluster.log += next(following)
        return shared.cluster.log.count(REQUEST), None

    return shared, request


@pytest.mark.parametrize("other", [MAINTENANCE, UNKNOWN_MAINTENANCE, ""])
def test_a_request_is_recorded_again_if_other_transactions_are_among_its_own(other):
    disturbed = REQUEST + other if other else ""
    shared, request = recording([disturbed, disturbed, REQUEST])
    returned, found = shared._recorded(request, waits=2)
    assert found == statements.transactions(REQUEST)
    # What the last request returned.
    assert returned == (3 if other else 1, None)


def test_a_request_that_always_differs_is_reported():
    shared, request = recording([REQUEST] * many.RECORDINGS)
    with pytest.raises(Failure, match="waits 3 times"):
        shared._recorded(request, waits=3)


# Per core


def measured(postgresql=0.0002):
    """The results of a row, the times of which double from one counted round to the next."""
    def side(times):
        return lambda number: {quantity: time * 2 ** number for quantity, time in times.items()}

    row = Row(
        side({"time": 1, many.SATCHELD_CPU: 0.0001, many.POSTGRESQL_CPU: postgresql}), side({"time": 1}), "pgbench",
        many.SAME_STATEMENTS | many.CPU, {many.WITH_SQLITE: side({"time": 1, many.SATCHELD_CPU: 0.00005})}, name="reads, PostgreSQL")
    return row.measure(2).results()


def test_the_rate_of_one_core_is_that_of_the_cpu_time_of_a_request():
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in cores.table(measured()).splitlines()]
    assert lines[0] == ["requests a second of one core", "satcheld with SQLite", "satcheld with PostgreSQL", "PostgreSQL"]
    # Medians, with the smallest and the largest.
    assert lines[2:] == [["reads, PostgreSQL", "6,667 (5,000–10,000)", "3,333 (2,500–5,000)", "1,667 (1,250–2,500)"]]


def test_the_rate_of_one_core_is_left_out_without_times_of_the_cpu():
    assert cores.table([result for result in measured() if "CPU" not in result["name"]]) == ""
    assert [line.split("|")[-2].strip() for line in cores.table(measured(postgresql=0)).splitlines()][2:] == ["–"]


def test_the_environment_names_the_version_of_postgresql():
    assert re.search(r", PostgreSQL \d+(\.\d+|\w+)(,|$)", bench.about("/", postgres=True))
    assert "PostgreSQL" not in bench.about("/")


def test_each_row_of_requests_has_the_cpu_times_of_all_its_sides(tmp_path, monkeypatch):
    monkeypatch.setattr(many, "load", lambda *_, **__: {"time": 0.5, "requests": 2})
    process = types.SimpleNamespace(pid=os.getpid())
    server = types.SimpleNamespace(process=process)
    shared = types.SimpleNamespace(cluster=server, settle=lambda: None)
    assert set(many.side(tmp_path / "own", [server], [], 1, shared=shared)(1)) >= set(many.CPU)
    assert many.SATCHELD_CPU in many.side(tmp_path / "alone", [server], [], 1)(1)
