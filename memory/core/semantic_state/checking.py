"""Exact checks of constraints against words: bounds on amounts, words that must not or must be there.

Only what is certain is told; of everything else the answer is None, and it is for a model to judge. A word that is spoken
of in a question, or beside a negation, is not taken for a break of what excludes it: "a cake without nuts".

A day counts only beside all the words of what must be by then: "ready by Friday", "It is ready on Saturday".

Departure from the paper: it names no checks.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from math import inf, isfinite, nextafter

from memory.core.english.inflection import singular
from memory.core.english.numbers import CARDINAL, number_of
from memory.core.english.stop_words import STOP_WORDS
from memory.core.english.times import Granularity, dates_in
from memory.core.semantic_state.elements import Constraint, Element, Status

_CURRENCIES = {"€": "euro", "$": "dollar", "£": "pound"}
_MINUTES = {"minute": 1, "min": 1, "hour": 60, "hr": 60, "day": 1_440, "week": 10_080}
_NUMBER = rf"(?:\d{{1,9}}(?:,\d{{3}})*(?:\.\d+)?|{CARDINAL})(?![\w.]*\d)"
_AMOUNT = re.compile(
    rf"(?P<sign>[€$£])\s?(?P<money>{_NUMBER})|\b(?P<number>{_NUMBER})\s?(?P<unit>[€£]|[a-z]+)", re.IGNORECASE
)
_BETWEEN = re.compile(rf"\b(?:between|from)\s+(?P<low>{_NUMBER})\s+(?:and|to)\s+", re.IGNORECASE)
_BOUNDS = {
    r"(?:at most|(?:no|not) (?:more|longer) than|max(?:imum|\.)?(?: of)?|up to|within|budget (?:is|of))": (
        False,
        False,
    ),
    r"(?:at least|(?:no|not) (?:less|fewer) than|min(?:imum|\.)?(?: of)?)": (True, False),
    r"(?:under|below|(?:less|fewer|cheaper|shorter) than)": (False, True),
    r"(?:over|above|(?:more|longer) than)": (True, True),
}
_BOUND_WORDS = tuple(re.compile(rf"\b{words}", re.IGNORECASE) for words in _BOUNDS)
_TURNED = re.compile(r"(?:\b(?:no|not)|n['’]t)\b.*?(?P<words>\b(?:later|earlier) than\s*|)$", re.IGNORECASE | re.DOTALL)
_TURNED_LEADS = {"later than": "by", "earlier than": "from", "after": "by", "before": "from"}
_EXCLUDES = re.compile(
    r"\b(?:nothing with|without|nothing|never|avoid|do(?:n't| not)|no|not)\s+(?:(?:use|mention|include|any|my|the)\s+)*"
    r"(?P<what>[a-z][a-z' -]*)",
    re.IGNORECASE,
)
_INCLUDES = re.compile(
    r"\b(?:must|has to|have to|needs to|should)\s+(?:have|include|mention)\s+(?:(?:a|an|the)\s+)?(?P<what>[a-z][a-z' -]*)",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\s*(?:,|\bor\b|\band\b)\s*")
_CLAUSE = re.compile(r"[^.;!?\n]+[.;!?]?")
# Beside one of these a thing that is mentioned may be meant not to be there.
_NEGATING = re.compile(
    r"\b(?:no|not|nor|neither|never|nothing|none|without|free|off|out|instead|rather|except|unless|if|avoid\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?", re.IGNORECASE)
_POLITE = frozenset({"please", "thanks"})


@dataclass(frozen=True)
class Amount:
    """A number of a unit: money in its currency, times in minutes, all else by its noun in the singular."""

    value: float
    unit: str


@dataclass(frozen=True)
class Bound:
    """The amounts that a constraint allows, of one unit, both ends included, and the words that tell of what."""

    low: float
    high: float
    unit: str
    of: frozenset[str]


@dataclass(frozen=True)
class Days:
    """The days that a constraint allows, both ends included, and the words that tell of what."""

    first: date
    last: date
    of: frozenset[str]


def check_text(constraint: Constraint, text: str, *, said_on: str = "") -> Status | None:
    """Return whether a text is certain to satisfy or to violate a constraint; None where code cannot tell.

    `said_on` is the day of the text in ISO format, from which its dates count; without it none of them is read.
    """
    told = constraint.description
    match limit_of(told, constraint.said_on):
        case Bound() as bound:
            return _all_or_none(
                [bound.low <= one.value <= bound.high for one in amounts_in(text) if one.unit == bound.unit]
            )
        case Days() as days:
            spoken = [clause for clause in _asserted(text) if days.of <= set(stems_of(clause))]
            named = [day for clause in spoken for day in exact_days(clause, said_on=said_on)]
            return _all_or_none([days.first <= day <= days.last for day in named])
    included = _INCLUDES.search(told)
    if included is not None:
        return Status.SATISFIED if _mentions(text, stems_of(included["what"])) else None
    excluded = _EXCLUDES.search(told)
    if excluded is None:
        return None
    things = [stems_of(thing) for thing in _EITHER.split(excluded["what"])]
    return Status.VIOLATED if any(_mentions(clause, thing) for clause in _asserted(text) for thing in things) else None


def is_checkable(constraint: Constraint) -> bool:
    """Return whether there are words that code can tell to violate a constraint."""
    told = constraint.description
    return has_limit(constraint) or not _INCLUDES.search(told) and _EXCLUDES.search(told) is not None


def has_limit(constraint: Constraint) -> bool:
    """Return whether a constraint bounds an amount or a day in a way that code can read."""
    return limit_of(constraint.description, constraint.said_on) is not None


def is_certain_break(constraint: Constraint, told: Element) -> bool:
    """Return whether what is known or assumed is certain to break a bound of a constraint.

    It must speak of all that the constraint does beside its bound: a flight for 450 euros breaks nothing that is required of
    a hotel. What is excluded is not among it: that somebody is allergic to nuts breaks no "no nuts".
    """
    limit = limit_of(constraint.description, constraint.said_on)
    if limit is None or not limit.of or not limit.of <= set(stems_of(told.description)):
        return False
    return check_text(constraint, told.description, said_on=told.said_on) is Status.VIOLATED


@lru_cache(maxsize=2_000)
def limit_of(text: str, said_on: str) -> Bound | Days | None:
    """Return the limit that a requirement sets on an amount or a day, if code can read one."""
    return bound_in(text) or days_in(text, said_on=said_on)


def days_in(text: str, *, said_on: str) -> Days | None:
    """Return the days that words allow for something: "ready by Friday", "not before 3 May"; None where there are none."""
    times = dates_in(text, said_at=datetime.fromisoformat(said_on)) if said_on else []
    if len(times) != 1:
        return None
    [time] = times
    turned = _TURNED.search(text, 0, time.span.start)
    match time.lead if turned is None else _TURNED_LEADS.get(turned["words"].lower().strip() or time.lead):
        case "by" | "until":
            first, last = date.min, time.end.last
        case "before":
            first, last = date.min, time.start.first - timedelta(days=1)
        case "from":
            first, last = time.start.first, date.max
        case "after":
            first, last = time.end.last + timedelta(days=1), date.max
        case _:
            return None
    before = text[: time.span.start] if turned is None else text[: turned.start("words")]
    of = subject_of(before + text[time.span.end :])
    return Days(first, last, of) if of else None


def exact_days(text: str, *, said_on: str) -> Iterator[date]:
    """Yield the days on which a text says that something is."""
    for time in dates_in(text, said_at=datetime.fromisoformat(said_on)) if said_on else ():
        if time.granularity is Granularity.DAY and time.lead in ("", "on", "at"):
            yield time.start.first


def subject_of(text: str) -> frozenset[str]:
    """Return the words of a requirement in the singular but for its bounds, its amounts, and words that tell nothing."""
    left = text
    for pattern in (*_BOUND_WORDS, _BETWEEN, _AMOUNT):
        left = pattern.sub(" ", left)
    return frozenset(one for one in stems_of(left) if one.replace("'", "") not in STOP_WORDS)


def bound_in(text: str) -> Bound | None:
    """Return the bound that words set on an amount, if they do: "under 40 euros", "between 2 and 4 hours"."""
    if between := _BETWEEN.search(text):
        low, high = number_of(between["low"]), _AMOUNT.match(text, between.end())
        top = None if high is None else _amount(high)
        if high is None or low is None or top is None:
            return None
        return Bound(low * _MINUTES.get(_unit(high), 1), top.value, top.unit, subject_of(text))
    for words, (is_lower, is_strict) in _BOUNDS.items():
        match = re.search(rf"\b{words}\s+(?=\S)", text, re.IGNORECASE)
        told = _AMOUNT.match(text, match.end()) if match else None
        amount = None if told is None else _amount(told)
        if amount is not None:
            inside = inf if is_lower else -inf
            edge = nextafter(amount.value, inside) if is_strict else amount.value
            ends = (edge, inf) if is_lower else (-inf, edge)
            return Bound(*ends, amount.unit, subject_of(text))
    return None


def amounts_in(text: str) -> Iterator[Amount]:
    """Yield the numbers of a text with what they count."""
    for match in _AMOUNT.finditer(text):
        amount = _amount(match)
        if amount is not None:
            yield amount


def _amount(match: re.Match[str]) -> Amount | None:
    written = match["money"] or match["number"]
    value = float(written.replace(",", "")) if written[0].isdigit() else number_of(written)
    if value is None or not isfinite(value):
        return None
    unit = _unit(match)
    return Amount(value * _MINUTES[unit], "minute") if unit in _MINUTES else Amount(float(value), unit)


def _unit(match: re.Match[str]) -> str:
    unit = match["sign"] or match["unit"]
    return _CURRENCIES.get(unit) or singular(unit.casefold())


def stems_of(text: str) -> tuple[str, ...]:
    """Return the words of a thing in the singular, without courtesies."""
    words = (word.casefold() for word in _WORD.findall(text))
    return tuple(singular(word) for word in words if word not in _POLITE)


def _asserted(text: str) -> list[str]:
    """Return the clauses of a text that neither ask nor have a negation in them."""
    return [clause for clause in _CLAUSE.findall(text) if not clause.endswith("?") and not _NEGATING.search(clause)]


def _all_or_none(inside: list[bool]) -> Status | None:
    if not inside or any(inside) != all(inside):
        return None
    return Status.SATISFIED if inside[0] else Status.VIOLATED


def _mentions(text: str, thing: tuple[str, ...]) -> bool:
    words = stems_of(text)
    return bool(thing) and any(words[start : start + len(thing)] == thing for start in range(len(words)))
