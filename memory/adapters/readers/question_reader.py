"""The question reader: what a question asks, of whom, for which time, and whether it is one to a memory at all.

Predicates and the relations of paths are scored against the embedding of their words. Each judgement has a temperature of its
own. The value that a question gives is pointed at, or the first piece: it gives none then, or what the speaker has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memory.adapters.readers.encoder import OnnxReader, Reader, linear, softmax
from memory.adapters.readers.message_reader import pointed_at
from memory.adapters.readers.pieces import Pieces
from memory.core.errors import ModelUnfit
from memory.core.types import AskedKind, AskedTime, Likely, ReadQuestion, Span, TermPath, WordSpan

KIND = "question reader"
WANTS = "thing yes-no time number person place name organization activity quality reason manner any".split()
FORMS = "what which yes-no who when where how list how-many count-compare why how-long how-often summary".split()
CHOICES: Mapping[str, Sequence[str]] = {"kind": list(AskedKind), "time": list(AskedTime), "want": WANTS, "form": FORMS}
# Whom a question is about and which value it gives: each by two pointers, which share a temperature, and by up to three
# relations from there.
POINTED = ("subject", "value")
RELATIONS = {name: tuple(f"{name}_{place}" for place in ("first", "second", "third")) for name in POINTED}
# What compares the words looked at with those of relations, wherever in a path they stand.
HOP = "hop"
COOLED = (*CHOICES, "predicate", *(f"{name}_begin" for name in POINTED), *chain.from_iterable(RELATIONS.values()))
LEAST_LIKELY = 0.02
ValueT = TypeVar("ValueT")


def look_of(hop: str) -> str:
    """Return the head that gives where in a question a relation is looked for."""
    return f"{hop}_look"


class OnnxQuestionReader(OnnxReader):
    """Implements `QuestionReader` with the folder that `manage.py train question-reader` writes.

    Raises `ModelNotFound` where there are no weights, `ModelUnfit` where they are of another kind or version.
    """

    kind = KIND

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        if f"{HOP}.weight" not in self.load().heads:
            raise ModelUnfit(f"The {KIND} in {folder} is of an earlier version. Train it again.")

    def read_many(self, questions: Sequence[str]) -> list[ReadQuestion]:
        reader = self.load()
        pieces = [reader.cut("", question) for question in questions]
        found: dict[int, ReadQuestion] = {}
        for place, hidden in reader.hidden(pieces):
            found[place] = read_question(reader, questions[place], pieces[place], hidden)
        return [found[place] for place in range(len(questions))]


def read_question(reader: Reader, question: str, pieces: Pieces, hidden: NDArray[np.float32]) -> ReadQuestion:
    heads, cooling = reader.heads, reader.config["temperatures"]
    pooled = np.tanh(linear(heads, "pool", hidden[0]))

    def likeliest(head: str, values: Sequence[ValueT]) -> Likely[ValueT]:
        shares = softmax(linear(heads, head, pooled) / cooling[head])
        return Likely(values[int(np.argmax(shares))], round(float(shares.max()), 4))

    shares = softmax(predicate_logits(heads, hidden) / cooling["predicate"])
    names: Sequence[str] = reader.config["predicates"]
    given = _path(reader, "value", question, pieces, hidden, pooled)
    return ReadQuestion(
        kind=likeliest("kind", tuple(AskedKind)),
        want=likeliest("want", WANTS),
        form=likeliest("form", FORMS),
        time=likeliest("time", tuple(AskedTime)),
        predicates=tuple(
            Likely(names[place], round(float(shares[place]), 4))
            for place in np.argsort(-shares, kind="stable")
            if shares[place] >= LEAST_LIKELY
        ),
        subject=_path(reader, "subject", question, pieces, hidden, pooled),
        value=Likely(given.value if given.value != TermPath(None) else None, given.probability),
    )


def _pointed(
    reader: Reader, name: str, question: str, pieces: Pieces, hidden: NDArray[np.float32], pooled: NDArray[np.float32]
) -> Likely[WordSpan | None]:
    words, odds = pointed_at(reader.heads, hidden, pooled, pieces.words, name)
    probability = float(softmax(odds / reader.config["temperatures"][f"{name}_begin"]).max())
    if words is None:
        return Likely(None, round(probability, 4))
    begin, end = pieces.words[words[0]].start, pieces.words[words[1]].end
    return Likely(WordSpan(question[begin:end], Span(begin, end)), round(probability, 4))


def predicate_logits(heads: Mapping[str, NDArray[np.float32]], hidden: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how well each predicate's words, but those of no relation, fit the mean of a question's vectors."""
    asked = linear(heads, "ask", hidden.mean(axis=0))
    labels = linear(heads, "label", heads["glosses"][:-1])
    cosines = labels @ asked / np.linalg.norm(labels, axis=1) / np.linalg.norm(asked)
    return np.asarray(cosines * np.exp(heads["scale"]) + linear(heads, "label_bias", heads["glosses"][:-1])[:, 0])


def _path(
    reader: Reader, name: str, question: str, pieces: Pieces, hidden: NDArray[np.float32], pooled: NDArray[np.float32]
) -> Likely[TermPath]:
    """Return what a question speaks of: the words pointed at, and the relations that lead on from them."""
    heads, cooling = reader.heads, reader.config["temperatures"]
    start = _pointed(reader, name, question, pieces, hidden, pooled)
    labels = linear(heads, "label", heads["glosses"])
    relations: list[str] = []
    probability = start.probability
    for head in RELATIONS[name]:
        looks = softmax(linear(heads, look_of(head), hidden)[:, 0])
        looked = np.asarray(np.dot(looks, hidden), dtype=np.float32)
        shares = softmax(labels @ linear(heads, HOP, looked) / np.sqrt(hidden.shape[1]) / cooling[head])
        best = int(np.argmax(shares))
        probability *= float(shares[best])
        if best == len(shares) - 1:
            break
        relations.append(reader.config["predicates"][best])
    return Likely(TermPath(start.value, tuple(relations)), round(probability, 4))
