#!/usr/bin/env python3
"""Compares the occurrences of random recurrence rules with those of python-dateutil; see Tests/recurrence --help.

Each rule is counted over ten years. The local days of all occurrences are compared, and the moments of those in the nights
in which clocks change, of those next to them, and of the first ones. Local times that clocks skip or show twice are the
moments of a zone-aware datetime with fold=0.

Two kinds of rules are not generated, since python-dateutil differs from RFC 5545 in them: BYDAY with and without numbers
in one rule (python-dateutil takes the intersection), and UNTIL as a date for a start with a time, whose last day counts
here; python-dateutil gets the end of that day."""

import argparse
import datetime as datetime_module
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from dateutil import rrule as dateutil_rrule

TABLE = Path(__file__).resolve().parent.parent / "Records/Types/Repeating/dateutil.json"
TABLE_RULES = 300
TABLE_TIMES = 12
YEARS = 10
# The rules of one task of a worker, and how many differences are printed.
CHUNK = 250
SHOWN = 10
EPOCH = date(1970, 1, 1).toordinal()
WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
# Clocks change at 02:00 and 03:00, at 02:00, and by half an hour at 02:00.
ZONES = ["GMT", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]
# Within the hours that are skipped and repeated, at their borders, and outside of them.
TIMES = ["00:00:00", "01:30:00", "01:59:59", "02:00:00", "02:30:00", "03:00:00", "09:15:00", "23:30:00"]


# python-dateutil searches up to `datetime.MAXYEAR` for the next occurrence; here it ends after the ten years of a question.
LIMITS = types.SimpleNamespace(**vars(datetime_module))
dateutil_rrule.datetime = LIMITS


class Question(NamedTuple):
    rule: str
    start: datetime
    zone: str
    not_before: date
    before: date


class Answer(NamedTuple):
    days: list[int]
    moments: list[int]


def numbers(chance: random.Random, limit: int, count: int, sign: bool = True) -> str:
    chosen = {chance.choice([1, -1] if sign else [1]) * chance.randint(1, limit) for _ in range(count)}
    return ",".join(map(str, sorted(chosen)))


def weekdays(chance: random.Random, freq: str, months: bool) -> str:
    if freq in ("MONTHLY", "YEARLY") and chance.random() < 0.6:
        limit = chance.choice([4, 5 if freq == "MONTHLY" or months else 53])
        chosen = {numbers(chance, limit, 1) + chance.choice(WEEKDAYS) for _ in range(chance.choice([1, 1, 2, 3]))}
    else:
        chosen = set(chance.sample(WEEKDAYS, chance.choice([1, 1, 2, 3, 5])))
    return ",".join(sorted(chosen))


