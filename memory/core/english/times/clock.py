"""Times of the day: "5 pm", "17:30", "noon", "in the evening"."""

from __future__ import annotations

import re

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
