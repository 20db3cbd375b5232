"""A phrase for a time, and what it means."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum

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
