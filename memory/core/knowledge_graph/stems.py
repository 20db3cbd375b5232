"""Stems of English content words, so that "painted" in a question matches "painting" in a sentence."""

from __future__ import annotations

import re
from functools import lru_cache

from memory.core.english.inflection import base_form, singular
from memory.core.naming import key_of as fold

_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
FUNCTION_WORDS = frozenset(
    """
    a an the this that these those some any no not n't every each all both either neither much many more most few less
    i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs who whom
    whose which what where when why how be am is are was were been being do does did done doing have has had having will
    would can could shall should may might must ought 's 'm 're 've 'll 'd and or but nor so if then than as of at by for
    with about against between into through during before after above below to from up down in out on off over under
    again further once here there because while until very really just too also only own same such ever never yet still
    already now currently actually please tell know remember recall ok okay hey hi there's let get got gets go goes
    lately recently anymore any-more yes anything something someone anyone anybody somebody everything thing s t m
    """.split()
)
_SYNONYMS = {
    "favourite": "favorite",
    "colour": "color",
    "mum": "mother",
    "mom": "mother",
    "dad": "father",
    "kid": "child",
    "organise": "organize",
    "pup": "dog",
    "puppy": "dog",
    "kitten": "cat",
    "bike": "bicycle",
    "neighbour": "neighbor",
    "movie": "film",
    "job": "work",
    "occupation": "work",
    "profession": "work",
    "purchase": "buy",
    "reside": "live",
    "flight": "fly",
    "theatre": "theater",
    "centre": "center",
    "lgbtq+": "lgbtq",
    "programme": "program",
    "phone": "telephone",
}


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words."""
    return frozenset(content_stem_list(text))


def content_stem_list(text: str) -> list[str]:
    """Return the stems of a text's content words, in order and with repetitions."""
    words = (word.removesuffix("'s") for word in _WORDS.findall(fold_apostrophes(text).lower()))
    return [stem(word) for word in words if word not in FUNCTION_WORDS and len(word) > 1 or word.isdigit()]


def fold_apostrophes(text: str) -> str:
    return text.replace("’", "'").replace("‘", "'")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the stem of a word: "paints", "painted" and "painting" share one."""
    folded = fold(word)
    found = base_form(folded)
    found = _SYNONYMS.get(found, found)
    found = singular(found) if found == folded else found
    found = _SYNONYMS.get(found, found)
    for suffix in ("ational", "ations", "ation", "ment", "ness", "ly", "er", "or", "e", "y"):
        if found.endswith(suffix) and len(found) - len(suffix) >= 4:
            return found.removesuffix(suffix)
    return found
