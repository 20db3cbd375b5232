"""A dialogue index in memory, for measurements that use no stored space (SGMem, section 3.3).

Everything is exact: a kind of unit is embedded when it is first searched, and every search compares every unit that is
evidence. Ids count from 1 in the order of the units, evidence or not, separately for each kind. The index grows: what was
added since the last search of a kind is embedded, linked and counted then, and nothing else again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from memory.core.bm25 import Bm25Index
from memory.core.english.questions import only_asks
from memory.core.ports import Embedder, SentenceSegmenter
from memory.core.sentence_graph.hierarchy import round_text, sentence_texts, session_text, turn_text, window_text
from memory.core.sentence_graph.neighbours import NeighbourGraph
from memory.core.similarity import nearest_rows, similarities
from memory.core.types import DIGESTS, Neighbour, Passage, ScoredUnit, SentencePlace, Unit, Utterance
from memory.core.vectors import GrowingVectors

WITH_WORDS = (Unit.SENTENCE, Unit.TURN, Unit.WINDOW, Unit.SESSION)


@dataclass(frozen=True)
class SpokenSession:
    """A dated session as rounds of turns."""

    started_at: datetime
    rounds: tuple[tuple[Utterance, ...], ...]


@dataclass(frozen=True)
class WrittenDigest:
    """A summary, fact or insight. `session` is the number of its session, from 1; an insight has none."""

    unit: Unit
    text: str
    said_at: datetime
    session: int | None = None


@dataclass(frozen=True)
class _Entry:
    """A unit's text for its vector, and its words as a passage."""

    embedded: str
    passage: Passage
    is_evidence: bool

    @property
    def counted(self) -> str:
        """The text whose words BM25 counts; for a sentence its own words."""
        return self.passage.text if self.passage.unit is Unit.SENTENCE else self.embedded


