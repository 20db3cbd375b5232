"""English word forms by rule, with a table of irregular verbs.

The core may not import a morphological dictionary, and a space makes predicates of any verb that a dialogue brings
("visitedWith"), so the word forms for sentences are made here. An unknown verb is inflected as a regular one.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from memory.core.word_files import WordFile

_FILE = WordFile(Path(__file__).with_suffix(".txt"))
_IRREGULAR = _FILE.lists("irregular_verbs")
_PAST = {base: past for base, (past, _) in _IRREGULAR.items()}
_PARTICIPLE = {base: participle for base, (_, participle) in _IRREGULAR.items()}
_PAST_FORMS = frozenset([*_PAST.values(), *_PARTICIPLE.values(), "were"])
_BASE_OF_IRREGULAR = {past: base for base, past in _PAST.items()} | {part: base for base, part in _PARTICIPLE.items()}
_BASE_OF_IRREGULAR |= {"is": "be", "are": "be", "am": "be", "were": "be", "has": "have", "does": "do", "goes": "go"}
_BASE_OF_IRREGULAR |= {"dying": "die", "lying": "lie", "tying": "tie"}

# The ends of stems that lost an e before -ed or -ing: "mov", "danc", "settl", "donat", "inspir", "combin", "chang".
_KEEPS_E = re.compile(r"(?:v|c|z|u|[^aeiour]l|[aiu]t|[aiu]s|[dn]g|[aiou]r|[^aeo]in|[aiou]k|[ao]p|[aiu]d|[ao]m)$")
_DOUBLES = re.compile(r"^[^aeiou]*[aeiou][bdgklmnprtv]$")
_PLURALS = {"child": "children", "person": "people", "man": "men", "woman": "women", "wife": "wives"}
_SINGULARS = {many: one for one, many in _PLURALS.items()}
_STRESSED_LAST = _FILE.words("stressed_last")
_KNOWN_BASES = _FILE.words("known_bases")


def third_person(base: str) -> str:
    """Return the present form after he or she: "work" -> "works"."""
    if base == "be":
        return "is"
    if base == "have":
        return "has"
    return _add_s(base)


def past(base: str) -> str:
    """Return the simple past of a base form; "be" gives "was"."""
    return _PAST.get(base) or _add_ed(base)


def past_participle(base: str) -> str:
    """Return the participle of the perfect: "drive" -> "driven"."""
    return _PARTICIPLE.get(base) or _add_ed(base)


def gerund(base: str) -> str:
    """Return the -ing form: "swim" -> "swimming"."""
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return f"{base[:-1]}ing"
    return f"{_doubled(base)}ing"


@cache
def base_form(word: str) -> str:
    """Return the base form of a finite verb or participle: "worked", "works" and "working" -> "work"."""
    form = word.lower()
    if form in _BASE_OF_IRREGULAR:
        return _BASE_OF_IRREGULAR[form]
    if form in _KNOWN_BASES or form in _PAST:
        return form
    for suffix in ("ing", "ed", "s", "es"):
        stem = form.removesuffix(suffix)
        if stem != form:
            for candidate in (f"{stem}e", stem, stem[:-1] if stem[-2:-1] == stem[-1:] else "", f"{stem[:-1]}y"):
                if candidate in _KNOWN_BASES or candidate in _PAST:
                    return candidate
    return _base_by_rule(form)


def is_known_verb(word: str) -> bool:
    """Return whether a word is the base form of a verb that is in the tables."""
    return word.lower() in _KNOWN_BASES or word.lower() in _PAST


def is_past_form(word: str) -> bool:
    """Return whether a word is a form of the past and no base form too: "went", "gone" and "landed", but not "put"."""
    form = word.lower()
    if form in _PAST or form in _KNOWN_BASES:
        return False
    return form in _PAST_FORMS or form.endswith("ed") and len(form) > 4


def plural(noun: str) -> str:
    """Return the plural of a common noun by rule: "hobby" -> "hobbies"."""
    return "lives" if noun == "life" else _PLURALS.get(noun) or _add_s(noun)


def singular(noun: str) -> str:
    """Return the singular of a common noun by rule: "hobbies" -> "hobby". A singular comes back as it is."""
    if noun in _SINGULARS:
        return _SINGULARS[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    if noun.endswith(("ches", "shes", "sses", "xes", "zes")):
        return noun[:-2]
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and len(noun) > 3:
        return noun[:-1]
    return noun


def words_of_name(name: str) -> list[str]:
    """Return the lower-case words of a camelCase or snake_case name: "worksFor" -> ["works", "for"]."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\-\s]+", " ", name)
    return spaced.lower().split()


def _add_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")) or word in {"go", "do", "echo", "veto"}:
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"


def _add_ed(base: str) -> str:
    if base.endswith("e"):
        return f"{base}d"
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return f"{base[:-1]}ied"
    return f"{_doubled(base)}ed"


def _doubled(base: str) -> str:
    return f"{base}{base[-1]}" if _DOUBLES.match(base) or base in _STRESSED_LAST else base


def _base_by_rule(form: str) -> str:
    for suffix in ("ing", "ed"):
        stem = form.removesuffix(suffix)
        if stem != form and re.search("[aeiouy]", stem):
            if suffix == "ed" and stem.endswith("i"):
                return f"{stem[:-1]}y"
            if stem[-1] == stem[-2:-1] and stem[-1] not in "lsze":
                return stem[:-1]
            return f"{stem}e" if _KEEPS_E.search(stem) else stem
    if form.endswith("ies") and len(form) > 4:
        return f"{form[:-3]}y"
    if form.endswith(("sses", "xes", "ches", "shes", "zzes", "oes")):
        return form[:-2]
    if form.endswith("s") and not form.endswith(("ss", "us", "is")) and len(form) > 3:
        return form[:-1]
    return form
