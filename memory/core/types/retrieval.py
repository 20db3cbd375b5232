"""Types of retrieval (SGMem, sections 3.1 and 3.4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Unit(StrEnum):
    """What can be found: the chunks of a dialogue, its sentences, and what was distilled from it (SGMem's seven indexes).

    A window is a turn with the end of the turn before it, so that an answer can be found by the question that it answers.
    """

    SESSION = "session"
    ROUND = "round"
    TURN = "turn"
    SENTENCE = "sentence"
    SUMMARY = "summary"
    FACT = "fact"
    INSIGHT = "insight"
    WINDOW = "window"


CHUNKS = (Unit.SESSION, Unit.ROUND, Unit.TURN)
DIGESTS = (Unit.SUMMARY, Unit.FACT, Unit.INSIGHT)


@dataclass(frozen=True)
class RetrievalQuery:
    """A question with who asked it and when (aware datetime)."""

    text: str
    asked_at: datetime
    asked_by: str = ""


@dataclass(frozen=True)
class ScoredUnit:
    """A unit found, by id; a higher score is better, comparable within one result only. A window has its turn's id."""

    unit: Unit
    id: int
    score: float


@dataclass(frozen=True)
class Neighbour:
    """An edge of the sentence graph, seen from its source: the sentence that it goes to, and their similarity."""

    id: int
    similarity: float


@dataclass(frozen=True)
class SentencePlace:
    """A sentence with the chunks that it is a member of (SGMem's membership edges)."""

    id: int
    turn_id: int
    round_id: int
    session_id: int

    def chunk_id(self, unit: Unit) -> int:
        """Return the id of the chunk of a kind that holds the sentence. Raises `ValueError` for what is no chunk."""
        match unit:
            case Unit.SESSION:
                return self.session_id
            case Unit.ROUND:
                return self.round_id
            case Unit.TURN:
                return self.turn_id
        raise ValueError(f"{unit} is no chunk of a dialogue.")


@dataclass(frozen=True)
class Passage:
    """The words of a unit, as they go into a context: who said them (empty for several speakers) and when.

    `session_id` and `turn_id` say where it stands; an insight stands nowhere, and only turns and sentences in one turn.
    """

    unit: Unit
    id: int
    text: str
    said_at: datetime
    speaker: str = ""
    session_id: int | None = None
    turn_id: int | None = None


@dataclass(frozen=True)
class ScoredChunk:
    """A chunk, its score, and the sentences that it was found by, best first."""

    unit: Unit
    id: int
    score: float
    sentence_ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class RetrievalTrace:
    """How a retrieval came about: the first sentences, those that the graph added, and the ranking of each part."""

    candidates: tuple[ScoredUnit, ...] = ()
    expansion: tuple[ScoredUnit, ...] = ()
    rankings: Mapping[str, tuple[ScoredUnit, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Retrieval:
    """What was retrieved for a question: chunks by kind, best first, digests, and the sentences that support them.

    All are empty where nothing is near enough: a context is never padded. `reason` then says why, for a person.
    """

    chunks: Mapping[Unit, tuple[ScoredChunk, ...]] = field(default_factory=dict)
    digests: tuple[ScoredUnit, ...] = ()
    sentences: tuple[ScoredUnit, ...] = ()
    trace: RetrievalTrace = RetrievalTrace()
    reason: str = ""

    @property
    def is_empty(self) -> bool:
        return not any(self.chunks.values()) and not self.digests


@dataclass(frozen=True)
class MemoryUnit:
    """What a memory backbone remembers as one: a turn, a note, a fact, a summary. `id` is its own within its backbone.

    `sentence_ids` and `triple_ids` are what it rests on, and `before` is the end of what was said just before it, as
    "Speaker: words", where the backbone knows them; a higher `score` is better.
    """

    id: str
    text: str
    said_at: datetime
    speaker: str = ""
    score: float = 0.0
    sentence_ids: tuple[int, ...] = ()
    before: str = ""
    triple_ids: tuple[int, ...] = ()
