"""Reads numbers in English words and digits, and writes them."""

from __future__ import annotations

import re

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth"
).split()
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_CARDINALS = {word: number for number, word in enumerate(_SMALL)} | {
    word: 10 * tens for tens, word in enumerate(_TENS, start=2)
}
_ORDINAL_VALUES = {word: number for number, word in enumerate(_ORDINALS)} | {
    f"{word[:-1]}ieth": 10 * tens for tens, word in enumerate(_TENS, start=2)
}
# What people say for a small number without counting it out; the last ones name no exact number.
_LOOSE = {"a": 1, "an": 1, "a couple": 2, "a couple of": 2, "a dozen": 12, "half a dozen": 6, "dozen": 12}
_VAGUE = {"a few": 3, "few": 3, "several": 3, "some": 3}

_TENS_WORD = "|".join(_TENS)
# The regular expression of a number up to 99 in words.
CARDINAL = rf"(?:(?:{_TENS_WORD})(?:[- ](?:{'|'.join(_SMALL[1:10])}))?|{'|'.join(reversed(_SMALL))})"
# The regular expression of a count as it is said of things: "three", "a couple of", "a few", "12".
COUNT = rf"(?:\d{{1,3}}|half a dozen|a dozen|a couple(?: of)?|a few|several|{CARDINAL}|an?)"
# The regular expression of the place in an order, up to 99, in words.
ORDINAL = rf"(?:(?:{_TENS_WORD})[- ](?:{'|'.join(_ORDINALS[1:10])})|{'|'.join(reversed([*_ORDINAL_VALUES]))})"
_DIGITS = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(k|m)?", re.IGNORECASE)
_ORDINAL_DIGITS = re.compile(r"(\d+)(?:st|nd|rd|th)", re.IGNORECASE)


def number_of(words: str) -> int | None:
    """Return the whole number that words say, or None: "twenty-five", "1,200", "3k", "two hundred and six", "a couple of"."""
    text = " ".join(words.lower().replace("-", " ").split())
    if text in _LOOSE or text in _VAGUE:
        return _LOOSE.get(text) or _VAGUE[text]
    digits = _DIGITS.fullmatch(text)
    if digits is not None and len(text) < 20:
        value = float(digits[1].replace(",", "") + (digits[2] or "")) * {"k": 1_000, "m": 1_000_000}.get(digits[3], 1)
        return int(value) if value == int(value) else None
    return _spelled(text.split())


def in_digits(words: str) -> str:
    """Return a number of spelled words in digits: "twenty-five" is "25"; other words come back as they are."""
    value = _spelled(words.lower().replace("-", " ").split())
    return words if value is None else str(value)


def is_vague(words: str) -> bool:
    """Return whether words name no exact number: "a few", "several"."""
    return " ".join(words.lower().split()) in _VAGUE


def ordinal_of(words: str) -> int | None:
    """Return the place in an order that words say, or None: "twenty-first", "3rd"."""
    text = words.lower().replace("-", " ").strip()
    digits = _ORDINAL_DIGITS.fullmatch(text)
    if digits is not None:
        return int(digits[1])
    *tens, last = text.split() or [""]
    if last not in _ORDINAL_VALUES or len(tens) > 1:
        return None
    if not tens:
        return _ORDINAL_VALUES[last]
    return _CARDINALS[tens[0]] + _ORDINAL_VALUES[last] if tens[0] in _TENS and _ORDINAL_VALUES[last] < 10 else None


def in_words(number: int) -> str:
    """Return a number up to twenty in words, as people write it in a sentence, and a larger one in digits."""
    return [*_SMALL, "twenty"][number] if 0 <= number <= 20 else str(number)


def _spelled(words: list[str]) -> int | None:
    """Return the value of a spelled number: each scale word multiplies what was said since the last greater one."""
    total = group = 0
    last = ""
    for word in words:
        if word == "and" and last in _SCALES:
            continue
        value = _CARDINALS.get(word)
        if value is not None and (not last or last in _SCALES or last in _TENS and 0 < value < 10):
            group += value
        elif word in _SCALES and last and (last not in _SCALES or _SCALES[last] < _SCALES[word]):
            scale = _SCALES[word]
            group, total = (group * scale, total) if scale == 100 else (0, total + group * scale)
        elif word in ("a", "an") and not last:
            group = 1
        else:
            return None
        last = word
    return total + group if last and last not in ("a", "an") else None
