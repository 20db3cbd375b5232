"""Replaces "yesterday" and "last year" by days and years, so that a sentence can be read at any later time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memory.core.knowledge_graph.time_expressions import TimeMention, say_day, say_span, time_mentions
from memory.core.ports import DateResolver
from memory.core.types import TimeSpan

_ABSOLUTE = re.compile(r"\b(?:19|20)\d\d\b")
_WEEKDAY = re.compile(r"^on\s+(?:mon|tues|wednes|thurs|fri|satur|sun)days?$", re.IGNORECASE)
_AHEAD = re.compile(
    r"\b(?:will|going to|gonna|plan(?:s|ning)? to|is planning|about to|looking forward|have to|has to|need to)\b|"
    r"\b(?:is|are) (?:\w+ing) ",
    re.IGNORECASE,
)
# What a preposition says of a time beyond "at that time" is kept: since when, until when.
_KEPT = re.compile(r"^(?:since|until|till|by|before|after|from|around|during|for)\b", re.IGNORECASE)
_AGO = re.compile(r"^(.+) (?:ago|back)$", re.IGNORECASE)
_ROUGHLY = re.compile(r"\b(about|around|almost|nearly|over|roughly) $", re.IGNORECASE)
_PART_OF_DAY = re.compile(r"^ (morning|afternoon|evening|night)\b", re.IGNORECASE)
_PLAIN = re.compile(r"^(?:on|in) ")


def with_dates(text: str, *, said_at: datetime, dates: DateResolver) -> str:
    """Return a sentence with each date expression replaced by the time that it meant; what is no date stays."""
    for mention in reversed(list(time_mentions(text))):
        told = _told(mention, text, said_at=said_at, dates=dates)
        if told:
            before = text[: mention.span.start]
            if _ROUGHLY.search(before):
                before, told = _ROUGHLY.sub("", before), f"around {_PLAIN.sub('', told)}"
            after = text[mention.span.end :]
            part = _PART_OF_DAY.match(after)
            if part is not None and told.startswith("on "):
                told, after = f"on the {part[1].lower()} of {told[3:]}", after[part.end() :]
            text = before + told + after
    return text[:1].upper() + text[1:]


def _told(mention: TimeMention, text: str, *, said_at: datetime, dates: DateResolver) -> str:
    """Return a time in plain words with its preposition, or "" where it stays as it was said."""
    if _ABSOLUTE.search(mention.expression) or text[mention.span.end :][:1] in {"'", "’", "-"}:
        return ""
    span = dates.resolve(mention.words, said_at=said_at)
    ago = _AGO.match(mention.words)
    if span is None:
        return f"{ago[1]} before {say_day(said_at)}" if ago is not None else ""
    if _WEEKDAY.match(mention.expression) and _AHEAD.search(text) and span.start <= said_at:
        span = TimeSpan(span.start + timedelta(days=7), span.end + timedelta(days=7))
    said = say_span(span)
    kept = _KEPT.match(mention.expression)
    if kept is None:
        return said
    bare = _PLAIN.sub("", said)
    return f"{mention.expression} ({bare})" if bare.startswith("between") else f"{kept[0]} {bare}"
