"""How the answer reader sees what was said: turns in their order, several at once, each with who said it.

The turns that fit into the reader's window are read together, so that one is weighed against the others: which of two towns
is the newer one, of whom a turn tells. Of a turn before that is not shown itself, the end stands before the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from memory.core.types import SaidTurn

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MARK = " || "
MARK_PIECES = 2
BEFORE_CHARACTERS = 120


@dataclass(frozen=True)
class TurnPlace:
    """A turn in a passage: which of the turns asked about it is, and where its own words begin and end in the passage."""

    turn: int
    begins: int
    ends: int


@dataclass(frozen=True)
class ReadPassage:
    """A text of several turns, with the place of each."""

    text: str
    places: tuple[TurnPlace, ...]


def passages_of(turns: Sequence[SaidTurn], *, room: int, length: Callable[[str], int]) -> list[ReadPassage]:
    """Return turns as passages of at most `room` pieces by `length`; a longer turn is a passage of its own.

    "Any news?" by Bo, "I moved." by Ana -> "Bo: Any news? || Ana: I moved.".
    """
    groups: list[list[int]] = []
    left = 0
    for place, turn in enumerate(turns):
        size = size_of(parts_of(turn, after=turns[place - 1] if groups and place else None), length)
        if not groups or size > left:
            groups.append([])
            left = room
            size = size_of(parts_of(turn), length)
        groups[-1].append(place)
        left -= size
    return [passage_of(turns, group) for group in groups]


def passage_of(turns: Sequence[SaidTurn], chosen: Sequence[int]) -> ReadPassage:
    """Return the passage of the chosen turns, in their order."""
    parts: list[str] = []
    places = []
    last: SaidTurn | None = None
    for place in chosen:
        turn = turns[place]
        parts += parts_of(turn, after=last)
        ends = len(MARK.join(parts))
        places.append(TurnPlace(place, ends - len(turn.text), ends))
        last = turn
    return ReadPassage(MARK.join(parts), tuple(places))


def parts_of(turn: SaidTurn, *, after: SaidTurn | None = None) -> list[str]:
    """Return the lines that a turn adds to a passage: the end of what was said before, unless `after` is that, and itself."""
    is_shown = after is not None and (after.text, after.speaker) == (turn.before, turn.before_speaker)
    before = "" if is_shown else _line(turn.before_speaker, turn.before)[-BEFORE_CHARACTERS:]
    return [part for part in (before, _line(turn.speaker, turn.text)) if part]


def size_of(parts: Sequence[str], length: Callable[[str], int]) -> int:
    """Return how many pieces lines take in a passage, with the mark after each."""
    return sum(length(part) + MARK_PIECES for part in parts)


def piece_count(tokenizer: Tokenizer) -> Callable[[str], int]:
    """Return what counts the pieces of a text, and of the same text only once."""
    return cache(lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids))


def _line(speaker: str, text: str) -> str:
    return f"{speaker}: {text}" if text and speaker else text
