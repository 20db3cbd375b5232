"""Replaces "yesterday" and "last year" by days and years, so that a sentence can be read at any later time."""

from __future__ import annotations

from datetime import datetime

from memory.core.english.telling_times import tell_when
from memory.core.english.times import dates_in


def with_dates(text: str, *, said_at: datetime) -> str:
    """Return a sentence with each phrase for a time replaced by the time that it meant; what says its year stays."""
    for time in reversed(dates_in(text, said_at=said_at)):
        before, after = text[: time.span.start], text[time.span.end :]
        is_whole = time.relative_to is None or str(time.relative_to.year) in time.words
        if not is_whole and after[:1] not in {"'", "’", "-"}:
            text = before + tell_when(time) + after
    return text[:1].upper() + text[1:]
