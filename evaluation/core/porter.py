"""Porter's stemmer (Porter, 1980: An algorithm for suffix stripping), with the extensions of NLTK, by which LoCoMo is scored.

A suffix is replaced where enough of a word is before it: its measure m counts how often a vowel is followed by a consonant.

Departures from the paper, all NLTK's: words of two letters stay, a few irregular words have stems of their own, "y" becomes
"i" after a consonant only, "ied" and "ies" leave "ie" in words of four letters, and step 2 knows "bli", "fulli" and "logi".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

IRREGULAR = {
    "skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news", "innings": "inning",
    "inning": "inning", "outings": "outing", "outing": "outing", "cannings": "canning", "canning": "canning",
    "howe": "howe", "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip
VOWELS = "aeiou"
STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"), ("ator", "ate"),
    ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"),
    ("biliti", "ble"), ("fulli", "ful"),
)  # fmt: skip
STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
STEP_4 = "al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize".split()


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a word in lower case."""
    if word in IRREGULAR or len(word) <= 2:
        return IRREGULAR.get(word, word)
    for step in (step_1a, step_1b, step_1c, step_2, step_3, step_4, step_5a, step_5b):
        word = step(word)
    return word


def sounds(word: str) -> str:
    """Return the word's letters as v and c. A "y" is a consonant at the beginning and after a vowel."""
    kinds = ""
    for letter in word:
        is_vowel = letter in VOWELS or letter == "y" and kinds[-1:] == "c"
        kinds += "v" if is_vowel else "c"
    return kinds


def measure(word: str) -> int:
    return sounds(word).count("vc")


def ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and sounds(word)[-1] == "c"


def ends_short(word: str) -> bool:
    """Return whether a word ends in a short syllable, as "hop" and "at" do."""
    kinds = sounds(word)
    return kinds == "vc" or kinds.endswith("cvc") and word[-1] not in "wxy"


def replaced(word: str, endings: Sequence[tuple[str, str]], may: Callable[[str], bool]) -> str:
    """Return the word with the first ending that it has replaced, if what is before the ending may be alone."""
    for ending, other in endings:
        if word.endswith(ending):
            before = word.removesuffix(ending)
            return before + other if may(before) else word
    return word


def has_measure(least: int) -> Callable[[str], bool]:
    return lambda before: measure(before) >= least


def step_1a(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    return replaced(word, (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")), lambda before: True)


def step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return replaced(word, (("eed", "ee"),), has_measure(1))
    before = re.sub("(?:ed|ing)$", "", word)
    if before == word or "v" not in sounds(before):
        return word
    if before.endswith(("at", "bl", "iz")):
        return before + "e"
    if ends_double(before):
        return before if before[-1] in "lsz" else before[:-1]
    return before + "e" if measure(before) == 1 and ends_short(before) else before


def step_1c(word: str) -> str:
    return replaced(word, (("y", "i"),), lambda before: len(before) > 1 and sounds(before)[-1] == "c")


def step_2(word: str) -> str:
    if word.endswith("alli") and measure(word[:-4]):
        return step_2(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if measure(word[:-3]) else word
    return replaced(word, STEP_2, has_measure(1))


def step_3(word: str) -> str:
    return replaced(word, STEP_3, has_measure(1))


def step_4(word: str) -> str:
    if word.endswith(("sion", "tion")):
        return word[:-3] if measure(word[:-3]) > 1 else word
    return replaced(word, [(ending, "") for ending in STEP_4], has_measure(2))


def step_5a(word: str) -> str:
    before = word.removesuffix("e")
    if before == word or measure(before) == 0 or measure(before) == 1 and ends_short(before):
        return word
    return before


def step_5b(word: str) -> str:
    return word[:-1] if word.endswith("ll") and measure(word[:-1]) > 1 else word
