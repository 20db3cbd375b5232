"""Stems of English content words, so that "painted" in a question matches "painting" in a sentence."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from memory.core.english.inflection import base_form, singular
from memory.core.naming import key_of as fold
from memory.core.word_files import WordFile

_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_FILE = WordFile(Path(__file__).with_suffix(".txt"))
FUNCTION_WORDS = _FILE.words("function_words")
_SYNONYMS = dict(_FILE.names("synonyms"))


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
