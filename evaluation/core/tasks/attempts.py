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

from evaluation.core.tasks.numbers import last_number, number_of, numbers_in
from evaluation.core.tasks.types import PlayedTask, PlayedTurn
from memory.core.english import numbers as english

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
