"""The answer reader: the words of a passage that answer a question, with a calibrated probability."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.adapters.readers.encoder import Reader, ReaderFolder, sigmoid
from memory.adapters.readers.passages import passage_text
from memory.adapters.readers.pieces import Pieces
from memory.core.types import QuestionOnTurn, ReadAnswer, Span, WordSpan

KIND = "answer reader"


class OnnxAnswerReader:
    """Implements `AnswerReader` with the folder that `manage.py train answer-reader` writes."""

    def __init__(self, folder: Path) -> None:
        self._folder = ReaderFolder(folder, kind=KIND)
        self.name = self._folder.name

    @property
    def threshold(self) -> float:
        """Return the probability from which an answer is more often right than not given (fitted with the weights)."""
        return float(self._folder.load().config["threshold"])

    def read_many(self, asked: Sequence[QuestionOnTurn]) -> list[ReadAnswer]:
        """Return the best words of each turn, in order; how probably they answer is in the answer."""
        reader = self._folder.load()
        shown = [passage_text(one) for one in asked]
        pieces = [reader.cut(one.question, passage) for one, (passage, _) in zip(asked, shown, strict=True)]
        found = {
            place: _answer(reader, pieces[place], hidden, *shown[place]) for place, hidden in reader.hidden(pieces)
        }
        return [found[place] for place in range(len(asked))]


def _answer(reader: Reader, pieces: Pieces, hidden: NDArray[np.float32], passage: str, begins: int) -> ReadAnswer:
    """Return the likeliest run of words from the character `begins` on, and how probably any run of them answers.

    The first piece stands for no answer: the probability weighs all runs together against it.
    """
    words = [word for word in pieces.words if word.text == 1 and word.start >= begins]
    if not words:
        return ReadAnswer(WordSpan("", Span(0, 0)), 0.0)
    scores = hidden @ reader.heads["pointers.weight"].T + reader.heads["pointers.bias"]
    runs = scores[[word.first for word in words], 0][:, None] + scores[[word.last for word in words], 1][None, :]
    reach = np.arange(len(words))[None, :] - np.arange(len(words))[:, None]
    runs[(reach < 0) | (reach >= int(reader.config["longest_answer"]))] = -np.inf
    first, last = np.unravel_index(int(np.argmax(runs)), runs.shape)
    logit = np.logaddexp.reduce(runs, axis=None) - scores[0].sum()
    probability = float(sigmoid(logit / float(reader.config["temperature"])))
    span = Span(words[first].start - begins, words[last].end - begins)
    return ReadAnswer(WordSpan(passage[words[first].start : words[last].end], span), round(probability, 4))
