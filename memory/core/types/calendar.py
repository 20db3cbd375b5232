"""The range of times that can be stored."""

from datetime import UTC, datetime

# Half a year within the first and the last that a date can have: a moment of theirs can be told in any time zone, and what is
# counted on from it (a pause, a day, a week) is a date too.
EARLIEST, LATEST = datetime(1, 7, 1, tzinfo=UTC), datetime(9999, 7, 1, tzinfo=UTC)


def in_the_calendar(moment: datetime) -> datetime:
    """Return the time. Raises `ValueError` if it is out of range or has no time zone."""
    if moment.tzinfo is None or not EARLIEST <= moment <= LATEST:
        raise ValueError("no such date can be kept")
    return moment