def rule(chance: random.Random, start: date) -> str:
    freq = chance.choice(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
    parts = {"FREQ": freq}
    if chance.random() < 0.6:
        parts["INTERVAL"] = str(chance.choice([1, 2, 3, 4, 5, 7, 10, chance.randint(1, 60)]))
    if chance.random() < 0.3:
        parts["BYMONTH"] = numbers(chance, 12, chance.choice([1, 1, 2, 3, 6]), sign=False)
    if freq != "WEEKLY" and chance.random() < 0.4:
        parts["BYMONTHDAY"] = numbers(chance, 31, chance.choice([1, 1, 2, 4]))
    if chance.random() < 0.5:
        parts["BYDAY"] = weekdays(chance, freq, "BYMONTH" in parts)
    if {"BYMONTH", "BYMONTHDAY", "BYDAY"} & set(parts) and chance.random() < 0.25:
        # A day has one position.
        limit = 1 if freq == "DAILY" else chance.choice([3, 10])
        parts["BYSETPOS"] = numbers(chance, limit, chance.choice([1, 1, 2]))
    if chance.random() < 0.4:
        parts["WKST"] = chance.choice(WEEKDAYS)
    end = chance.random()
    if end < 0.2:
        parts["COUNT"] = str(chance.randint(1, 40))
    elif end < 0.5:
        last = start + timedelta(days=chance.randint(0, 3_000))
        parts["UNTIL"] = f"{last:%Y%m%d}" + ("T120000Z" if end < 0.35 else "")
    return ";".join(f"{name}={value}" for name, value in parts.items())


def question(chance: random.Random) -> Question:
    zone = chance.choice(ZONES)
    start = date(1990, 1, 1) + timedelta(days=chance.randrange(50 * 365))
    nights = changes(zone)
    # A third of the series begin so that a weekly one meets a change of the clocks.
    if nights and chance.random() < 0.33:
        start = date.fromordinal(chance.choice(nights)) - timedelta(days=7 * chance.randrange(100))
    later = start + timedelta(days=chance.choice([0, chance.randint(0, 3_000)]))
    return Question(
        rule(chance, start), datetime.fromisoformat(f"{start}T{chance.choice(TIMES)}"), zone, later,
        start + timedelta(days=YEARS * 365 + 3))


@cache
def changes(zone: str) -> list[int]:
    """The days in which clocks of a zone change, as ordinal numbers."""
    rules = ZoneInfo(zone)
    offsets = [(day, datetime.fromordinal(day).replace(tzinfo=rules).utcoffset())
               for day in range(date(1988, 1, 1).toordinal(), date(2052, 1, 1).toordinal())]
    return [day for (day, offset), (_, later) in zip(offsets, offsets[1:], strict=False) if offset != later]


@cache
def asked_days(zone: str) -> frozenset[int]:
    return frozenset(day + shift for day in changes(zone) for shift in (-1, 0, 1))


def expected(asked: Question) -> list[datetime]:
    """The occurrences by python-dateutil, with local times and without a zone."""
    zone = ZoneInfo(asked.zone)
    last = datetime.combine(asked.before, datetime.min.time()) - timedelta(seconds=1)
    parts = dict(part.split("=") for part in asked.rule.split(";"))
    if "UNTIL" in parts:
        until = parts["UNTIL"]
        if until.endswith("Z"):
            end = datetime.strptime(until, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            last = min(last, end.astimezone(zone).replace(tzinfo=None))
        else:
            last = min(last, datetime.strptime(until + "235959", "%Y%m%d%H%M%S"))
    # Also with COUNT: the ten years end there.
    parts["UNTIL"] = f"{last:%Y%m%dT%H%M%S}"
    text = ";".join(f"{name}={value}" for name, value in parts.items())
    first = datetime.combine(asked.not_before, datetime.min.time())
    LIMITS.MAXYEAR = asked.before.year
    return [each for each in dateutil_rrule.rrulestr(text, dtstart=asked.start) if each >= first]


def moment(local: datetime, zone: ZoneInfo) -> int:
    """The seconds since 1970 of a local time, by the zone's clock: the first one if there are two; if clocks skip it, by
    the offset before the change."""
    return int(local.replace(tzinfo=zone, fold=0).timestamp())


def line(asked: Question, days: list[int]) -> str:
    moments = " ".join(str(date.fromordinal(day)) for day in days)
    return "\t".join([asked.rule, asked.start.isoformat(), asked.zone, str(asked.not_before), str(asked.before), moments])


class Result(NamedTuple):
    occurrences: int
    in_nights: int
    wrong: list[str]


def chunk(work: tuple[str, int, int, int]) -> Result:
    """Compares some rules: the questions of a chunk depend on its number only, so that the number of workers doesn't
    matter."""
    program, seed, number, count = work
    warnings.simplefilter("ignore", DeprecationWarning)  # COUNT and UNTIL in one rule; see `expected`.
    chance = random.Random(f"{seed}/{number}")
    questions, answers, in_nights, lines = [], [], 0, []
    for _ in range(count):
        asked = question(chance)
        times = expected(asked)
        days = [each.toordinal() for each in times]
        nights = asked_days(asked.zone)
        chosen = sorted(nights.intersection(days).union(days[:2]))
        zone = ZoneInfo(asked.zone)
        clock = asked.start.time()
        moments = [moment(datetime.combine(date.fromordinal(day), clock), zone) for day in chosen]
        in_nights += len(nights.intersection(days))
        questions.append(asked)
        answers.append(Answer([day - EPOCH for day in days], moments))
        lines.append(line(asked, chosen))
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        file.seek(0)
        done = subprocess.run([program], stdin=file, stdout=subprocess.PIPE, text=True, check=True)
    wrong = []
    for asked, right, text in zip(questions, answers, done.stdout.splitlines(), strict=True):
        here = "\t".join(" ".join(map(str, each)) for each in right)
        if text != here:
            wrong.append(f"{line(asked, [])}\n  here: {text[:400]}\n  dateutil: {here[:400]}")
    return Result(sum(len(each.days) for each in answers), in_nights, wrong)


def chunks(program: str, count: int, seed: int) -> Iterator[tuple[str, int, int, int]]:
    for number, begin in enumerate(range(0, count, CHUNK)):
        yield program, seed, number, min(CHUNK, count - begin)


def compare(program: str, count: int, seed: int, jobs: int) -> int:
    begin = time.monotonic()
    occurrences = in_nights = wrong = 0
    with multiprocessing.Pool(jobs) as pool:
        for result in pool.imap(chunk, chunks(program, count, seed)):
            for text in result.wrong[: max(0, SHOWN - wrong)]:
                print(text)
            occurrences += result.occurrences
            in_nights += result.in_nights
            wrong += len(result.wrong)
    print(f"{count} rules from seed {seed}, {occurrences} occurrences, {in_nights} of them next to a change of the clocks, "
          f"{time.monotonic() - begin:.0f} s: {wrong} differ from python-dateutil")
    print(f"{count - wrong} passed")
    return 1 if wrong else 0


def table(seed: int) -> None:
    chance, rows = random.Random(seed), []
    while len(rows) < TABLE_RULES:
        asked = question(chance)
        asked = asked._replace(not_before=asked.start.date())
        times = expected(asked)[:TABLE_TIMES]
        zone = ZoneInfo(asked.zone)
        # Rules without an occurrence within ten years, but not many of them.
        if times or len(rows) % 20 == 0:
            rows.append({
                "rule": asked.rule, "start": asked.start.isoformat(), "zone": asked.zone, "before": str(asked.before),
                "times": [each.isoformat() for each in times], "moments": [moment(each, zone) for each in times],
            })
    TABLE.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")
    print(f"{len(rows)} rules in {TABLE}")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="Tests/recurrence", description=__doc__, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", type=int, default=2_000, help="how many random rules are compared (2000)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the rules (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many processes compare (one per processor)")
    parser.add_argument("--write-table", action="store_true", help="write the table of the Swift tests instead")
    parser.add_argument("--program", help="the program `recur`; without it, its release build is brought up to date and used")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", DeprecationWarning)
    if arguments.write_table:
        table(arguments.seed)
        return 0
    return compare(arguments.program, arguments.rules, arguments.seed, arguments.jobs)


if __name__ == "__main__":
    sys.exit(main())
