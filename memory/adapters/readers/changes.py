"""How the change judge sees two sentences: the old one, then how much later the new one was said, and the new one."""

from __future__ import annotations

from datetime import date

DAYS_A_WEEK, DAYS_A_MONTH, DAYS_A_YEAR = 7, 30.44, 365.25
# From so many of the smaller unit on, the larger one is told.
WEEKS_FROM, MONTHS_FROM, YEARS_FROM = 14, 60, 730


def later_text(new: str, *, old_said: date, new_said: date) -> str:
    """Return the new sentence as it is read after the old one: "5 weeks later: Sold the Panda"."""
    return f"{gap(old_said, new_said)}: {new}"


def gap(before: date, after: date) -> str:
    """Return the time between two days in its largest unit of which there are at least two: "9 days later"."""
    days = max(0, (after - before).days)
    if days == 0:
        return "the same day"
    if days == 1:
        return "a day later"
    if days < WEEKS_FROM:
        return f"{days} days later"
    if days < MONTHS_FROM:
        return f"{days // DAYS_A_WEEK} weeks later"
    if days < YEARS_FROM:
        return f"{round(days / DAYS_A_MONTH)} months later"
    return f"{round(days / DAYS_A_YEAR)} years later"
