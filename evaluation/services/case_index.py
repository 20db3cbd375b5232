"""Builds an in-memory index of a benchmark's case, and maps its ids to the case's keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.core.retrieval import Found, Sources
from evaluation.core.types import Case, CaseTurn, group_rounds
from memory.core.ports import Embedder, SentenceSegmenter
from memory.core.sentence_graph.in_memory import InMemoryIndex, SpokenSession, WrittenDigest
from memory.core.types import Retrieval, Unit, Utterance


@dataclass(frozen=True)
class KeyedTurn:
    """The key of a turn and of its session."""

    key: str
    session: str


@dataclass(frozen=True)
class CaseIndex:
    """An index with the keys of its units; id 1 is the first of each kind."""

    index: InMemoryIndex
    sessions: Sequence[str]
    rounds: Sequence[str]
    turns: Sequence[KeyedTurn]
    digests: Mapping[Unit, Sequence[Sources]] = field(default_factory=dict)

    def found(self, retrieval: Retrieval, *, kinds: frozenset[Unit]) -> Found:
        """Return a retrieval as keys.

        `kinds` are the units that the recipe ranks; if none of one was found its ranking is empty.
        """
        turns = retrieval.chunks.get(Unit.TURN, ())
        return Found(
            sessions=self._sessions_of(retrieval) if kinds else None,
            turns=tuple(self.turns[one.id - 1].key for one in turns) if Unit.TURN in kinds else None,
            digests={
                kind: tuple(sources[one.id - 1] for one in retrieval.digests if one.unit is kind)
                for kind, sources in self.digests.items()
                if any(one.unit is kind for one in retrieval.digests)
            },
        )

    def _sessions_of(self, retrieval: Retrieval) -> tuple[str, ...]:
        """Return the ranked sessions, or else the sessions of the ranked turns or rounds."""
        chunks = retrieval.chunks
        if chunks.get(Unit.SESSION):
            return tuple(self.sessions[one.id - 1] for one in chunks[Unit.SESSION])
        if chunks.get(Unit.TURN):
            return tuple(self.turns[one.id - 1].session for one in chunks[Unit.TURN])
        return tuple(self.rounds[one.id - 1] for one in chunks.get(Unit.ROUND, ()))


@dataclass(frozen=True)
class CaseDigests:
    """The digests of a case and their sources, two parallel lists."""

    written: Sequence[WrittenDigest] = ()
    sources: Sequence[Sources] = ()

    def by_kind(self) -> dict[Unit, list[Sources]]:
        kinds: dict[Unit, list[Sources]] = {}
        for digest, sources in zip(self.written, self.sources, strict=True):
            kinds.setdefault(digest.unit, []).append(sources)
        return kinds


def case_index(
    case: Case, *, embedder: Embedder, segmenter: SentenceSegmenter, digests: CaseDigests = CaseDigests()
) -> CaseIndex:
    """Return a case's index. Turns without words are left out, as in a replay."""
    spoken: list[SpokenSession] = []
    rounds: list[str] = []
    turns: list[KeyedTurn] = []
    for session in case.sessions:
        grouped = spoken_rounds(session.turns)
        spoken.append(SpokenSession(session.started_at, tuple(tuple(map(utterance, turns)) for turns in grouped)))
        rounds += [session.key] * len(grouped)
        turns += [KeyedTurn(turn.key, session.key) for group in grouped for turn in group]
    index = InMemoryIndex(spoken, embedder=embedder, segmenter=segmenter, digests=digests.written)
    return CaseIndex(index, [session.key for session in case.sessions], rounds, turns, digests.by_kind())


def spoken_rounds(turns: Sequence[CaseTurn]) -> list[tuple[CaseTurn, ...]]:
    return group_rounds([turn for turn in turns if turn.text.strip()])


def utterance(turn: CaseTurn) -> Utterance:
    return Utterance(speaker=turn.speaker, role=turn.role, text=turn.text, said_at=turn.said_at)
