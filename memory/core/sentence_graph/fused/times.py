"""Finds the days that a text means: "16 March 2022", "in August", "last week", "two days ago".

Dates without a year match any year; relative expressions are resolved against the day on which they were said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

MONTHS = "january february march april may june july august september october november december".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 3, "four": 4, "five": 5, "six": 6} | {
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12
}  # fmt: skip
# How far back one of each is, and how far off people may be who count in it.
LENGTHS = {"day": (1, 0), "week": (7, 3), "weekend": (7, 2), "month": (30, 15), "year": (365, 183)}
LARGEST_COUNT = 100

_MONTH = "|".join(MONTHS)
_DAY = r"(?P<{0}>\d{{1,2}})(?:st|nd|rd|th)?"
_DATED = re.compile(
    rf"\b(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})\b"
    rf"|\b{_DAY.format('day')}\s+(?:of\s+)?(?P<month>{_MONTH})\b(?:,?\s*(?P<year>\d{{4}})\b)?"
    rf"|\b(?P<month_first>{_MONTH})\b(?:\s+{_DAY.format('day_after')}\b(?!\d))?(?:,?\s*(?P<year_after>\d{{4}})\b)?"
    r"|\b(?:in|of|during|since)\s+(?P<only_year>(?:19|20)\d{2})\b",
    re.IGNORECASE,
)
# "May" and "march" are months only where a day, a year or a word of time stands by them.
_AMBIGUOUS = {"may", "march"}
_TIME_WORD = re.compile(
    r"\b(?:in|of|on|during|since|until|by|before|after|early|late|mid|last|this|next)\W+$", re.IGNORECASE
)
_RELATIVE = re.compile(
    r"\b(?:(?P<near>today|tonight|yesterday|last night|tomorrow)"
    rf"|(?P<which>last|past|this|next)\s+(?P<unit>week|weekend|month|year|{'|'.join(WEEKDAYS)})"
    rf"|(?P<count>\d{{1,3}}|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})\s+(?P<back>{'|'.join(LENGTHS)})s?\s+ago)\b",
    re.IGNORECASE,
)
_NEAR = {"today": 0, "tonight": 0, "yesterday": -1, "last night": -1, "tomorrow": 1}
_STEPS = {"last": -1, "past": -1, "this": 0, "next": 1}


@dataclass(frozen=True)
class Days:
    """A range of days, both ends included.

    Where `year` is None it recurs every year, and its ends are given in a leap year.
    """

    first: date
    last: date
    any_year: bool = False

    def holds(self, day: date, *, days_after: int = 0) -> bool:
        """Return whether a day is in the range, or at most `days_after` days behind its end."""
        return any(run.first <= day <= run.last + timedelta(days_after) for run in self.runs_near(day))

    def meets(self, other: Days) -> bool:
        """Return whether two ranges overlap; `other` has a year."""
        return any(run.first <= other.last and other.first <= run.last for run in self.runs_near(other.first))

    def runs_near(self, day: date) -> list[Days]:
        """Return the range itself, or its occurrences in the years around a day where it recurs every year."""
        if not self.any_year:
            return [self]
        years = (year for year in (day.year - 1, day.year, day.year + 1) if date.min.year <= year <= date.max.year)
        return [Days(in_year(self.first, year), in_year(self.last, year)) for year in years]


def in_year(day: date, year: int) -> date:
    """Return the day in another year; the 29th of February becomes the 28th where there is none."""
    try:
        return day.replace(year=year)
    except ValueError:
        return day.replace(year=year, day=28)


def days_meant(text: str, *, said_at: datetime) -> list[Days]:
    """Return the ranges of days that a text names: first dates in the order of the text, then relative expressions."""
    return [*dated(text), *relative(text, said_on=said_at.date())]


def dated(text: str) -> Iterator[Days]:
    for match in _DATED.finditer(text):
        month = match["month"] or match["month_first"]
        day, year = match["day"] or match["day_after"], match["year"] or match["year_after"] or match["only_year"]
        if (
            not (day or year or match["iso"])
            and month.lower() in _AMBIGUOUS
            and not _TIME_WORD.search(text[: match.start()])
        ):
            continue
        try:
            if match["iso"]:
                found = date.fromisoformat(match["iso"])
                yield Days(found, found)
            else:
                yield calendar_days(year, month, day)
        except ValueError:
            # There is no such day, such as the 31st of June.
            continue


def calendar_days(year: str | None, month: str | None, day: str | None) -> Days:
    """Return the range of a day, a month or a year. Raises `ValueError` for a date that does not exist."""
    of_year = int(year) if year else 2024
    if month is None:
        return Days(date(of_year, 1, 1), date(of_year, 12, 31))
    number = MONTHS.index(month.lower()) + 1
    if day:
        return Days(date(of_year, number, int(day)), date(of_year, number, int(day)), any_year=not year)
    return Days(date(of_year, number, 1), last_of_month(of_year, number), any_year=not year)


def last_of_month(year: int, month: int) -> date:
    return date(year, 12, 31) if month == 12 else date(year, month + 1, 1) - timedelta(1)


def relative(text: str, *, said_on: date) -> Iterator[Days]:
    for match in _RELATIVE.finditer(text):
        try:
            if match["near"]:
                day = said_on + timedelta(_NEAR[match["near"].lower()])
                yield Days(day, day)
            elif match["which"]:
                yield stepped(said_on, match["unit"].lower(), _STEPS[match["which"].lower()])
            else:
                yield counted_back(said_on, match["count"].lower(), match["back"].lower())
        except (ValueError, OverflowError):
            # Before or after all time that there are dates for.
            continue


def stepped(said_on: date, unit: str, step: int) -> Days:
    """Return the week, weekend, month, year or weekday before (`step` -1), around (0) or after (1) a day."""
    monday = said_on - timedelta(said_on.weekday()) + timedelta(7 * step)
    match unit:
        case "week":
            return Days(monday, monday + timedelta(6))
        case "weekend":
            return Days(monday + timedelta(5), monday + timedelta(6))
        case "month":
            years, month = divmod(said_on.year * 12 + said_on.month - 1 + step, 12)
            return Days(date(years, month + 1, 1), last_of_month(years, month + 1))
        case "year":
            return Days(date(said_on.year + step, 1, 1), date(said_on.year + step, 12, 31))
    ahead = (WEEKDAYS.index(unit) - said_on.weekday()) % 7
    day = said_on + timedelta(ahead - 7 if step < 0 else ahead or 7 if step > 0 else ahead)
    return Days(day, day)


def counted_back(said_on: date, count: str, unit: str) -> Days:
    """Return the days around `count` weeks or months before a day. Raises `ValueError` for an absurd count."""
    number = int(count) if count.isdigit() else NUMBERS[count]
    if number > LARGEST_COUNT:
        raise ValueError(f"{number} {unit}s is not what people count back.")
    length, slack = LENGTHS[unit]
    middle = said_on - timedelta(number * length)
    return Days(middle - timedelta(slack), middle + timedelta(slack))