class InMemoryIndex:
    """Implements `DialogueIndex` over given sessions and digests."""

    def __init__(
        self,
        sessions: Sequence[SpokenSession],
        *,
        embedder: Embedder,
        segmenter: SentenceSegmenter,
        digests: Sequence[WrittenDigest] = (),
    ) -> None:
        self._embedder = embedder
        self._segmenter = segmenter
        self._entries: dict[Unit, list[_Entry]] = {unit: [] for unit in Unit}
        self._evidence: dict[Unit, list[int]] = {unit: [] for unit in Unit}
        self._places: list[SentencePlace] = []
        self._vectors = {unit: GrowingVectors(embedder.dimension) for unit in Unit}
        self._evident = {unit: GrowingVectors(embedder.dimension) for unit in Unit}
        self._words = {unit: Bm25Index() for unit in WITH_WORDS}
        self._edges = NeighbourGraph(k=1, dimension=embedder.dimension)
        self._members: dict[int, list[int]] = {}
        for session in sessions:
            self.add(session)
        for digest in digests:
            self._take_digest(digest)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embedder.embed(texts)

    def nearest(self, unit: Unit, vector: NDArray[np.float32], *, limit: int) -> list[ScoredUnit]:
        ids, vectors = self._evidence[unit], self._vectors_of(unit, evident=True)
        rows, found = nearest_rows(vector, vectors, limit=limit)
        return [ScoredUnit(unit, ids[row], score) for row, score in zip(rows.tolist(), found.tolist(), strict=True)]

    def matching(self, unit: Unit, text: str, *, limit: int) -> list[ScoredUnit]:
        if unit not in WITH_WORDS:
            raise ValueError(f"There is no index of the words of a {unit}.")
        words, entries = self._words[unit], self._entries[unit]
        words.add({one: entries[one - 1].counted for one in self._evidence[unit][len(words) :]})
        return [ScoredUnit(unit, found, score) for found, score in words.search(text, limit=limit)]

    def neighbours_of(self, sentence_ids: Sequence[int], *, k: int) -> dict[int, list[Neighbour]]:
        if k > self._edges.k:
            self._edges = NeighbourGraph(k=k, dimension=self._embedder.dimension)
        linked, vectors = len(self._edges), self._vectors_of(Unit.SENTENCE, evident=True)
        if linked < len(vectors):
            self._edges.add(self._evidence[Unit.SENTENCE][linked:], vectors[linked:])
        entries = self._entries[Unit.SENTENCE]
        return {
            one: self._edges.neighbours_of(one)[:k] if entries[one - 1].is_evidence else []
            for one in sentence_ids
            if 1 <= one <= len(entries)
        }

    def similarities_to(self, sentence_ids: Sequence[int], vector: NDArray[np.float32]) -> dict[int, float]:
        there = [one for one in sentence_ids if 1 <= one <= len(self._places)]
        rows = np.array(there, np.int64) - 1
        return dict(zip(there, similarities(vector, self._vectors_of(Unit.SENTENCE), rows).tolist(), strict=True))

    def places_of(self, sentence_ids: Sequence[int]) -> dict[int, SentencePlace]:
        return {one: self._places[one - 1] for one in sentence_ids if 1 <= one <= len(self._places)}

    def sentences_of(self, turn_ids: Sequence[int]) -> dict[int, list[int]]:
        return {one: list(self._members[one]) for one in turn_ids if self._members.get(one)}

    def passages_of(self, unit: Unit, ids: Sequence[int]) -> list[Passage]:
        entries = self._entries[unit]
        return [entries[one - 1].passage for one in ids if 1 <= one <= len(entries)]

    def latest(self, unit: Unit, *, limit: int) -> list[int]:
        passages = [entry.passage for entry in self._entries[unit] if entry.is_evidence]
        newest = sorted(passages, key=lambda passage: (passage.said_at, passage.id), reverse=True)
        return [passage.id for passage in newest[:limit]]

    def count(self, unit: Unit) -> int:
        return len(self._evidence[unit])

    def add(self, session: SpokenSession) -> list[int]:
        """Add a session, or what was said later in one, which is a unit of its own then; return the ids of its turns."""
        session_id, texts, told = len(self._entries[Unit.SESSION]) + 1, list[str](), list[str]()
        first = len(self._entries[Unit.TURN]) + 1
        turns = [turn for turns in session.rounds for turn in turns]
        sentences = iter(self._segmenter.segment_many([turn.text for turn in turns]))
        for spoken in session.rounds:
            round_id = len(self._entries[Unit.ROUND]) + 1
            told_before = len(told)
            for turn in spoken:
                text, own = turn_text(turn.speaker, turn.text), [sentence.text for sentence in next(sentences)]
                tells = [not only_asks(sentence) for sentence in own]
                turn_id = len(self._entries[Unit.TURN]) + 1
                stand = partial(
                    self._take, said_at=turn.said_at, session_id=session_id, turn_id=turn_id, is_evidence=any(tells)
                )
                stand(Unit.TURN, text, words=turn.text, speaker=turn.speaker)
                stand(Unit.WINDOW, window_text(texts[-1] if texts else "", text))
                self._members[turn_id] = []
                for sentence, embedded, is_told in zip(own, sentence_texts(turn.speaker, own), tells, strict=True):
                    stand(Unit.SENTENCE, embedded, words=sentence, speaker=turn.speaker, is_evidence=is_told)
                    self._places.append(SentencePlace(len(self._places) + 1, turn_id, round_id, session_id))
                    if is_told:
                        self._members[turn_id].append(len(self._places))
                texts.append(text)
                told += [text] * any(tells)
            of_round = round_text(texts[len(texts) - len(spoken) :])
            said_at = spoken[0].said_at if spoken else session.started_at
            is_told = len(told) > told_before
            self._take(Unit.ROUND, of_round, said_at=said_at, session_id=session_id, is_evidence=is_told)
        whole, dated = round_text(texts), session_text(session.started_at, told)
        self._take(
            Unit.SESSION,
            dated,
            words=whole,
            said_at=session.started_at,
            session_id=session_id,
            is_evidence=bool(told),
        )
        return list(range(first, len(self._entries[Unit.TURN]) + 1))

    def _take_digest(self, digest: WrittenDigest) -> None:
        if digest.unit not in DIGESTS:
            raise ValueError(f"A {digest.unit} is no digest.")
        if digest.session is not None and not 1 <= digest.session <= len(self._entries[Unit.SESSION]):
            raise ValueError(f"There is no session {digest.session} that {digest.text!r} could be of.")
        self._take(digest.unit, digest.text, said_at=digest.said_at, session_id=digest.session)

    def _take(
        self,
        unit: Unit,
        embedded: str,
        *,
        said_at: datetime,
        words: str | None = None,
        speaker: str = "",
        session_id: int | None = None,
        turn_id: int | None = None,
        is_evidence: bool = True,
    ) -> None:
        passage = Passage(
            unit=unit,
            id=len(self._entries[unit]) + 1,
            text=embedded if words is None else words,
            said_at=said_at,
            speaker=speaker,
            session_id=session_id,
            turn_id=turn_id,
        )
        self._entries[unit].append(_Entry(embedded, passage, is_evidence))
        if is_evidence:
            self._evidence[unit].append(passage.id)

    def _vectors_of(self, unit: Unit, *, evident: bool = False) -> NDArray[np.float32]:
        """Return the vectors of a kind of unit, of all or of those that may be found; only new ones are embedded."""
        vectors, entries = self._vectors[unit], self._entries[unit]
        new = entries[len(vectors) :]
        if new:
            embedded = self._embedder.embed([entry.embedded for entry in new])
            vectors.append(embedded)
            self._evident[unit].append(embedded[[entry.is_evidence for entry in new]])
        return (self._evident if evident else self._vectors)[unit].matrix
