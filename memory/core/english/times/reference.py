"""A phrase for a time, and what it means."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum

from memory.core.english.numbers import ORDINAL, ordinal_of
from memory.core.types import Span, TimeSpan


class Granularity(StrEnum):
    """How exact the words for a time are."""

    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"
    DECADE = "decade"


@dataclass(frozen=True)
class PartialDate:
    """A date as far as it is stated: a year, a month of a year, a day; "7 May" has no year."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    @staticmethod
    def of(iso: str) -> PartialDate:
        """Return the date of "2023", "2023-05" or "2023-05-07"."""
        return PartialDate(*(int(part) for part in iso.split("-")))

    def __str__(self) -> str:
        parts = (f"{self.year or 0:04}", *(f"{part:02}" for part in (self.month, self.day) if part))
        return "-".join(parts)

    @property
    def first(self) -> date:
        """The first day of a date that has a year. Raises `ValueError` where the calendar has no such day."""
        return date(self.year or 0, self.month or 1, self.day or 1)

    @property
    def last(self) -> date:
        """The last day of a date that has a year. Raises `ValueError` where the calendar has no such day."""
        month = self.month or 12
        return date(self.year or 0, month, self.day or calendar.monthrange(self.year or 0, month)[1])


@dataclass(frozen=True)
class TimeReference:
    """A phrase for a time and what it means.

    `start` and `end` are the first and the last part of the time that is named. `lead` is the preposition that says how it
    bounds something ("since", "until", "by"; "for" with a length, whose time is its beginning). `span` is where the phrase
    stands, `words` its words behind the preposition. `relative_to` is the day that it was counted from, None for a date that
    says all of itself; `is_of_any_year` where its year was left out. `part` is early, mid or late; `clock` a time or a part
    of the day. `is_vague` marks a count that is none ("a few years ago").
    """

    start: PartialDate
    end: PartialDate
    granularity: Granularity
    span: Span
    words: str
    lead: str = ""
    relative_to: date | None = None
    is_of_any_year: bool = False
    part: str = ""
    clock: str = ""
    is_vague: bool = False

    @property
    def is_length(self) -> bool:
        """Whether the words are a length that goes on until now, and the time is its beginning: "for six years"."""
        return self.lead == "for"

    @property
    def starts(self) -> bool:
        """Whether something begins at the time: "since 2019", "for six years"."""
        return self.lead in ("since", "from", "between", "for")

    @property
    def ends(self) -> bool:
        """Whether something ends at the time: "until May"."""
        return self.lead in ("until", "before")

    def during(self, said_at: datetime) -> TimeSpan:
        """Return the time in the time zone of its speaker, from the first midnight to the one after its last day."""
        first, last = (datetime.combine(day, time(), said_at.tzinfo) for day in (self.start.first, self.end.last))
        return TimeSpan(first, last + timedelta(days=1))


MONTHS = tuple(calendar.month_name[1:])
WEEKDAYS = tuple(calendar.day_name)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
# Names are told apart by their first three letters.
MONTH_NUMBERS = {name[:3].lower(): number for number, name in enumerate(MONTHS, start=1)}

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b(?:\.(?=,?\s\d))?"
)
DAY_NAME = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
WEEKDAY = rf"(?:{DAY_NAME}|(?:mon|tues?|weds?|thurs?|fri|sat|sun)\b(?:\.(?=,?\s\d))?)"
SEASON = f"(?:{'|'.join(SEASONS)})"
YEAR = r"(?:1\d|2[01])\d\d"
DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|{ORDINAL})"

_STATED_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)", re.ASCII)
_STATED_DAY = re.compile(r"(?<![\w/.])(\d{1,2})(?:st|nd|rd|th)?(?![\w/])", re.IGNORECASE | re.ASCII)
_STATED_MONTH = re.compile(rf"(?<![^\W\d_]){MONTH}", re.IGNORECASE | re.ASCII)
_ISO_DATE = re.compile(r"\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:T.*)?\s*", re.ASCII)


def stated_date(text: str) -> PartialDate:
    """Return the year, the month and the day that a text states, each where it states exactly one: "7 May" has no year."""
    iso = _ISO_DATE.fullmatch(text)
    if iso is not None:
        return PartialDate(*(int(part) for part in iso.groups()))
    months = [month_number(name) for name in _STATED_MONTH.findall(text)]
    years, days = ([int(number) for number in pattern.findall(text)] for pattern in (_STATED_YEAR, _STATED_DAY))
    year, month, day = (parts[0] if len(parts) == 1 else None for parts in (years, months, days))
    return PartialDate(year, month, day)


def month_number(name: str) -> int:
    return MONTH_NUMBERS[name[:3].lower()]


def weekday_number(name: str) -> int:
    """Return the number of a weekday, from 0 for Monday."""
    return [day[:3] for day in WEEKDAYS].index(name[:3].title())


def day_number(words: str) -> int:
    return int(words) if words.isdigit() else ordinal_of(words) or 0


DAYPARTS = ("morning", "afternoon", "evening", "night")
DAYPART = "|".join(DAYPARTS)
CLOCK = (
    r"(?:(?:1[0-2]|0?[1-9])(?::[0-5]\d)?\s?[ap](?:\.m\.|m\b)|(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?!\d)|noon\b|"
    r"midnight\b)"
)
_BEHIND_A_DAY = re.compile(
    rf"(?ai:(?:\s+(?:in the\s+|at\s+)?(?P<daypart>{DAYPART}))?(?:,?\s+(?:at\s+|around\s+|by\s+)?(?P<clock>{CLOCK}))?)(?!\w)"
)


def clock_behind(text: str, end: int) -> tuple[int, str]:
    """Return the end of the clock time or part of the day that stands at `end`, behind a day, and what it says."""
    found = _BEHIND_A_DAY.match(text, end)
    if found is None:
        return end, ""
    return found.end(), clock_time(found["clock"]) if found["clock"] else (found["daypart"] or "").lower()


def clock_time(words: str) -> str:
    """Return a clock time as "17:30"."""
    text = words.lower().replace(".", "").replace(" ", "")
    if text in ("noon", "midnight"):
        return "12:00" if text == "noon" else "00:00"
    hour, _, minute = text.rstrip("apm").partition(":")
    shift = 12 if text.endswith("pm") and hour != "12" else -12 if text.endswith("am") and hour == "12" else 0
    return f"{int(hour) + shift:02}:{minute[:2] or '00'}"
