"""Folds text for comparison: case, accents and punctuation do not count, words do."""

from __future__ import annotations

import re
import unicodedata

# Letters that have no decomposition into a base letter and an accent.
PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})

ACCENTS = re.compile("[\u0300-\u036f]")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
DECIMAL_POINT = re.compile(r"(?<=\d)\.(?=\d)")
DECIMAL_MARK = "\ue000"

# Scripts that do not put spaces between words: Thai, Lao, Khmer, kana, CJK ideographs.
UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


def fold(text: str) -> str:
    """Return the words of the text in lower case without accents, joined by single spaces.

    Numbers keep their decimal point and lose their thousands commas: "$1,350.50" is "1350.50".
    """
    marked = DECIMAL_POINT.sub(DECIMAL_MARK, THOUSANDS.sub("", unicodedata.normalize("NFKC", text)))
    bare = ACCENTS.sub("", unicodedata.normalize("NFD", marked.casefold()))
    letters = (
        character if character == DECIMAL_MARK or unicodedata.category(character)[0] in "LNM" else " "
        for character in unicodedata.normalize("NFC", bare).translate(PLAIN)
    )
    return " ".join("".join(letters).split()).replace(DECIMAL_MARK, ".")


def contains_words(text: str, words: str) -> bool:
    """Say whether the folded text has the words, whole and next to each other. Nothing contains no words."""
    wanted = fold(words)
    if not wanted:
        return False
    if UNSPACED.search(wanted):
        return wanted.replace(" ", "") in fold(text).replace(" ", "")
    return f" {wanted} " in f" {fold(text)} "
