"""The statements of a request, from PostgreSQL's log, as a script for pgbench."""

import re

LINE = re.compile(r"^\[(\d+)\] (LOG|DETAIL):  (?:statement: |execute \w+: |parameters: )?(.*)$", re.S)
PARAMETER = re.compile(r"\$(\d+) = ('(?:[^']|'')*'|NULL)")


def transactions(log):
    """The statements of the transactions in a log, whole ones only, in the order of their beginnings."""
    open_ones, found = {}, []
    for entry in re.split(r"\n(?=\[\d+\] )", log):
        match = LINE.match(entry.rstrip("\n"))
        if not match:
            continue
        process, kind, text = match.groups()
        if kind == "DETAIL":
            if process in open_ones:
                values = dict(PARAMETER.findall(text))
                last = open_ones[process]
                last[-1] = re.sub(r"\$(\d+)", lambda number: values[number[1]], last[-1])
        elif text.startswith("BEGIN"):
            open_ones[process] = [text]
            found.append(open_ones[process])
        elif process in open_ones:
            open_ones[process].append(" ".join(text.split()))
            if text == "COMMIT":
                del open_ones[process]
    return [statements for statements in found if statements[-1] == "COMMIT"]


def batches(transaction):
    """The statements of a transaction in the groups in which the store sends them: it waits for PostgreSQL after each.

    The log doesn't show this, so it is what `PostgreSQLConnection` does: a transaction that reads once is sent whole
    (`executeOnly`); before others read on, they wait for what they have read. What a change needs is read together
    (`willChange`), and its writes are sent with the commit."""
    begin, *inner, commit = transaction
    if "READ ONLY" in begin:
        return [transaction] if len(inner) == 1 else [[begin, *inner[:1]], *([read] for read in inner[1:]), [commit]]
    count = next((number for number, one in enumerate(inner) if not is_read(one)), len(inner))
    assert not any(map(is_read, inner[count:])), f"this change reads after its first write: {transaction}"
    return [[begin, *inner[:count]], [*inner[count:], commit]]


def is_read(statement):
    return statement.startswith("SELECT ")


def pgbench_script(found, known):
    """A script with the statements of transactions, in which variables replace known values. What the store sends together,
    pgbench does, too, so a client can't read the version of its space under the lock: it alone changes the space, and counts."""
    lines = [
        "\\if :loaded = 0",
        "SELECT account, session, space, number, hash, (SELECT version FROM spaces WHERE id = space) AS version FROM bench_users "
        "WHERE n = :client_id \\gset", "\\set loaded 1", "\\endif",
        "\\set id random(1, 1000000000000)", "\\set next :version + 1"]
    for transaction in found:
        for batch in batches(transaction):
            statements = [
                re.sub(r"'(?:[^']|'')*'", lambda literal: with_variables(literal[0], known), statement) + ";"
                for statement in batch]
            lines += ["\\startpipeline", *statements, "\\endpipeline"] if len(batch) > 1 else statements
    if not all("READ ONLY" in transaction[0] for transaction in found):
        lines.append("\\set version :next")
    return "\n".join(lines) + "\n"


def with_variables(literal, known):
    """A literal in which variables replace known values: the whole, or an element of an array."""
    content = literal[1:-1]
    if content in known:
        return f":{known[content]}"
    if content.startswith("{") and content[1:-1] in known:
        return f"('{{' || :{known[content[1:-1]]} || '}}')"
    return literal


def lock_key(space):
    """The key of the lock of a space, as the store computes it: FNV-1a."""
    hash = 0xCBF29CE484222325
    for byte in space.encode():
        hash = (hash ^ byte) * 0x100000001B3 % 2**64
    return hash - 2**64 if hash >= 2**63 else hash
