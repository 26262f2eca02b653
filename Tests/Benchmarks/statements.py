"""The statements of a request, from PostgreSQL's log, as a script for pgbench."""

import itertools
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


def pgbench_script(found, known):
    """A script with the statements of transactions, in which variables replace known values."""
    lines = [
        "\\if :loaded = 0",
        "SELECT account, session, space, number, hash FROM bench_users WHERE n = :client_id \\gset", "\\set loaded 1", "\\endif",
        "\\set id random(1, 1000000000000)"]
    for statement in itertools.chain.from_iterable(found):
        statement = re.sub(r"'(?:[^']|'')*'", lambda literal: with_variables(literal[0], known), statement)
        # The version that is read under the lock is the last one.
        is_lock = "FOR UPDATE" in statement
        lines.append(statement + (" \\gset stored_" if is_lock else ";"))
        if is_lock:
            lines.append("\\set next :stored_version + 1")
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
