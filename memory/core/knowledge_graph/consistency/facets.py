"""Splits the value of a predicate into facets, so that compatible values never clash.

Somebody lives in one town and in one country at a time; "1990" and "7 May 1990" are the same birthday, more or less exactly.
OWL and the in-process check therefore give a functional predicate one value a facet: a town and a region; a year, a month and
a day. Two values agree exactly where `are_compatible` says so, or where they are equal.
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass
from functools import lru_cache

from memory.core.english.times import stated_date
from memory.core.knowledge_graph.ontology import Predicate, is_region
from memory.core.naming import key_of

_YEARS = re.compile(r"\s*(\d{1,3})\s*(?:years?(?:\s+old|\s+of\s+age)?|y/?o)?\s*\.?\s*", re.IGNORECASE)
# Beginnings of the words that say a number or an age without a digit: "thirty-four", "mid-forties", "a toddler".
_NUMERALS = re.compile(
    r"\d|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelv|thirte|fourte|fifte|sixte|sevente|eighte|"
    r"ninete|twent|thirt|fort|fift|sixt|sevent|eight|ninet|hundred|dozen|half|couple|few|several|teen|tween|preteen|year|"
    r"month|week|day|decade|baby|infant|newborn|toddler|kid|child|adult|minor|young|old|middle|senior|elder|retire)",
    re.IGNORECASE,
)
_DAYS = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:christmas|easter|halloween|new year|thanksgiving|valentine|"
    r"ramadan|eid|diwali|hanukkah|passover|solstice|equinox|\w+ (?:day|eve)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Facet:
    """One part of a value. Facets of one name with different values exclude each other."""

    name: str
    value: str


def is_data(predicate: Predicate) -> bool:
    """Return whether the values of a predicate are literals rather than entities."""
    return predicate.range == "Literal"


def facet_names(predicate: Predicate) -> tuple[str, ...]:
    """Return the names of the facets that values of the predicate may have; one empty name where they have no parts."""
    if predicate.datatype == "date":
        return ("Year", "Month", "Day")
    if predicate.datatype == "number":
        return ("Years", "InWords")
    if predicate.range == "Place":
        return ("Town", "Region")
    return ("",)


@lru_cache(maxsize=65536)
def facets_of(predicate: Predicate, label: str) -> tuple[Facet, ...]:
    """Return the facets of a value; none for a value that its datatype does not allow."""
    if predicate.datatype == "date":
        parts = zip(("Year", "Month", "Day"), astuple(stated_date(label)), strict=True)
        return tuple(Facet(name, str(number)) for name, number in parts if number is not None)
    if predicate.datatype == "number":
        years = _YEARS.fullmatch(label)
        if years is not None:
            return (Facet("Years", str(int(years[1]))),)
        return (Facet("InWords", key_of(label)),) if is_well_typed(predicate, label) else ()
    if predicate.range == "Place":
        return (Facet("Region" if is_region(label) else "Town", key_of(label)),)
    return (Facet("", key_of(label)),)


def is_well_typed(predicate: Predicate, label: str) -> bool:
    """Return whether a value can be of the predicate's datatype: an age of "purple" cannot.

    The check is weak, because values are people's words: whatever has a digit, or a word for a number or a day, passes.
    """
    if predicate.datatype == "number":
        return _NUMERALS.search(label) is not None
    if predicate.datatype == "date":
        return any(astuple(stated_date(label))) or _DAYS.search(label) is not None
    return True
