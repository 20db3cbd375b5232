"""Which replies attempt an answer to a numeric task, by rule (Laban et al., 2025, section 4.2).

Departures from the paper:
- The paper asks a language model whether a reply is an attempt and which words are the answer. Here a reply attempts an
  answer where it marks a result ("#### 16", "\\boxed{16}", "answer ... 16") or states, outside a question, the result of an
  equation or a number that nobody had said before it. A reply that only repeats what it was told attempts nothing.
- The paper ends a conversation at the first attempt that is right. Here all shards are told, and an item has its point
  where one of its attempts is right; whether the last one is stands in a row of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from evaluation.core.folding import contains_words
from evaluation.core.tasks.types import PlayedTask, PlayedTurn
from memory.core.english import numbers as english

# A minus belongs to a number only where nothing that can be counted down from stands before it.
NUMBER = re.compile(r"(?:(?<![\w.,])-)?\d[\d,]*(?:\.\d+)?")
DIGITS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?")


def numbers_in(text: str) -> list[Decimal]:
    """Return the numbers that are written in digits, in order: "2 dozen at $1,200.50" gives 2 and 1200.50."""
    return [Decimal(found.group().replace(",", "")) for found in NUMBER.finditer(text)]


def last_number(text: str) -> Decimal | None:
    """Return the last number that is written in digits."""
    return next(reversed(numbers_in(text)), None)


def number_of(text: str) -> Decimal | None:
    """Return the one number that a text is, or None: "1,200" and "-3.5" are, "3 or 4" is not."""
    digits = text.strip()
    return Decimal(digits.replace(",", "")) if DIGITS.fullmatch(digits) else None


MARKED = re.compile(r"####([^\n]*)|\\boxed\{([^}]*)\}|\banswer\b([^\n]*?\d[^\n]*)", re.IGNORECASE)
EQUATION = re.compile(r"=[^=\w\n]*\d")
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
WORD = re.compile(r"[a-z]+(?:-[a-z]+)?", re.IGNORECASE)


def attempt_of(reply: str, *, said: Iterable[str]) -> str | None:
    """Return the words of a reply that attempt an answer, None where none does. `said` is all that was said before it."""
    for mark in reversed(list(MARKED.finditer(reply))):
        words = next(filter(None, mark.groups()), "")
        if numbers_in(words):
            return words
    known = {number for text in said for number in spoken_numbers(text)}
    for sentence in reversed(SENTENCE.split(reply)):
        if sentence.rstrip().endswith("?"):
            continue
        if EQUATION.search(sentence) or any(number not in known for number in numbers_in(sentence)):
            return sentence
    return None


def spoken_numbers(text: str) -> set[Decimal]:
    """Return the numbers of a text, in digits and in words."""
    in_digits = map(english.in_digits, WORD.findall(text))
    return {*numbers_in(text), *(Decimal(word) for word in in_digits if word.isdecimal())}


def attempts(played: PlayedTask) -> list[Decimal | None]:
    """Return, for each reply, the number that it attempts as an answer."""
    return attempts_of(played.turns)


def attempts_of(turns: Sequence[PlayedTurn]) -> list[Decimal | None]:
    said: list[str] = []
    found: list[Decimal | None] = []
    for turn in turns:
        said.append(turn.text)
        if not turn.is_given:
            words = attempt_of(turn.reply, said=said)
            found.append(None if words is None else last_number(words))
        said.append(turn.reply)
    return found


def solves(found: Sequence[Decimal | None], number: str) -> bool:
    """Return whether one of the attempts is the right number."""
    return number_of(number) in [one for one in found if one is not None]


def is_label(reply: str, label: str, *, labels: Sequence[str]) -> bool:
    """Return whether a reply names the label and no other of those to choose among, in whole words without regard to case."""
    return contains_words(reply, label) and not any(contains_words(reply, other) for other in labels if other != label)
