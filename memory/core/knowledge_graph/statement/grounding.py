"""Finds numbers and names in a sentence that do not occur in its round."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from memory.core.english.numbers import in_digits
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.stems import FUNCTION_WORDS, stem
from memory.core.types import DialogueRound

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
# "One" is a pronoun and an article as often as a number.
_UNCOUNTED = frozenset({"1", "0"})
# A capitalised first word is taken for a name where one of these follows.
_AFTER_A_NAME = re.compile(r"\s+(?:is|was|has|had|does|did|will|can|lives?|works?)\b|['’]s\b|\s+(?=[A-Z])")


class Grounds:
    """The numbers and words of a round, and the names of its speakers."""

    def __init__(self, dialogue_round: DialogueRound) -> None:
        texts = [text for said in dialogue_round.sentences for text in (said.text, said.speaker)]
        self._numbers = {number for text in texts for number in _numbers(text)} | _UNCOUNTED
        self._words = {form for text in texts for word in _words(text) for form in (key_of(word), stem(key_of(word)))}

    def strangers(self, sentence: str) -> list[str]:
        """Return the numbers and names of a sentence that the round does not have."""
        numbers = [number for number in _numbers(sentence) if number not in self._numbers]
        return numbers + [name for name in _names(sentence) if not self._has(name)]

    def _has(self, word: str) -> bool:
        return bool({key_of(word), stem(key_of(word))} & self._words)


def _numbers(text: str) -> Iterator[str]:
    """Yield the numbers of a text, whatever their digits, separators and spelling: "1,000" is 1000, "two" is 2."""
    for match in _NUMBER.finditer(text):
        digits = "".join(str(unicodedata.digit(one)) if one.isdigit() else one for one in match[0])
        whole, mark, rest = digits.replace(",", "").partition(".")
        decimals = rest.rstrip("0")
        yield f"{whole.lstrip('0') or '0'}{mark if decimals else ''}{decimals}"
    for word in _WORD.findall(text.lower()):
        for part in word.split("-"):
            if in_digits(part) != part:
                yield in_digits(part)


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        bare = re.sub(r"['’]s?$", "", word)
        yield bare
        yield from bare.split("-")


def _names(sentence: str) -> Iterator[str]:
    """Yield the capitalised words of a sentence; its first word only where what follows shows that it is a name."""
    for match in _WORD.finditer(sentence):
        word = re.sub(r"['’]s?$", "", match[0])
        is_first = not any(character.isalnum() for character in sentence[: match.start()])
        if not word[:1].isupper() or word.lower() in FUNCTION_WORDS or in_digits(word) != word:
            continue
        if not is_first or _AFTER_A_NAME.match(sentence, match.end()):
            yield word
