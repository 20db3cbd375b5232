"""Reads dates as people write them in short answers, so that two forms of the same day, month or year are equal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
MONTH_NUMBERS = {name[:length]: number for number, name in enumerate(MONTHS, start=1) for length in (3, len(name))}
MONTH_NUMBERS["sept"] = 9

MONTH = r"(?P<month>" + "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True)) + r")\.?"
DAY = r"(?P<day>\d{1,2})(?:\s*(?:st|nd|rd|th))?"
YEAR = r"(?P<year>\d{4})"
WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?(?:the\s+)?"
GAP = r"(?:\s*,\s*|\s+(?:of\s+)?|\s*-\s*)"

# In this order: a longer form is read before a shorter one that is a part of it.
FORMS = tuple(
    re.compile(rf"(?<![\w./-]){form}(?![\w/]|[.-]\d)", re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})([-/.])(?P<month_number>\d{1,2})\2(?P<day>\d{1,2})(?:T[\d:.Z+-]+)?",
        r"(?P<first>\d{1,2})([-/])(?P<second>\d{1,2})\2(?P<year>\d{4})",
        r"(?P<day>\d{1,2})\.\s?(?P<month_number>\d{1,2})\.\s?(?P<year>\d{4})",
        rf"{WEEKDAY}{DAY}{GAP}{MONTH}{GAP}{YEAR}",
        rf"{WEEKDAY}{MONTH}{GAP}{DAY}{GAP}{YEAR}",
        rf"{YEAR}{GAP}{MONTH}{GAP}{DAY}",
        rf"{WEEKDAY}{DAY}{GAP}{MONTH}",
        rf"{WEEKDAY}{MONTH}{GAP}{DAY}",
        rf"{MONTH}{GAP}{YEAR}",
        r"(?P<year>\d{4})([-/])(?P<month_number>\d{2})",
        r"(?P<month_number>\d{1,2})/(?P<year>\d{4})",
    )
)


@dataclass(frozen=True)
class PartialDate:
    """A date as exact as its words: a day without a year, a month of a year and a whole day are all dates."""

    year: int | None
    month: int
    day: int | None = None

    def includes(self, other: PartialDate) -> bool:
        """Return whether all parts that this date names are equal in the other one."""
        return (
            (self.year is None or self.year == other.year)
            and self.month == other.month
            and (self.day is None or self.day == other.day)
        )


def date_of(text: str) -> PartialDate | None:
    """Return the date that a whole text is, or None."""
    stripped = re.sub(r"^(?:on|in)\s+", "", text.strip().rstrip("."), flags=re.IGNORECASE)
    for form in FORMS:
        match = form.fullmatch(stripped)
        if match:
            return read(match)
    return None


def dates_in(text: str) -> Iterator[PartialDate]:
    """Yield the dates that the text names. A part of a date is not counted as a date."""
    rest = text
    for form in FORMS:
        for match in form.finditer(rest):
            found = read(match)
            if found:
                yield found
        rest = form.sub(lambda match: " " * len(match[0]) if read(match) else match[0], rest)


def read(match: re.Match[str]) -> PartialDate | None:
    """Return the date of a match, or None for a day that does not exist or a form with two readings (07/05)."""
    groups = match.groupdict()
    year = int(groups["year"]) if groups.get("year") else None
    day = int(groups["day"]) if groups.get("day") else None
    if "first" in groups:
        first, second = int(groups["first"]), int(groups["second"])
        if first <= 12 and second <= 12 and first != second:
            return None
        day, month = (first, second) if second <= 12 else (second, first)
    elif groups.get("month"):
        month = MONTH_NUMBERS[groups["month"].lower()]
    else:
        month = int(groups["month_number"])
    try:
        date(year or 2000, month, day or 1)
    except ValueError:
        return None
    return PartialDate(year, month, day)
