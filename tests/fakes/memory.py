"""A little memory in lists: a real provider of `MemoryReader` without a database or a model.

Names are looked up by folded aliases; sentences and vectors compare by the stems of their words.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from memory.core.knowledge_graph.stems import content_stem_list
from memory.core.naming import key_of
from memory.core.ports import Embedder
from memory.core.types import Entity, Polarity, Role, ScoredSentence, SourceSentence, Span, Tense, Triple

EARLY = datetime(2024, 1, 10, 12, 0, tzinfo=UTC)


class BagOfStems:
    """An embedder whose vectors count the stems of a text, hashed."""

    name = "bag-of-stems"
    dimension = 512

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in content_stem_list(text):
                vectors[row, zlib.crc32(word.encode()) % self.dimension] += 1
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(lengths, 1e-9)


@dataclass
class FakeMemory:
    """A memory that is filled by `say` and `learn`. `reads` counts the calls of the port."""

    embedder: Embedder = field(default_factory=BagOfStems)
    reads: int = 0
    _entities: dict[str, Entity] = field(default_factory=dict)
    _aliases: dict[str, list[Entity]] = field(default_factory=dict)
    _triples: list[Triple] = field(default_factory=list)
    _sentences: list[SourceSentence] = field(default_factory=list)
    _vectors: NDArray[np.float32] | None = None

    def say(self, speaker: str, text: str, *, at: datetime = EARLY, role: Role = Role.USER) -> SourceSentence:
        """Remember a sentence; the same one of the same speaker once."""
        for known in self._sentences:
            if (known.speaker, known.text, known.said_at) == (speaker, text, at):
                return known
        said = SourceSentence(len(self._sentences) + 1, text, speaker, at, turn_id=len(self._sentences) + 1, role=role)
        self._sentences.append(said)
        self._vectors = None
        return said

    def entity(self, label: str, *, kind: str = "", aliases: Sequence[str] = (), is_speaker: bool = False) -> Entity:
        """Return the entity of a label, new where it is not known, with more aliases."""
        found = self._entities.get(key_of(label))
        if found is None:
            found = Entity(len(self._entities) + 1, label, kind, is_speaker)
            self._entities[key_of(label)] = found
        for name in (label, *aliases):
            known = self._aliases.setdefault(key_of(name), [])
            if found not in known:
                known.append(found)
        return found

    def sources_of(self, sentence_ids: Sequence[int]) -> list[SourceSentence]:
        known = {one.id: one for one in self._sentences}
        return [known[one] for one in sentence_ids if one in known]

    def triples_in(self, sentence_ids: Sequence[int]) -> list[Triple]:
        self.reads += 1
        return [triple for triple in self._triples if triple.source.id in sentence_ids]

    def learn(
        self,
        subject: str,
        predicate: str,
        value: str,
        *,
        said: str = "",
        speaker: str = "Ana",
        at: datetime = EARLY,
        is_literal: bool = False,
        kind: str = "",
        aliases: Sequence[str] = (),
        polarity: Polarity = Polarity.POSITIVE,
        tense: Tense = Tense.PRESENT,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        superseded_at: datetime | None = None,
        is_any: bool = False,
        phrase: str = "",
    ) -> Triple:
        """Remember a triple and the sentence that it was read from."""
        source = self.say(speaker, said or f"{subject} {predicate} {value}.", at=at)
        node = self.entity(subject, is_speaker=subject == speaker)
        filler = None if is_literal or is_any else self.entity(value, kind=kind, aliases=aliases)
        triple = Triple(
            len(self._triples) + 1,
            node,
            predicate,
            filler.label if filler else value,
            filler.id if filler else None,
            polarity,
            tense,
            valid_from,
            valid_to,
            at,
            superseded_at,
            1.0,
            source,
            Span(0, len(source.text)),
            phrase,
            kind,
            is_any,
        )
        self._triples.append(triple)
        return triple

    @property
    def triples(self) -> list[Triple]:
        """All triples, in the order in which they were learnt."""
        return list(self._triples)

    def supersede(self, old: Triple, *, at: datetime) -> None:
        """Mark a triple as replaced at a time."""
        self._triples[self._triples.index(old)] = replace(old, superseded_at=at)

    def entities_named(self, mentions: Sequence[str]) -> dict[str, list[Entity]]:
        self.reads += 1
        return {mention: list(self._aliases.get(key_of(mention), ())) for mention in mentions}

    def words_said(self, words: Sequence[str]) -> set[str]:
        self.reads += 1
        stems = {stem for said in self._sentences for stem in content_stem_list(said.text)}
        return {word for word in words if set(content_stem_list(word)) & stems or key_of(word) in self._aliases}

    def triples_about(
        self,
        entity_ids: Sequence[int],
        *,
        predicates: Sequence[str] = (),
        as_object: bool = False,
        include_superseded: bool = False,
        limit: int = 50,
    ) -> list[Triple]:
        self.reads += 1
        wanted = set(entity_ids)
        found = [
            triple
            for triple in reversed(self._triples)
            if (triple.object_id if as_object else triple.subject.id) in wanted
            and (not predicates or triple.predicate in predicates)
            and (include_superseded or triple.superseded_at is None)
        ]
        return found[:limit]

    def sentences_like(self, text: str, *, limit: int = 10) -> list[ScoredSentence]:
        self.reads += 1
        if not self._sentences:
            return []
        if self._vectors is None:
            self._vectors = self.embedder.embed([item.text for item in self._sentences])
        similarities = self._vectors @ self.embedder.embed([text])[0]
        order = np.argsort(-similarities)[:limit]
        return [
            ScoredSentence(self._sentences[index], float(similarities[index]), float(similarities[index]))
            for index in order
        ]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embedder.embed(texts)
