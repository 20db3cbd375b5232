"""Reads times that are counted from the day on which they are named: "yesterday", "next Friday", "two weeks ago"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from memory.core.english.numbers import COUNT, is_vague, number_of
from memory.core.english.times.calendar_words import DAY_NAME, MONTH, SEASON, WEEKDAY, weekday_number
from memory.core.english.times.clock import DAYPART, DAYPARTS
from memory.core.english.times.periods import Frame, Period, Reader, one_day, recurring_every, stepped, unit_named

WHOLE = r"week(?:end)?|month|year|yr|decade"
NAMED_UNIT = rf"(?:(?:day|night|{WHOLE})s?|{DAY_NAME}s?|{SEASON}s?)"
STEPS = {
    "last": -1, "past": -1, "this past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1,
    "this coming": 1, "following": 1,
}  # fmt: skip
_UNIT = rf"(?:hour|day|night|{WHOLE})"
# What comes again and again, and days that have another name.
_NO_DAY_BEFORE = re.compile(
    rf"(?ai:(?<!\w)(?:every|each|most|any|an?|one|some|black|good|ash|easter|{DAY_NAME}\s*(?:to|through|-|–))\s*$)"
)


def read_near(match: re.Match[str], frame: Frame) -> Period:
    words = match[0].lower().split()
    step = {"yesterday": -1, "tomorrow": 1}.get(words[-1], 0)
    if words[0] == "day":
        step *= 2
    return frame.day(frame.today + timedelta(step), clock="night" if words[-1] == "tonight" else "")


def read_which(match: re.Match[str], frame: Frame) -> Period | None:
    name = match["unit"]
    step, unit = STEPS[" ".join(match["which"].lower().split())], unit_named(name)
    if unit in DAYPARTS and (unit, step) != ("night", -1):
        return frame.day(frame.today, clock=unit) if step == 0 and unit != "night" else None
    # "This may" and "this march" are words like others.
    if name in ("may", "march") and step == 0:
        return None
    return frame.stepped(unit, step)


def read_before_last(match: re.Match[str], frame: Frame) -> Period:
    return frame.stepped(unit_named(match["unit"]), -2 if match["which"].lower() == "before last" else 2)


def read_weekday(match: re.Match[str], frame: Frame) -> Period | None:
    name = match["weekday"]
    is_short = not name.lower().endswith("day")
    if _NO_DAY_BEFORE.search(frame.before) or is_short and frame.lead not in ("on", "by", "since", "until", "from"):
        return None
    ahead = (weekday_number(name) - frame.today.weekday()) % 7
    return frame.day(frame.today + timedelta(ahead if frame.is_ahead or not ahead else ahead - 7))


def read_weekend(match: re.Match[str], frame: Frame) -> Period | None:
    if frame.lead != "over":
        return None
    meant = frame.stepped("weekend", 0)
    return meant if frame.is_ahead or meant.first <= frame.today else frame.stepped("weekend", -1)


def read_ago(match: re.Match[str], frame: Frame) -> Period:
    return _counted(match, frame, -1)


def read_hence(match: re.Match[str], frame: Frame) -> Period:
    return _counted(match, frame, 1)


def read_length(match: re.Match[str], frame: Frame) -> Period | None:
    if frame.lead == "in" and not match["past"]:
        return _counted(match, frame, 1)
    if frame.lead == "for" and not match["time"] or match["past"] and frame.lead in ("in", "over", "during"):
        return _counted(match, frame, -1)
    return None


def _counted(match: re.Match[str], frame: Frame, direction: int) -> Period:
    """Return the unit that lies a count of units from today; hours are counted from the moment."""
    unit, count = unit_named(match["unit"]), number_of(match["count"]) or 0
    if is_vague(match["count"]):
        unit = recurring_every(unit)
    if unit == "hour":
        meant = one_day((frame.said_at + timedelta(hours=direction * count)).date())
    elif "and a half" in match[0].lower() and unit in ("year", "yr"):
        meant = stepped(frame.today, "month", direction * (12 * count + 6))
    else:
        meant = stepped(frame.today, unit, direction * count)
    return replace(meant, relative_to=frame.today, clock="", is_vague=is_vague(match["count"]))


RELATIVE: tuple[tuple[str, Reader], ...] = (
    (r"today|tonight|yesterday|tomorrow|day before yesterday|day after tomorrow", read_near),
    (rf"(?P<which>{'|'.join(STEPS)}) (?P<unit>{WHOLE}|{DAYPART}|{WEEKDAY}|{MONTH}|{SEASON})", read_which),
    (r"(?P<unit>week|weekend|month|year) (?P<which>before last|after next)", read_before_last),
    (rf"(?P<weekday>{WEEKDAY})(?! ?(?:to|through|-|–) ?{DAY_NAME})", read_weekday),
    (r"weekend", read_weekend),
    (
        rf"(?P<count>{COUNT})(?: and a half)? (?P<unit>hours?|{NAMED_UNIT})(?: and a half)? (?:ago|back|earlier)",
        read_ago,
    ),
    (rf"(?P<count>{COUNT}) (?P<unit>{_UNIT})s? from (?:now|today)", read_hence),
    (
        rf"(?:(?P<past>last|past) )?(?P<count>{COUNT}) (?P<unit>{_UNIT})s?(?P<time>['’]?s?['’]? time)?",
        read_length,
    ),
)
