"""Compares the time that a question names with other days. A date without a year ("16 March") is compared in every year."""

import calendar
from collections.abc import Iterator
from datetime import date, timedelta

from memory.core.english.times import PartialDate, TimeReference


def holds(time: TimeReference, day: date, *, days_after: int = 0) -> bool:
    """Return whether a day is in a time, or at most `days_after` days behind its end."""
    return any(first <= day <= last + timedelta(days_after) for first, last in _runs_near(time, day))


def meet(asked: TimeReference, told: TimeReference) -> bool:
    """Return whether two times overlap; what is told is taken in the year that was meant."""
    first, last = told.start.first, told.end.last
    return any(run_first <= last and first <= run_last for run_first, run_last in _runs_near(asked, first))


def _runs_near(time: TimeReference, day: date) -> Iterator[tuple[date, date]]:
    """Yield the first and the last day of a time, for each year around a day where the time's own year was left out."""
    year = time.start.first.year
    for near in range(day.year - 1, day.year + 2) if time.is_of_any_year else (year,):
        first, last = (_shifted(part, near - year) for part in (time.start.first, time.end.last))
        if first is not None and last is not None:
            yield first, last


def _shifted(day: date, years: int) -> date | None:
    """Return a day in another year, None beyond the calendar; the last of February stays its last."""
    year = day.year + years
    if not date.min.year <= year <= date.max.year:
        return None
    is_last = day.month == 2 and day.day == calendar.monthrange(day.year, 2)[1]
    return PartialDate(year, day.month, None if is_last else day.day).last
