"""The trace step of an answer: what a reply says, and what that rests on."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from memory.core.tracing import Lines, SentenceIds, TraceStep, TripleIds, Words


class Answering(StrEnum):
    """Whether an answer tells what was asked; a reply that a language model wrote whole does not say."""

    KNOWN = "known"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Answered(TraceStep):
    """The words of a reply since the answer before it, with their grounds; the last step of every reply that says anything.

    `question` is the question that is answered, `asked` its key, by which two are the same; both are empty where it cannot be
    told apart in its message. `missing` is what would have to be known, as questions. `settled_in` is the round that told
    what was unknown, once one did.
    """

    kind: ClassVar[str] = "answer"

    outcome: Answering | None = None
    settled_in: int | None = None
    question: Words = ""
    asked: Words = ""
    missing: Lines = ()
    text: Words = ""
    triples: TripleIds = ()
    sentences: SentenceIds = ()
