"""Tells whether what a model wrote rests on the words that it was shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from memory.core.english.inflection import base_form, singular
from memory.core.english.numbers import in_digits

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
# "One" is a pronoun and an article as often as a number.
_UNCOUNTED = frozenset({"1", "0"})
# A capitalised first word is taken for a name where one of these follows.
_AFTER_A_NAME = re.compile(r"\s+(?:is|was|has|had|does|did|will|can|lives?|works?)\b|['’]s\b|\s+(?=[A-Z])")
# A word that shares so much of its beginning with one that was said is another form of it.
_SAME_BEGINNING = 4
_CLOSED = frozenset(
    """
    a an the this that these those some any no not and or but if than as of at by for with about against between into to
    from up down in out on off over under i me my we us our you your he him his she her hers it its they them their who
    whom whose which what where when why how am is are was were be been being do does did have has had will would can
    could shall should may might must there here very also only too so just
    """.split()
)


class Grounds:
    """The numbers and words of some texts, such as those of a round and the names of its speakers."""

    def __init__(self, texts: Iterable[str]) -> None:
        shown = list(texts)
        self._numbers = {number for text in shown for number in _numbers(text)} | _UNCOUNTED
        self._words = {form for text in shown for word in _words(text) for form in _forms(word)}
        self._beginnings = {word[:_SAME_BEGINNING] for word in self._words if len(word) >= _SAME_BEGINNING}

    def strangers(self, sentence: str) -> list[str]:
        """Return the numbers and names of a sentence that the texts do not have."""
        numbers = [number for number in _numbers(sentence) if number not in self._numbers]
        return numbers + [name for name in _names(sentence) if self._words.isdisjoint(_forms(name))]

    def share(self, text: str) -> float:
        """Return which part of a text's numbers and content words the texts have, in some form, in [0, 1].

        A text without any rests on nothing.
        """
        words = [word for word in _words(text) if _fold(word) not in _CLOSED]
        numbers = [number for number in _numbers(text) if in_digits(number) == number]
        found = sum(self._has(word) for word in words) + sum(number in self._numbers for number in numbers)
        return found / (len(words) + len(numbers)) if words or numbers else 0.0

    def names_one_of(self, text: str, names: Iterable[str]) -> bool:
        """Return whether a text has a word of one of these names, or any name that the texts have too."""
        said = {_fold(word) for word in _words(text)}
        wanted = {_fold(word) for name in names for word in _words(name)} - _CLOSED
        return bool(said & wanted) or any(not self._words.isdisjoint(_forms(name)) for name in _names(text))

    def _has(self, word: str) -> bool:
        if not self._words.isdisjoint(_forms(word)):
            return True
        folded = _fold(word)
        return len(folded) > _SAME_BEGINNING and folded[:_SAME_BEGINNING] in self._beginnings


def _numbers(text: str) -> Iterator[str]:
    """Yield the numbers of a text, whatever their digits, separators and spelling: "1,000" is 1000, "two" is 2."""
    for match in _NUMBER.finditer(text):
        digits = "".join(str(unicodedata.digit(one)) if one.isdigit() else one for one in match[0])
        whole, mark, rest = digits.replace(",", "").partition(".")
        decimals = rest.rstrip("0")
        yield f"{whole.lstrip('0') or '0'}{mark if decimals else ''}{decimals}"
    for word in _WORD.findall(text.lower()):
        for part in dict.fromkeys((word, *word.split("-"))):
            if in_digits(part) != part:
                yield in_digits(part)


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        bare = re.sub(r"['’]s?$", "", word)
        yield bare
        if "-" in bare:
            yield from bare.split("-")


def _names(sentence: str) -> Iterator[str]:
    """Yield the capitalised words of a sentence; its first word only where what follows shows that it is a name."""
    for match in _WORD.finditer(sentence):
        word = re.sub(r"['’]s?$", "", match[0])
        is_first = not any(character.isalnum() for character in sentence[: match.start()])
        if not word[:1].isupper() or word.lower() in _CLOSED or in_digits(word) != word:
            continue
        if not is_first or _AFTER_A_NAME.match(sentence, match.end()):
            yield word


def _forms(word: str) -> set[str]:
    folded = _fold(word)
    return {folded, base_form(folded), singular(folded)}


def _fold(word: str) -> str:
    bare = unicodedata.normalize("NFKD", word.replace("’", "'"))
    return "".join(letter for letter in bare if not unicodedata.combining(letter)).casefold()
