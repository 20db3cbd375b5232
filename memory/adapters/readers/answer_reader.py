"""The answer reader: the words of what was said that answer a question, each with a calibrated probability."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.adapters.readers.encoder import OnnxReader, Reader, outside_runs, sigmoid
from memory.adapters.readers.passages import ReadPassage, TurnPlace, passages_of, piece_count
from memory.adapters.readers.pieces import Pieces, Word
from memory.core.types import QuestionOnTurns, ReadAnswer, Span, WordSpan

KIND = "answer reader"
NOTHING = ReadAnswer(WordSpan("", Span(0, 0)), 0.0)


class OnnxAnswerReader(OnnxReader):
    """Implements `AnswerReader` with the folder that `manage.py train answer-reader` writes."""

    kind = KIND

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
        found.append((place.turn, ReadAnswer(span, round(probability, 4))))
    return found


def words_of(place: TurnPlace, pieces: Pieces) -> list[Word]:
    """Return the words of one turn of a passage."""
    return [word for word in pieces.words if word.text == 1 and place.begins <= word.start and word.end <= place.ends]


def _runs(words: Sequence[Word], scores: NDArray[np.float32], *, longest: int) -> NDArray[np.float32]:
    """Return the score of the run from each word to each word, shape (words, words)."""
    runs = scores[[word.first for word in words], 0][:, None] + scores[[word.last for word in words], 1][None, :]
    runs[outside_runs(len(words), longest=longest)] = -np.inf
    return runs
