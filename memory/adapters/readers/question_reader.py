"""The question reader: what a question asks, of whom, for which time, and whether it is one to a memory at all.

Predicates and the relations of the subject's path are scored against the embedding of their words. Each judgement has a
temperature of its own. The wanted kind and the form are learned with the others; the clause's form is read by rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memory.adapters.readers.encoder import OnnxReader, Reader, linear, softmax
from memory.adapters.readers.message_reader import pointed_at
from memory.adapters.readers.pieces import Pieces
from memory.core.types import AskedKind, AskedTime, Likely, ReadQuestion, Span, SubjectPath, WordSpan

KIND = "question reader"
WANTS = "thing yes-no time number person place name organization activity quality reason manner any".split()
FORMS = "what which yes-no who when where how list how-many count-compare why how-long how-often summary".split()
CHOICES: Mapping[str, Sequence[str]] = {"kind": list(AskedKind), "time": list(AskedTime), "want": WANTS, "form": FORMS}
RELATIONS = ("first", "second")
# What has a temperature of its own: the two pointers to the subject share theirs.
COOLED = (*CHOICES, "predicate", "subject_begin", *RELATIONS)
LEAST_LIKELY = 0.02
ValueT = TypeVar("ValueT")


class OnnxQuestionReader(OnnxReader):
    """Implements `QuestionReader` with the folder that `manage.py train question-reader` writes.

    Raises `ModelNotFound` where there are no weights, `ModelUnfit` where they are of another kind or version.
    """

    kind = KIND

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.load()

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
    return ReadQuestion(
        kind=likeliest("kind", tuple(AskedKind)),
        want=likeliest("want", WANTS),
        time=likeliest("time", tuple(AskedTime)),
        predicates=tuple(
            Likely(names[place], round(float(shares[place]), 4))
            for place in np.argsort(-shares, kind="stable")
            if shares[place] >= LEAST_LIKELY
        ),
        subject=_subject(reader, question, pieces, hidden, pooled),
    )


def predicate_logits(heads: Mapping[str, NDArray[np.float32]], hidden: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how well each predicate's words, but those of no relation, fit the mean of a question's vectors."""
    asked = linear(heads, "ask", hidden.mean(axis=0))
    labels = linear(heads, "label", heads["glosses"][:-1])
    cosines = labels @ asked / np.linalg.norm(labels, axis=1) / np.linalg.norm(asked)
    return np.asarray(cosines * np.exp(heads["scale"]) + linear(heads, "label_bias", heads["glosses"][:-1])[:, 0])


def _subject(
    reader: Reader, question: str, pieces: Pieces, hidden: NDArray[np.float32], pooled: NDArray[np.float32]
) -> Likely[SubjectPath]:
    heads, cooling = reader.heads, reader.config["temperatures"]
    words, odds = pointed_at(heads, hidden, pooled, pieces.words)
    labels = linear(heads, "label", heads["glosses"])
    relations: list[str] = []
    probability = float(softmax(odds / cooling["subject_begin"]).max())
    for head in RELATIONS:
        shares = softmax(labels @ linear(heads, head, hidden[0]) / np.sqrt(hidden.shape[1]) / cooling[head])
        best = int(np.argmax(shares))
        probability *= float(shares[best])
        if best == len(shares) - 1:
            break
        relations.append(reader.config["predicates"][best])
    start = None
    if words is not None:
        begin, end = pieces.words[words[0]].start, pieces.words[words[1]].end
        start = WordSpan(question[begin:end], Span(begin, end))
    return Likely(SubjectPath(start, tuple(relations)), round(probability, 4))
