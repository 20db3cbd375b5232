"""Finds date expressions in English text and writes resolved times in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.core.knowledge_graph.vocabulary import MONTHS
from memory.core.ports import DateResolver
from memory.core.types import Span, TimeSpan

_MONTH = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_NUMBER = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d+|a few|a couple(?: of)?|several)"
_UNIT = r"(?:day|week|weekend|month|year|night|hour)s?"
_PREPOSITION = r"(?:(?:in|since|on|by|until|till|before|after|during|around|at)\s+(?:the\s+)?)"
_QUALIFIER = r"(?:(?:early|late|mid|the end of|the beginning of)[\s-]+)?"

TIME_EXPRESSION = re.compile(
    rf"\b(?:{_PREPOSITION}?(?:"
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b(?:,?\s+\d{{4}})?|"
    rf"{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}})?|"
    rf"{_MONTH},?\s+\d{{4}}|\d{{4}}-\d{{2}}-\d{{2}}|"
    rf"(?:the\s+)?(?:last|next|this|past|this past|previous|following|coming)\s+"
    rf"(?:week(?:end)?|month|year|summer|winter|spring|autumn|"
    rf"fall|night|{_DAY}|{_MONTH})|"
    rf"the\s+(?:day before yesterday|day after tomorrow|other (?:day|week|month))|"
    rf"yesterday|today|tomorrow|tonight|(?:this|yesterday|tomorrow)\s+(?:morning|afternoon|evening)|"
    rf"{_NUMBER}\s+{_UNIT}\s+(?:ago|before|earlier|back)|in\s+{_NUMBER}\s+{_UNIT})|"
    rf"(?:in|since|by|until|till|before|after|during|around|from|of|for)\s+{_QUALIFIER}(?:{_MONTH}|(?:19|20)\d\d)|"
    rf"(?:on|since|this|every|by|until)\s+{_DAY})(?!\w)",
    re.IGNORECASE,
)
_LEADING = re.compile(rf"^(?:{_PREPOSITION}|of\s+|for\s+)", re.IGNORECASE)
_WEEK = re.compile(r"\b(?:last|past|previous)\s+(week|weekend)\b", re.IGNORECASE)
_WEEKS = re.compile(rf"\b({_NUMBER})\s+(week|weekend)s?\s+ago\b", re.IGNORECASE)
_LAST_DAY = re.compile(rf"\b(?:last|past|this past|previous|on)\s+({_DAY})\b", re.IGNORECASE)

_BARE_DAY = re.compile(rf"^on\s+({_DAY})$", re.IGNORECASE)


@dataclass(frozen=True)
class TimeMention:
    """A date expression of a text; `words` are without the preposition that leads them."""

    expression: str
    words: str
    span: Span


def time_mentions(text: str) -> Iterator[TimeMention]:
    """Yield the date expressions of a text from left to right."""
    for found in TIME_EXPRESSION.finditer(text):
        expression = found.group(0)
        if expression.lower() in {"in may", "by may"} and found.group(0)[3:4].islower():
            continue
        yield TimeMention(expression, _LEADING.sub("", expression), Span(found.start(), found.end()))


def say_time(mention: TimeMention, *, said_at: datetime, dates: DateResolver, is_ahead: bool = False) -> str:
    """Return the time that an expression means in plain words, as precise as the expression; "" where it is no date.

    "yesterday" said on 8 May 2023 is "on 7 May 2023"; "last week" is "in the week before 9 June 2023". `is_ahead` takes a
    bare weekday for the next one: "on Friday" of an appointment.
    """
    said = say_day(said_at)
    if week := _WEEK.search(mention.expression):
        span = dates.resolve(mention.words, said_at=said_at)
        days = f" ({say_day(span.start)} to {say_day(span.end - timedelta(seconds=1))})" if span is not None else ""
        return f"{'in' if week[1].lower() == 'week' else 'on'} the {week[1].lower()} before {said}{days}"
    if weeks := _WEEKS.search(mention.expression):
        number = weeks[1].lower()
        unit = weeks[2].lower()
        return f"{number} {unit}{'' if number in {'a', 'one', '1'} else 's'} before {said}"
    span = dates.resolve(mention.words, said_at=said_at)
    if span is None:
        return ""
    if is_ahead and (day := _BARE_DAY.match(mention.expression)) and span.start <= said_at:
        return f"on {say_day(span.start + timedelta(days=7))}, the {day[1].rstrip('s').capitalize()} after {said}"
    if (day := _LAST_DAY.search(mention.expression)) and span.start <= said_at:
        return f"on {say_day(span.start)}, the {day[1].rstrip('s').capitalize()} before {said}"
    return say_span(span)


def say_span(span: TimeSpan) -> str:
    """Return a resolved time with its preposition, in the span's own precision: "in 2019", "in May 2023", "on 7 May 2023"."""
    length = span.end - span.start
    if length <= timedelta(days=1, hours=1):
        return f"on {say_day(span.start)}"
    if length <= timedelta(days=8):
        return f"between {say_day(span.start)} and {say_day(span.end - timedelta(seconds=1))}"
    if length <= timedelta(days=31, hours=1):
        return f"in {say_month(span.start)}"
    if length <= timedelta(days=100):
        return f"between {say_month(span.start)} and {say_month(span.end - timedelta(seconds=1))}"
    return f"in {span.start.year}"


def say_day(moment: datetime) -> str:
    """Return a date as people write it: "7 May 2023"."""
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"


def say_month(moment: datetime) -> str:
    return f"{MONTHS[moment.month - 1]} {moment.year}"
