"""Closed word lists of English that rules look words up in, of `vocabulary.txt`: kinship, pets, jobs, countries."""

from __future__ import annotations

from pathlib import Path

from memory.core.word_files import WordFile

_FILE = WordFile(Path(__file__).with_suffix(".txt"))

# A noun for somebody or some animal -> the relation to them; the first noun of a relation is what it is called.
RELATIONS: dict[str, str] = dict([*_FILE.names("relatives"), *_FILE.names("pets")])
PETS = frozenset(dict(_FILE.names("pets")))
FEMALE = _FILE.words("female")
MALE = _FILE.words("male")
OCCUPATIONS = _FILE.words("occupations")
COUNTRIES_AND_REGIONS = _FILE.words("countries_and_regions")
LANGUAGES = _FILE.words("languages")
EMPTY = _FILE.words("empty")
# Who is this is nobody's spouse.
WITHOUT_SPOUSE = frozenset({"single", "divorced", "widowed", "unmarried"})
