"""Closed word lists of English that rules look words up in, of `vocabulary.txt`: kinship, pets, jobs, moods, countries."""

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
TRANSIENT = _FILE.words("transient")
COUNTRIES_AND_REGIONS = _FILE.words("countries_and_regions")
NATIONALITIES = _FILE.words("nationalities")
LANGUAGES = _FILE.words("languages")
EMPTY = _FILE.words("empty")
MARITAL = {word: word for word in ("married", "single", "divorced", "engaged", "widowed", "separated")} | {
    "unmarried": "single"
}
# What these adjectives deny of the spouse.
WITHOUT_SPOUSE = frozenset({"single", "divorced", "widowed", "unmarried"})
