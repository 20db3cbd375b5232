"""Temporal paradoxes: two statements that cannot both be true because of their times (D-SMART, Figure 9).

Somebody dies before their birth, something ends before it begins, somebody is born after they graduated, or is 34 years old
twenty years after their birth. Dates are compared as the ranges of days that their words allow; it is a paradox only if no
days of the ranges avoid it: "born in 1990" and "graduated in 1990" are none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime

from memory.core.english.times import PartialDate, stated_date
from memory.core.naming import key_of
from memory.core.types import Fact, Polarity, Tense, Triple

BIRTH = "birthDate"
AGE = "age"
QUALITY = "hasQuality"
DEATHS = frozenset({"deathDate", "dateOfDeath", "diedOn", "diedIn", "dieOn", "dieIn"})
DEAD = frozenset({"dead", "deceased"})
# What only somebody who is born can begin.
LIFE_EVENTS = frozenset(
    "graduatedFrom studiesAt worksFor worksAs founded spouse met visited traveledTo wentTo movedFrom".split()
)
# A beginning and the ends that it must come before.
ENDS_OF = {
    "startDate": frozenset({"endDate"}),
    "startOn": frozenset({"endOn"}),
    "startIn": frozenset({"endIn"}),
    "beginOn": frozenset({"endOn"}),
    "beginIn": frozenset({"endIn"}),
}
# People round ages, and may be a year older or younger than the difference of the years.
AGE_TOLERANCE_Y = 2


@dataclass(frozen=True)
class Dated:
    """The fields of a fact or a triple that the temporal rules read."""

    predicate: str
    value: str
    said_at: datetime
    valid_from: datetime | None
    is_present: bool


@dataclass(frozen=True)
class DayRange:
    """The days that a date in words may mean, first and last."""

    first: date
    last: date


def temporal_partners(fact: Fact) -> frozenset[str]:
    """Return the predicates of the fact's subject whose triples could form a temporal paradox with the fact."""
    name = fact.predicate
    ends = ENDS_OF.get(name, frozenset())
    beginnings = frozenset(beginning for beginning, of in ENDS_OF.items() if name in of)
    if name == BIRTH:
        return LIFE_EVENTS | DEATHS | {QUALITY, AGE}
    if name == AGE or name in DEATHS or (fact.valid_from is not None and name in LIFE_EVENTS | {QUALITY}):
        return ends | beginnings | {BIRTH}
    return ends | beginnings


def is_temporal_paradox(fact: Fact, triple: Triple, said_at: datetime) -> bool:
    """Return whether a fact and a triple about one subject can not both be true because of their times."""
    if Polarity.NEGATIVE in (fact.polarity, triple.polarity):
        return False
    new = Dated(fact.predicate, fact.object.label, said_at, fact.valid_from, fact.tense is Tense.PRESENT)
    old = Dated(
        triple.predicate, triple.object, triple.source.said_at, triple.valid_from, triple.tense is Tense.PRESENT
    )
    return any(clash(new, old) or clash(old, new) for clash in _CLASHES)


def days_of(words: str) -> DayRange | None:
    """Return the days that a date with a year may mean ("1990", "May 1990", "7 May 1990", "1990-05-07"), or None."""
    stated = stated_date(words)
    return _range(replace(stated, day=stated.day if stated.month else None)) if stated.year else None


def _range(stated: PartialDate) -> DayRange | None:
    try:
        return DayRange(stated.first, stated.last)
    except ValueError:
        return None


def _death_before_birth(birth: Dated, death: Dated) -> bool:
    if birth.predicate != BIRTH:
        return False
    is_death = death.predicate in DEATHS or (death.predicate == QUALITY and key_of(death.value) in DEAD)
    return is_death and _is_before(_days(death), _days(birth))


def _event_before_birth(birth: Dated, event: Dated) -> bool:
    if birth.predicate != BIRTH or event.predicate not in LIFE_EVENTS:
        return False
    return _is_before(_year_of(event.valid_from), _days(birth))


def _end_before_beginning(beginning: Dated, end: Dated) -> bool:
    if end.predicate not in ENDS_OF.get(beginning.predicate, frozenset()):
        return False
    return _is_before(_days(end), _days(beginning))


def _impossible_age(birth: Dated, age: Dated) -> bool:
    if birth.predicate != BIRTH or age.predicate != AGE or not age.is_present:
        return False
    years, born = re.fullmatch(r"\s*(\d{1,3})(?:\s+years?(?:\s+old)?)?\s*", age.value), _days(birth)
    if years is None or born is None:
        return False
    birth_year = age.said_at.year - int(years[1])
    return born.last.year < birth_year - AGE_TOLERANCE_Y or born.first.year > birth_year + AGE_TOLERANCE_Y


_CLASHES: tuple[Callable[[Dated, Dated], bool], ...] = (
    _death_before_birth,
    _event_before_birth,
    _end_before_beginning,
    _impossible_age,
)


def _days(item: Dated) -> DayRange | None:
    return days_of(item.value) or _year_of(item.valid_from)


def _year_of(moment: datetime | None) -> DayRange | None:
    """Return the whole year of a resolved date, because the date does not tell how exact its words were."""
    return None if moment is None else _range(PartialDate(moment.year))


def _is_before(first: DayRange | None, second: DayRange | None) -> bool:
    return first is not None and second is not None and first.last < second.first
