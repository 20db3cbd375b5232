"""Small dialogues for the tests of retrieval, in an index of words that no model has to read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from memory.adapters.segmenter import SyntokSegmenter
from memory.core.sentence_graph.in_memory import InMemoryIndex, SpokenSession, WrittenDigest
from memory.core.types import RetrievalQuery, Role, Utterance
from tests.fakes.memory import EARLY, BagOfStems


def spoken(day: int, *lines: str, at: datetime = EARLY) -> SpokenSession:
    """A session some days after the first, of lines like "Ann: I moved."; each two lines are a round."""
    began = at + timedelta(days=day)
    turns = []
    for number, line in enumerate(lines):
        speaker, _, words = line.partition(": ")
        role = Role.ASSISTANT if speaker == "Assistant" else Role.USER
        turns.append(Utterance(speaker, role, words, began + timedelta(minutes=number)))
    return SpokenSession(began, tuple(tuple(turns[start : start + 2]) for start in range(0, len(turns), 2)))


def index_of(*sessions: SpokenSession, digests: Sequence[WrittenDigest] = ()) -> InMemoryIndex:
    return InMemoryIndex(sessions, embedder=BagOfStems(), segmenter=SyntokSegmenter(), digests=digests)


def asking(text: str, *, day: int = 100) -> RetrievalQuery:
    return RetrievalQuery(text, asked_at=EARLY + timedelta(days=day), asked_by="Ann")
