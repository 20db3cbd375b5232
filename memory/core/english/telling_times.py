"""Tells times in plain English, as exactly as they were named: "7 May 2023", "the week before 9 June 2023", "June 2023"."""

from __future__ import annotations

import re
from datetime import date, timedelta

from memory.core.english.numbers import in_words
from memory.core.english.times import MONTHS, WEEKDAYS, Granularity, PartialDate, TimeReference
from memory.core.types import TimeSpan

_SEASON_OF_MONTH = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}


def tell(time: TimeReference) -> str:
    """Return a time as people answer "when": "yesterday" said on 8 May 2023 is "7 May 2023", "for six years" "since 2017"."""
    bound = next(
        (word for word in ("until", "before", "by", "after") if time.lead == word), "since" if time.starts else ""
    )
    if time.lead in ("about", "around", "circa"):
        bound = "around"
    return f"{bound} {_named(time)}".strip()


def tell_when(time: TimeReference) -> str:
    """Return a time as a sentence goes on with it: "on 7 May 2023", "in June 2023", "in the week before 9 June 2023"."""
    plain = tell(time)
    if plain != _named(time) or plain.split()[1:2] in (["few"], [f"{time.granularity}s"]):
        return plain
    if time.granularity is Granularity.DAY and time.start != time.end:
        return f"from {plain}"
    return f"{'on' if time.granularity in (Granularity.DAY, Granularity.WEEKEND) else 'in'} {plain}"


def tell_fully(time: TimeReference) -> str:
    """Return a time with its days: "on 5 May 2023, the Friday before 8 May 2023", "in the week of 3 May 2023 (1 May ...)"."""
    plain, first = tell_when(time), time.start.first
    weekday = WEEKDAYS[first.weekday()]
    if re.match(r"(?:in|on) the week", plain):
        return f"{plain} ({say_day(first)} to {say_day(time.end.first)})"
    is_named = plain.startswith(f"on {say_day(first)}") and weekday[:3].lower() in time.words.lower()
    if not is_named or time.relative_to in (None, first):
        return plain
    return f"{plain}, the {weekday} {'before' if first < time.relative_to else 'after'} {say_day(time.relative_to)}"


def say_day(moment: date) -> str:
    """Return a day as people write it: "7 May 2023"."""
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"


def say_date(stated: PartialDate) -> str:
    """Return a date as far as it is stated: "7 May", "May 1990", "1990"; "" where nothing is."""
    month = MONTHS[stated.month - 1] if stated.month and stated.month <= 12 else ""
    return " ".join(str(part) for part in (stated.day, month, stated.year) if part)


def say_span(span: TimeSpan) -> str:
    """Return a resolved time with its preposition, in the span's own precision: "in 2019", "in May 2023", "on 7 May 2023"."""
    length, last = span.end - span.start, span.end - timedelta(seconds=1)
    if length <= timedelta(days=1, hours=1):
        return f"on {say_day(span.start)}"
    if length <= timedelta(days=8):
        return f"between {say_day(span.start)} and {say_day(last)}"
    if length <= timedelta(days=31, hours=1):
        return f"in {_say_month(span.start)}"
    if length <= timedelta(days=100):
        return f"between {_say_month(span.start)} and {_say_month(last)}"
    return f"in {span.start.year}"


def _named(time: TimeReference) -> str:
    """Return a time without the preposition that bounds something by it."""
    if time.is_vague and time.relative_to is not None:
        side = "before" if time.start.first <= time.relative_to else "after"
        return f"a few {time.granularity}s {side} {say_day(time.relative_to)}"
    match time.granularity:
        case Granularity.WEEK | Granularity.WEEKEND:
            return _beside(time, 7)
        case Granularity.DAY:
            return _at(time.clock, _days(time))
        case Granularity.DECADE:
            return f"the {_in_part(time.part, f'{time.start.first.year // 10 * 10}s')}"
        case Granularity.YEAR:
            return _in_part(time.part, f"{time.start.year}")
        case Granularity.SEASON:
            return f"{_SEASON_OF_MONTH[time.start.first.month]} {time.start.year}"
    return _in_part(time.part, _say_month(time.start.first))


def _beside(time: TimeReference, days: int) -> str:
    """Return a week or weekend as counted from a day: "the week before 9 June 2023", "two weekends after 9 June 2023"."""
    counted_from = time.relative_to or time.start.first
    ours, theirs = (day - timedelta(day.weekday()) for day in (time.start.first, counted_from))
    step = (ours - theirs).days // days
    if step == 0:
        return f"the {time.granularity} of {say_day(counted_from)}"
    side = f"{'before' if step < 0 else 'after'} {say_day(counted_from)}"
    return f"the {time.granularity} {side}" if abs(step) == 1 else f"{in_words(abs(step))} {time.granularity}s {side}"


def _days(time: TimeReference) -> str:
    first, last = time.start.first, time.end.first
    if first == last:
        return say_day(first)
    return f"{first.day} to {say_day(last)}"


def _at(clock: str, day: str) -> str:
    if not clock:
        return day
    return f"{day} at {clock}" if ":" in clock else f"the {clock} of {day}"


def _in_part(part: str, time: str) -> str:
    return f"{part}-{time}" if part == "mid" else f"{part} {time}".strip()


def _say_month(moment: date) -> str:
    return f"{MONTHS[moment.month - 1]} {moment.year}"
