"""Closed word lists of English that rules look words up in, of `vocabulary.txt`: kinship, pets, jobs, moods, countries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_SECTIONS: dict[str, list[str]] = {
    name: lines.splitlines()
    for name, lines in re.findall(
        r"^\[(\w+)\]\n((?:.+\n)+)", Path(__file__).with_suffix(".txt").read_text(encoding="utf-8"), re.MULTILINE
    )
}


def _words(section: str) -> frozenset[str]:
    return frozenset(word for line in _SECTIONS[section] for word in re.split(r",\s*", line.rstrip(",")))


def _named(section: str) -> Iterator[tuple[str, str]]:
    """Yield the words of a section, each with the name before the colon of its line."""
    for line in _SECTIONS[section]:
        name, _, words = line.partition(": ")
        yield from ((word, name) for word in words.split(", "))


# A noun for somebody or some animal -> the relation to them; the first noun of a relation is what it is called.
RELATIONS: dict[str, str] = dict([*_named("relatives"), *_named("pets")])
PETS = frozenset(dict(_named("pets")))
FEMALE = _words("female")
MALE = _words("male")
OCCUPATIONS = _words("occupations")
TRANSIENT = _words("transient")
COUNTRIES_AND_REGIONS = _words("countries_and_regions")
NATIONALITIES = _words("nationalities")
LANGUAGES = _words("languages")
MARITAL = {word: word for word in ("married", "single", "divorced", "engaged", "widowed", "separated")} | {
    "unmarried": "single"
}
# What these adjectives deny of the spouse.
WITHOUT_SPOUSE = frozenset({"single", "divorced", "widowed", "unmarried"})
