"""How Tests/bench makes a script for pgbench of what a server sends to PostgreSQL."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Benchmarks"))

import rows
import statements

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
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT version FROM spaces WHERE id = :space FOR UPDATE \\gset stored_
\\set next :stored_version + 1
INSERT INTO records VALUES (('{' || :id || '}'), :next, 'it''s $1', NULL);
COMMIT;
""")


def test_the_key_of_a_space_is_that_of_the_store():
    # FNV-1a's published values for the empty text and for "a".
    assert statements.lock_key("") == 0xCBF29CE484222325 - 2**64
    assert statements.lock_key("a") == 0xAF63DC4C8601EC8C - 2**64


def test_rows_of_postgresql_are_measured_on_request_only():
    assert not [plan for plan in rows.chosen()[0] if plan.needs_postgres]
    assert [plan for plan in rows.chosen(postgres=True)[0] if plan.needs_postgres]
