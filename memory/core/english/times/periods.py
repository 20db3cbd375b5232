"""Days, weeks, months, seasons, years and decades of the calendar, and how to step from one to another."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from memory.core.english.times.reference import (
    MONTH_NUMBERS,
    SEASONS,
    Granularity,
    PartialDate,
    month_number,
    weekday_number,
)

_HALF_A_YEAR = timedelta(days=183)
_UNITS = frozenset("hour day night week weekend month year yr decade".split())


@dataclass(frozen=True)
class Period:
    """What a phrase means, from its first to its last day; the other fields are those of a `TimeReference`."""

    first: date
    last: date
    granularity: Granularity
    relative_to: date | None = None
    is_of_any_year: bool = False
    clock: str = ""
    is_vague: bool = False


@dataclass(frozen=True)
class Frame:
    """What a phrase is read in: when it was said, the preposition and the words before it.

    `is_ahead` says that what may be past or to come is to come.
    """

    said_at: datetime
    lead: str
    before: str
    is_ahead: bool

    @property
    def today(self) -> date:
        return self.said_at.date()

    def day(self, day: date, *, clock: str = "") -> Period:
        """Return a day as counted from today."""
        return one_day(day, relative_to=self.today, clock=clock)

    def stepped(self, unit: str, step: int) -> Period:
        """Return the unit that lies `step` units after today's, as counted from today."""
        return replace(stepped(self.today, unit, step), relative_to=self.today)

    def of_nearest_year(self, in_year: Callable[[int], Period]) -> Period:
        """Return what recurs every year in the year that is meant by who leaves it out."""
        this = in_year(self.today.year)
        if self.is_ahead and this.last < self.today:
            this = in_year(self.today.year + 1)
        elif not self.is_ahead and this.first - self.today > _HALF_A_YEAR:
            this = in_year(self.today.year - 1)
        return replace(this, relative_to=self.today, is_of_any_year=True)


Reader = Callable[[re.Match[str], Frame], Period | None]


def unit_named(name: str) -> str:
    """Return the name of a unit in the singular: "weeks" is "week", "Fridays" is "friday"."""
    return name.lower().rstrip(".").removesuffix("s")


def recurring_every(unit: str) -> str:
    """Return the unit in which a named one comes again: "several Mondays ago" is several weeks ago; others stay."""
    if unit in _UNITS:
        return unit
    return "year" if unit in SEASONS or unit[:3] in MONTH_NUMBERS else "week"


def one_day(day: date, *, relative_to: date | None = None, clock: str = "") -> Period:
    return Period(day, day, Granularity.DAY, relative_to, clock=clock)


def whole_month(year: int, month: int) -> Period:
    of = PartialDate(year, month)
    return Period(of.first, of.last, Granularity.MONTH)


def whole_season(year: int, season: str) -> Period:
    month = SEASONS[season]
    last = PartialDate(year + (month + 2) // 13, (month + 1) % 12 + 1)
    return Period(date(year, month, 1), last.last, Granularity.SEASON)


def whole_years(year: int, length: int = 1) -> Period:
    granularity = Granularity.YEAR if length == 1 else Granularity.DECADE
    return Period(date(year, 1, 1), date(year + length - 1, 12, 31), granularity)


def stepped(day: date, unit: str, step: int) -> Period:
    """Return the unit that lies `step` units after that of a day; for a weekday, month or season the `step`-th of them."""
    match unit:
        case "day" | "night":
            return one_day(day + timedelta(step), clock="night" if unit == "night" else "")
        case "week" | "weekend":
            monday = day + timedelta(7 * step - day.weekday())
            first = monday if unit == "week" else monday + timedelta(5)
            return Period(first, monday + timedelta(6), Granularity(unit))
        case "month":
            year, month = divmod(day.year * 12 + day.month - 1 + step, 12)
            return whole_month(year, month + 1)
        case "year" | "yr":
            return whole_years(day.year + step)
        case "decade":
            return whole_years((day.year // 10 + step) * 10, 10)
    if unit in SEASONS or unit[:3] in MONTH_NUMBERS:
        return _stepped_yearly(day, unit, step)
    ahead = (weekday_number(unit) - day.weekday()) % 7
    first_step = ahead - 7 if step < 0 else ahead or 7 if step > 0 else ahead
    return one_day(day + timedelta(first_step + 7 * (step + 1 if step < 0 else max(step - 1, 0))))


def _stepped_yearly(day: date, unit: str, step: int) -> Period:
    """Return the `step`-th month or season of a name that is over (below 0) or to come; the one of a day's year for 0."""
    of_years = [_of_year(day.year + shift, unit) for shift in range(min(step, 0) - 1, max(step, 0) + 2)]
    if step < 0:
        return [one for one in of_years if one.last < day][step]
    if step > 0:
        return [one for one in of_years if one.first > day][step - 1]
    return next((one for one in of_years if one.first <= day <= one.last), _of_year(day.year, unit))


def _of_year(year: int, unit: str) -> Period:
    return whole_season(year, unit) if unit in SEASONS else whole_month(year, month_number(unit))
