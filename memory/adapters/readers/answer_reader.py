"""The answer reader: the words of a passage that answer a question, with a calibrated probability."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.adapters.readers.encoder import Reader, ReaderFolder
from memory.adapters.readers.passages import passage_text
from memory.adapters.readers.pieces import Pieces
from memory.core.types import QuestionOnTurn, ReadAnswer, Span, WordSpan

KIND = "answer reader"


class OnnxAnswerReader:
    """Implements `AnswerReader` with the folder that `manage.py train answer-reader` writes."""

    def __init__(self, folder: Path) -> None:
        self._folder = ReaderFolder(folder, kind=KIND)
        self.name = self._folder.name

    def read_many(self, asked: Sequence[QuestionOnTurn]) -> list[ReadAnswer]:
        """Return the best words of each turn, in order; how probably they answer is in the answer."""
        reader = self._folder.load()
        shown = [passage_text(_line(one.before_speaker, one.before), _line(one.speaker, one.text)) for one in asked]
        pieces = [reader.cut(one.question, passage) for one, (passage, _) in zip(asked, shown, strict=True)]
        found: dict[int, ReadAnswer] = {}
        for place, hidden in reader.hidden(pieces):
            passage, offset = shown[place]
            begins = offset + len(_line(asked[place].speaker, asked[place].text)) - len(asked[place].text)
            found[place] = _answer(reader, pieces[place], hidden, passage, begins)
        return [found[place] for place in range(len(asked))]


def _line(speaker: str, text: str) -> str:
    return f"{speaker}: {text}" if text and speaker else text


def _answer(reader: Reader, pieces: Pieces, hidden: NDArray[np.float32], passage: str, begins: int) -> ReadAnswer:
    """Return the likeliest run of words from the character `begins` on; no answer, as probable as it is, where none fits.

    The probability is that of the run among all runs and the first piece, which stands for no answer.
    """
    scores = (hidden @ reader.heads["pointers.weight"].T + reader.heads["pointers.bias"]) / float(
        reader.config["temperature"]
    )
    words = [word for word in pieces.words if word.text == 1 and word.start >= begins]
    longest = int(reader.config["longest_answer"])
    if not words:
        return ReadAnswer(WordSpan("", Span(0, 0)), 0.0)
    begin = np.array([scores[word.first, 0] for word in words])
    end = np.array([scores[word.last, 1] for word in words])
    pairs = begin[:, None] + end[None, :]
    reach = np.arange(len(words))[None, :] - np.arange(len(words))[:, None]
    pairs[(reach < 0) | (reach >= longest)] = -np.inf
    none = float(scores[0, 0] + scores[0, 1])
    first, last = np.unravel_index(int(np.argmax(pairs)), pairs.shape)
    highest = max(float(pairs[first, last]), none)
    total = np.exp(pairs - highest).sum() + np.exp(none - highest)
    # All runs together speak for an answer; the best of them is the one to give.
    probability = 1 - float(np.exp(none - highest) / total)
    span = Span(words[first].start - begins, words[last].end - begins)
    return ReadAnswer(WordSpan(passage[words[first].start : words[last].end], span), round(probability, 4))
