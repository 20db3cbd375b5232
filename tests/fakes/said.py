"""A dialogue in memory that can be searched: the exact index with sentences of their speakers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from conversations.core.responders.retrieved.recollection import SaidMemory
from conversations.core.responders.said_answers import SaidPassages
from memory.adapters.segmenter import SyntokSegmenter
from memory.core.ports import Embedder
from memory.core.sentence_graph.fused.retriever import FusedRetriever
from memory.core.sentence_graph.in_memory import InMemoryIndex, SpokenSession, WrittenDigest
from memory.core.types import Role, SourceSentence, Triple, Unit, Utterance
from tests.fakes.memory import BagOfStems, FakeMemory

ASSISTANT = "Assistant"


class SpokenSentences:
    """Reads an index's sentences; what `ASSISTANT` says is the assistant's."""

    def __init__(self, index: InMemoryIndex) -> None:
        self._index = index

    def sources_of(self, sentence_ids: Sequence[int]) -> list[SourceSentence]:
        return [
            SourceSentence(
                passage.id,
                passage.text,
                passage.speaker,
                passage.said_at,
                passage.turn_id or 0,
                role=Role.ASSISTANT if passage.speaker == ASSISTANT else Role.USER,
            )
            for passage in self._index.passages_of(Unit.SENTENCE, sentence_ids)
        ]

    def triples_in(self, sentence_ids: Sequence[int]) -> list[Triple]:
        return []


def spoken(at: datetime, *turns: tuple[str, str]) -> SpokenSession:
    """Return a session in which every turn is a round."""
    return SpokenSession(
        at,
        tuple((Utterance(who, Role.ASSISTANT if who == ASSISTANT else Role.USER, text, at),) for who, text in turns),
    )


def said_passages(*sessions: SpokenSession) -> SaidPassages:
    """Return what the answers that were said are found by."""
    index = InMemoryIndex(sessions, embedder=BagOfStems(), segmenter=SyntokSegmenter())
    return SaidPassages(retriever=FusedRetriever(index), index=index, sentences=SpokenSentences(index))


def said_memory(
    *sessions: SpokenSession, digests: Sequence[WrittenDigest] = (), embedder: Embedder | None = None
) -> SaidMemory:
    """Return what a responder reads, with the speakers as known entities."""
    index = InMemoryIndex(sessions, embedder=embedder or BagOfStems(), segmenter=SyntokSegmenter(), digests=digests)
    memory = FakeMemory()
    for session in sessions:
        for said in (one for turns in session.rounds for one in turns):
            memory.entity(said.speaker, kind="Person", is_speaker=True)
    return SaidMemory(index=index, sentences=SpokenSentences(index), memory=memory)


MUSEUMS = (
    spoken(
        datetime(2022, 10, 22, 18, 0, tzinfo=UTC),
        ("Nora", "I visited the Science Museum today with a friend who teaches chemistry."),
        (ASSISTANT, "That sounds like a fine day. Which hall did you like best?"),
        ("Nora", "The hall of engines. We stayed for three hours."),
    ),
    spoken(
        datetime(2023, 1, 15, 11, 0, tzinfo=UTC),
        ("Nora", "My friend came over for lunch, and we cooked dumplings."),
        (ASSISTANT, "Dumplings are a treat."),
    ),
    spoken(
        datetime(2023, 2, 18, 20, 0, tzinfo=UTC),
        ("Nora", "I visited the Museum of Natural History today with my father."),
        (ASSISTANT, "How nice that he came along."),
    ),
)
TRAVELS = (
    spoken(
        datetime(2022, 6, 19, 21, 59, tzinfo=UTC),
        ("John", "Have you decided where to spend your holidays?"),
        ("James", "I want to see the forests of Canada one day."),
    ),
    spoken(
        datetime(2022, 7, 9, 17, 13, tzinfo=UTC),
        ("John", "I like to relax by reading novels."),
        (
            "James",
            "I read a lot in winter. By the way, I bought the tickets for my trip to Canada. "
            "I depart the day after tomorrow evening!",
        ),
        ("John", "When will you be back?"),
        ("James", "I plan to return on July 20."),
    ),
    spoken(
        datetime(2022, 8, 2, 9, 0, tzinfo=UTC),
        ("James", "The trip to Canada was wonderful, and my dogs missed me."),
        ("John", "Welcome back!"),
    ),
)
