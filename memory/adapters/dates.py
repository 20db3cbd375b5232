"""Resolves English date expressions relative to when they were said, as exactly as their words ("in 2019" is a whole year).

The usual forms are read here, because dateparser has no precision ("in 2019" becomes one day of 2019) and takes milliseconds;
it reads the rest, such as numeric dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache

from memory.core.knowledge_graph.vocabulary import MONTHS, WEEKDAYS
from memory.core.types import TimeSpan

_MONTHS = tuple(month.lower() for month in MONTHS)
_WEEKDAYS = tuple(day.lower() for day in WEEKDAYS)
_SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
_NUMBERS = {
    word: number
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {"a": 1, "an": 1, "couple": 2}

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1[89]|20)\d\d)"
_WEEKDAY = r"(?P<weekday>mon|tues?|wednes|wed|thurs?|fri|satur|sat|sun)(?:day)?"
_UNIT = r"(?P<unit>day|week|month|year|decade)s?"
_COUNT = (
    r"(?P<count>\d{1,3}|a couple(?: of)?|couple(?: of)?|an?|one|"
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
)
_WHICH = (
    r"(?P<which>last|past|previous|this|current|next|coming|the coming|the past|the previous|the following|following)"
)
_LEAD = re.compile(
    r"^(?:(?:in|on|at|since|by|from|until|till|during|for|around|about|back in|back on|early in|late in|ever since|starting|"
    r"as of|before|after|the week of|early|late|mid)[ -])+"
)
_NEVER = re.compile(r"\b(?:few|many|some|several|ago when|when|i|we|he|she|they)\b")
_MENTION = re.compile(
    r"\d|\b(?:today|tonight|tomorrow|yesterday|now|night|morning|afternoon|evening|week|weekend|month|year|day|decade|"
    + "|".join(
        (*_MONTHS, *(month[:3] for month in _MONTHS), "sept", *_WEEKDAYS, *(d[:3] for d in _WEEKDAYS), *_SEASONS)
    )
    + r")s?\b"
)
_LONGEST = 60


class DateparserResolver:
    """Implements `DateResolver`. Results are cached by expression and day, so that a replay resolves each once."""

    def resolve(self, expression: str, *, said_at: datetime) -> TimeSpan | None:
        text = " ".join(expression.lower().replace(",", " ").split()).strip(" .!?;:")
        if not text or len(text) > _LONGEST or not _MENTION.search(text) or _NEVER.search(text):
            return None
        try:
            return _resolved(text, _midnight(said_at))
        except (OverflowError, ValueError):
            # A date that no calendar has ("31 February", "900 years ago" before year 1).
            return None


@lru_cache(maxsize=8192)
def _resolved(text: str, today: datetime) -> TimeSpan | None:
    bare = _LEAD.sub("", text)
    is_ahead = text != bare and text.startswith("in ") and re.search(_COUNT + " " + _UNIT + "$", text) is not None
    if is_ahead and (match := re.fullmatch(_COUNT + " " + _UNIT, bare)):
        return _around(today, match["unit"], _count(match["count"]))
    for pattern, reading in _READINGS:
        if match := pattern.fullmatch(bare):
            return reading(match, today)
    return _by_dateparser(bare, today) if re.search(r"\d", bare) else None


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _count(words: str) -> int:
    first = words.split()[0] if words != "a couple of" and words != "a couple" else "couple"
    return int(first) if first.isdigit() else _NUMBERS[first]


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, start=1) if month.startswith(name[:3]))


def _day_of(day: datetime) -> TimeSpan:
    return TimeSpan(day, day + timedelta(days=1))


def _week_of(day: datetime) -> TimeSpan:
    monday = day - timedelta(days=day.weekday())
    return TimeSpan(monday, monday + timedelta(days=7))


def _months_on(day: datetime, months: int) -> datetime:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return day.replace(year=year, month=month + 1, day=1)


def _month_of(day: datetime) -> TimeSpan:
    return TimeSpan(_months_on(day, 0), _months_on(day, 1))


def _years(day: datetime, year: int, length: int = 1) -> TimeSpan:
    return TimeSpan(day.replace(year=year, month=1, day=1), day.replace(year=year + length, month=1, day=1))


def _around(today: datetime, unit: str, offset: int) -> TimeSpan:
    """Return the whole unit (week, year, ...) that lies `offset` units from today."""
    if unit == "day":
        return _day_of(today + timedelta(days=offset))
    if unit == "week":
        return _week_of(today + timedelta(weeks=offset))
    if unit == "month":
        return _month_of(_months_on(today, offset))
    if unit == "decade":
        return _years(today, today.year + 10 * offset)
    return _years(today, today.year + offset)


def _offset(which: str) -> int:
    return {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0}.get(which.removeprefix("the "), 1)


def _read_day_word(match: re.Match[str], today: datetime) -> TimeSpan:
    words = match["word"]
    days = {"day before yesterday": -2, "yesterday": -1, "last night": -1, "tomorrow": 1, "day after tomorrow": 2}
    return _day_of(today + timedelta(days=days.get(words.removeprefix("the "), 0)))


def _read_full_date(match: re.Match[str], today: datetime) -> TimeSpan:
    month, day = _month(match["month"]), int(match["day"])
    if match["year"]:
        return _day_of(today.replace(year=int(match["year"]), month=month, day=day))
    date = today.replace(month=month, day=day)
    # Without a year the nearest one is meant: most of what is told of is past, half a year ahead at most.
    return _day_of(date.replace(year=today.year - 1) if date - today > timedelta(days=183) else date)


def _read_month(match: re.Match[str], today: datetime) -> TimeSpan:
    first = today.replace(month=_month(match["month"]), day=1)
    which = match.groupdict().get("which") or ""
    if match.groupdict().get("year"):
        first = first.replace(year=int(match["year"]))
    elif which and _offset(which) > 0:
        first = first if first > today else first.replace(year=today.year + 1)
    elif which and _offset(which) < 0:
        first = first if _months_on(first, 1) <= today else first.replace(year=today.year - 1)
    elif first - today > timedelta(days=183):
        first = first.replace(year=today.year - 1)
    return _month_of(first)


def _read_weekday(match: re.Match[str], today: datetime) -> TimeSpan:
    target = next(number for number, day in enumerate(_WEEKDAYS) if day.startswith(match["weekday"][:3]))
    which = match["which"] or ""
    if which and _offset(which) >= 0:
        return _day_of(today + timedelta(days=(target - today.weekday() - 1) % 7 + 1))
    back = (today.weekday() - target) % 7
    return _day_of(today - timedelta(days=back or (7 if which else 0)))


def _read_unit(match: re.Match[str], today: datetime) -> TimeSpan:
    return _around(today, match["unit"], _offset(match["which"]))


def _read_weekend(match: re.Match[str], today: datetime) -> TimeSpan:
    saturday = _week_of(today).start + timedelta(days=5)
    which = match["which"] or "this"
    if _offset(which) < 0:
        saturday -= timedelta(weeks=1)
    elif which != "this" and today.weekday() >= 5:
        saturday += timedelta(weeks=1)
    return TimeSpan(saturday, saturday + timedelta(days=2))


def _read_season(match: re.Match[str], today: datetime) -> TimeSpan:
    start = today.replace(month=_SEASONS[match["season"]], day=1)
    which = match["which"] or ""
    if match["year"]:
        start = start.replace(year=int(match["year"]))
    elif which and _offset(which) > 0:
        start = start if start > today else start.replace(year=start.year + 1)
    elif _offset(which) < 0 if which else start > today:
        start = start if _months_on(start, 3) <= today else start.replace(year=start.year - 1)
    return TimeSpan(start, _months_on(start, 3))


def _read_ago(match: re.Match[str], today: datetime) -> TimeSpan:
    return _around(today, match["unit"], -_count(match["count"]))


def _read_year(match: re.Match[str], today: datetime) -> TimeSpan:
    return _years(today, int(match["year"]))


def _read_decade(match: re.Match[str], today: datetime) -> TimeSpan:
    year = int(match["decade"])
    if year < 100:
        year += 1900 if year > today.year % 100 else 2000
    return _years(today, year, length=10)


def _read_iso(match: re.Match[str], today: datetime) -> TimeSpan:
    return _day_of(today.replace(year=int(match["year"]), month=int(match["m"]), day=int(match["day"])))


_PART_OF_DAY = r"(?: (?:morning|afternoon|evening|night|noon))?"
_CLOCK = r"(?: (?:at )?\d{1,2}(?::\d\d)? ?(?:am|pm)?)?"
_READINGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], TimeSpan]], ...] = tuple(
    (re.compile(pattern), reading)
    for pattern, reading in (
        (_YEAR, _read_year),
        (
            rf"(?P<word>today|now|right now|tonight|last night|this (?:morning|afternoon|evening)|yesterday|tomorrow|"
            rf"(?:the )?day before yesterday|(?:the )?day after tomorrow){_PART_OF_DAY}{_CLOCK}",
            _read_day_word,
        ),
        (rf"(?:{_WHICH} )?{_WEEKDAY}{_PART_OF_DAY}{_CLOCK}", _read_weekday),
        (rf"{_COUNT} {_UNIT} (?:ago|back|earlier)", _read_ago),
        (rf"{_WHICH} {_UNIT}", _read_unit),
        (rf"(?:the )?(?:{_WHICH} )?weekend", _read_weekend),
        (rf"(?:\w+day )?{_DAY} (?:of )?{_MONTH}(?: (?:of )?{_YEAR})?{_CLOCK}", _read_full_date),
        (rf"(?:\w+day )?{_MONTH} {_DAY}(?: (?:of )?{_YEAR})?{_CLOCK}", _read_full_date),
        (rf"(?:{_WHICH} )?{_MONTH}", _read_month),
        (rf"(?:the )?(?:beginning of |end of |middle of )?{_MONTH}(?: of)? {_YEAR}", _read_month),
        (rf"(?:the )?(?:{_WHICH} )?(?P<season>spring|summer|fall|autumn|winter)(?: (?:of )?{_YEAR})?", _read_season),
        (r"(?:the )?(?:early |late |mid-?)?'?(?P<decade>(?:1[89]|20)?\d0)'?s", _read_decade),
        (r"(?P<year>\d{4})-(?P<m>\d\d)-(?P<day>\d\d)(?:[t ].*)?", _read_iso),
    )
)


def _by_dateparser(text: str, today: datetime) -> TimeSpan | None:
    # A bare number or a clock time is no date, whatever dateparser makes of it.
    if not re.search(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}|" + _MONTH + r"\b", text):
        return None
    import dateparser

    found = dateparser.parse(
        text,
        languages=["en"],
        settings={
            "RELATIVE_BASE": today.replace(tzinfo=None),
            "PREFER_DATES_FROM": "past",
            "REQUIRE_PARTS": ["day", "month"],
        },
    )
    return None if found is None else _day_of(today.replace(year=found.year, month=found.month, day=found.day))
