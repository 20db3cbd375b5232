"""Exact checks of constraints against words: bounds on amounts, words that must not or must be there.

Only what is certain is told; of everything else the answer is None, and it is for a model to judge. A word that is spoken
of in a question, or beside a negation, is not taken for a break of what excludes it: "a cake without nuts".

Departures from the paper: it names no checks. Dates are not among them yet: an element does not keep the day on which it was
said, from which "by Friday" would count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite, nextafter

from memory.core.english.inflection import singular
from memory.core.english.numbers import CARDINAL, number_of
from memory.core.semantic_state.elements import Constraint, Status

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
    """The amounts that a constraint allows, of one unit, both ends included."""

    low: float
    high: float
    unit: str


def check_text(constraint: Constraint, text: str) -> Status | None:
    """Return whether a text is certain to satisfy or to violate a constraint; None where code cannot tell."""
    told = constraint.description
    bound = bound_in(told)
    if bound is not None:
        inside = [bound.low <= one.value <= bound.high for one in amounts_in(text) if one.unit == bound.unit]
        if not inside or any(inside) != all(inside):
            return None
        return Status.SATISFIED if inside[0] else Status.VIOLATED
    included = _INCLUDES.search(told)
    if included is not None:
        return Status.SATISFIED if _mentions(text, stems_of(included["what"])) else None
    excluded = _EXCLUDES.search(told)
    if excluded is None:
        return None
    clauses = [clause for clause in _CLAUSE.findall(text) if not clause.endswith("?") and not _NEGATING.search(clause)]
    things = [stems_of(thing) for thing in _EITHER.split(excluded["what"])]
    return Status.VIOLATED if any(_mentions(clause, thing) for clause in clauses for thing in things) else None


def is_checkable(constraint: Constraint) -> bool:
    """Return whether there are words that code can tell to violate a constraint."""
    told = constraint.description
    return bound_in(told) is not None or not _INCLUDES.search(told) and _EXCLUDES.search(told) is not None


def bound_in(text: str) -> Bound | None:
    """Return the bound that words set on an amount, if they do: "under 40 euros", "between 2 and 4 hours"."""
    if between := _BETWEEN.search(text):
        low, high = number_of(between["low"]), _AMOUNT.match(text, between.end())
        top = None if high is None else _amount(high)
        if high is None or low is None or top is None:
            return None
        return Bound(low * _MINUTES.get(_unit(high), 1), top.value, top.unit)
    for words, (is_lower, is_strict) in _BOUNDS.items():
        match = re.search(rf"\b{words}\s+(?=\S)", text, re.IGNORECASE)
        told = _AMOUNT.match(text, match.end()) if match else None
        amount = None if told is None else _amount(told)
        if amount is not None:
            inside = inf if is_lower else -inf
            edge = nextafter(amount.value, inside) if is_strict else amount.value
            return Bound(edge, inf, amount.unit) if is_lower else Bound(-inf, edge, amount.unit)
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


def _mentions(text: str, thing: tuple[str, ...]) -> bool:
    words = stems_of(text)
    return bool(thing) and any(words[start : start + len(thing)] == thing for start in range(len(words)))
