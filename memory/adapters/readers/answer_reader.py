"""The answer reader: the words of what was said that answer a question, each with a calibrated probability.

It sees turns in their order, several at once, each with who said it. What fits its window is read together, so that
one is weighed against the others: which of two towns is the newer one, of whom a turn tells. Of a turn before that is not
shown itself, the end stands before the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory.adapters.readers.encoder import OnnxReader, Reader, linear, outside_runs, sigmoid
from memory.adapters.readers.pieces import Pieces, Word
from memory.core.errors import ModelUnfit
from memory.core.types import QuestionOnTurns, ReadAnswer, SaidTurn, Span, WordSpan

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


KIND = "answer reader"
NOTHING = ReadAnswer(WordSpan("", Span(0, 0)), 0.0)


class OnnxAnswerReader(OnnxReader):
    """Implements `AnswerReader` with the folder that `manage.py train answer-reader` writes.

    Raises `ModelNotFound` where there are no weights, `ModelUnfit` where they are of another kind or version.
    """

    kind = KIND

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        if "verdict_threshold" not in self.load().config:
            raise ModelUnfit(f"The {KIND} in {folder} is of an earlier version. Train it again.")

    @property
    def verdict_threshold(self) -> float:
        """Return the probability of an answer from which yes or no is said."""
        return float(self.load().config["verdict_threshold"])

    def read_many(self, asked: Sequence[QuestionOnTurns]) -> list[list[ReadAnswer]]:
        """Return of each question the best words of each of its turns, in the order of the turns.

        A turn without words, or of which none fits into the window, has the probability 0.
        """
        reader = self.load()
        room = int(reader.config["window"]) - int(reader.config["first_room"])
        length = piece_count(reader.tokenizer)
        found = [[NOTHING] * len(one.turns) for one in asked]
        shown = [
            (place, passage, reader.cut(one.question, passage.text))
            for place, one in enumerate(asked)
            for passage in passages_of(one.turns, room=room, length=length)
        ]
        for number, hidden in reader.hidden([pieces for _, _, pieces in shown]):
            place, passage, pieces = shown[number]
            for turn, answer in _answers(reader, passage, pieces, hidden):
                found[place][turn] = answer
        return found


def _answers(
    reader: Reader, passage: ReadPassage, pieces: Pieces, hidden: NDArray[np.float32]
) -> list[tuple[int, ReadAnswer]]:
    """Return the likeliest run of words of each turn of a passage, weighed against those of the others and against none.

    The first piece stands for no answer.
    """
    scores = hidden @ reader.heads["pointers.weight"].T + reader.heads["pointers.bias"]
    read = [
        (place, words, _runs(words, scores, longest=int(reader.config["longest_answer"])))
        for place in passage.places
        if (words := words_of(place, pieces))
    ]
    sums = np.array([scores[0].sum(), *(np.logaddexp.reduce(runs, axis=None) for _, _, runs in read)])
    found = []
    for number, (place, words, runs) in enumerate(read, start=1):
        logit = sums[number] - np.logaddexp.reduce(np.delete(sums, number))
        first, last = np.unravel_index(int(np.argmax(runs)), runs.shape)
        start, end = words[first].start, words[last].end
        span = WordSpan(passage.text[start:end], Span(start - place.begins, end - place.begins))
        probability = float(sigmoid(logit / float(reader.config["temperature"])))
        verdict = linear(reader.heads, "verdict", hidden[words[first].first])
        yes = float(sigmoid(verdict[1] - verdict[0]))
        found.append((place.turn, ReadAnswer(span, round(probability, 4), round(yes, 4))))
    return found


def words_of(place: TurnPlace, pieces: Pieces) -> list[Word]:
    """Return the words of one turn of a passage."""
    return [word for word in pieces.words if word.text == 1 and place.begins <= word.start and word.end <= place.ends]


def _runs(words: Sequence[Word], scores: NDArray[np.float32], *, longest: int) -> NDArray[np.float32]:
    """Return the score of the run from each word to each word, shape (words, words)."""
    runs = scores[[word.first for word in words], 0][:, None] + scores[[word.last for word in words], 1][None, :]
    runs[outside_runs(len(words), longest=longest)] = -np.inf
    return runs
