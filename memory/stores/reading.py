"""What the core reads of one space's memory, on PostgreSQL and pgvector."""

import logging
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import Exists, Expression, F, FloatField, OuterRef, Q, Value
from numpy.typing import NDArray
from pgvector.django import CosineDistance

from memory.core.errors import EmbedderChanged
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.naming import key_of
from memory.core.ports import Embedder
from memory.core.types import ConflictRule, Entity, Modality, ScoredSentence, SourceSentence, Triple
from memory.models import AliasRecord, ConflictRecord, PredicateRecord, SentenceRecord, Space, TripleRecord
from memory.stores.rows import SpaceEmbedder, entity_of, source_of, triples_of

logger = logging.getLogger(__name__)

CANDIDATES = 50
RANK_OFFSET = 60


class SpaceMemory:
    """Reads the memory of one space (`MemoryReader`, `SentenceReader`)."""

    def __init__(self, space_id: int, *, embedder: Embedder) -> None:
        self._space_id = space_id
        self._embedder = embedder

    def entities_named(self, mentions: Sequence[str]) -> dict[str, list[Entity]]:
        keys = {mention: key_of(mention) for mention in mentions}
        found: dict[str, dict[int, Entity]] = defaultdict(dict)
        rows = AliasRecord.objects.filter(space_id=self._space_id, key__in=set(keys.values()) - {""})
        for alias in rows.select_related("entity").order_by("entity_id"):
            found[alias.key][alias.entity_id] = entity_of(alias.entity)
        return {mention: list(found[key].values()) if key in found else [] for mention, key in keys.items()}

    def words_said(self, words: Sequence[str]) -> set[str]:
        said = SentenceRecord.objects.filter(space=self._space_id, is_evidence=True)
        names = AliasRecord.objects.filter(space=self._space_id)
        found = {
            f"word_{place}": Exists(said.filter(search=SearchQuery(word, config="english")))
            | Exists(names.filter(key=key_of(word)))
            for place, word in enumerate(words)
        }
        rows = Space.objects.filter(pk=self._space_id).annotate(**found).values_list(*found) if found else []
        return {word for row in rows for word, is_said in zip(words, row, strict=True) if is_said}

    def triples_about(
        self,
        entity_ids: Sequence[int],
        *,
        predicates: Sequence[str] = (),
        as_object: bool = False,
        include_superseded: bool = False,
        limit: int = 50,
    ) -> list[Triple]:
        end = "object_id__in" if as_object else "subject_id__in"
        rows = TripleRecord.objects.filter(
            space_id=self._space_id, modality=Modality.ASSERTED, **{end: list(entity_ids)}
        )
        if predicates:
            rows = rows.filter(predicate__in=list(predicates))
        rows = rows.exclude(taken_back()) if include_superseded else rows.filter(superseded_at=None)
        return triples_of(rows.order_by("-id")[:limit])

    def sentences_like(self, text: str, *, limit: int = 10) -> list[ScoredSentence]:
        """Return evidence near in meaning and evidence that shares words, fused by reciprocal rank (offset 60).

        Words alone are used if another embedder made the space's vectors.
        """
        mine = SentenceRecord.objects.filter(space_id=self._space_id, is_evidence=True)
        distance: Expression = Value(None, output_field=FloatField())
        near: list[int] = []
        try:
            [vector] = SpaceEmbedder(self._space_id, self._embedder).embed([text])
        except EmbedderChanged as error:
            logger.warning("Sentences are looked for without vectors: %s", error)
        else:
            distance = CosineDistance("embedding", vector)
            near = list(mine.exclude(embedding=None).order_by(distance).values_list("id", flat=True)[:CANDIDATES])
        query = SearchQuery(any_word_of(text), search_type="websearch", config="english")
        worded = list(
            mine.filter(search=query)
            .order_by(SearchRank(F("search"), query, normalization=1).desc(), "-id")
            .values_list("id", flat=True)[:CANDIDATES]
        )
        fused: dict[int, float] = defaultdict(float)
        for ranking in (near, worded):
            for rank, sentence_id in enumerate(ranking):
                fused[sentence_id] += 1 / (RANK_OFFSET + rank)
        best = sorted(fused, key=lambda sentence_id: (-fused[sentence_id], -sentence_id))[:limit]
        rows = mine.annotate(distance=distance).select_related("turn").defer("embedding", "search", "turn__search")
        by_id = rows.in_bulk(best)
        return [
            ScoredSentence(
                sentence=source_of(by_id[sentence_id]),
                score=fused[sentence_id],
                similarity=1 - by_id[sentence_id].distance if by_id[sentence_id].distance is not None else 0.0,
            )
            for sentence_id in best
            if sentence_id in by_id
        ]

    def sources_of(self, sentence_ids: Sequence[int]) -> list[SourceSentence]:
        mine = SentenceRecord.objects.filter(space_id=self._space_id).select_related("turn")
        found = mine.defer("embedding", "search", "turn__search").in_bulk(list(sentence_ids))
        return [source_of(found[sentence_id]) for sentence_id in sentence_ids if sentence_id in found]

    def triples_in(self, sentence_ids: Sequence[int]) -> list[Triple]:
        rows = TripleRecord.objects.filter(space_id=self._space_id, sentence__in=list(sentence_ids))
        return triples_of(rows.order_by("id"))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embedder.embed(texts)


def taken_back() -> Q:
    """Return the condition on triples that never held: retracted by a person, or overruled when they were said."""
    corrected = ConflictRecord.objects.filter(old=OuterRef("pk"), rule=ConflictRule.CORRECTED)
    overruled = ConflictRecord.objects.filter(new=OuterRef("pk"), decision=ConflictRecord.Decision.KEPT)
    is_decided = Exists(corrected) | Exists(overruled) | Q(superseded_by=None, superseded_in=None)
    return Q(superseded_at__isnull=False) & is_decided


def ontology_of(space_id: int) -> Ontology:
    """Return the ontology with the space's declarations."""
    declared = PredicateRecord.objects.filter(space_id=space_id).values_list("name", "is_functional")
    return Ontology(declared=dict(declared))


def current_graph(space_id: int) -> list[Triple]:
    """Return all active asserted triples of a space.

    Only the paper's own variant of conflict detection reads a whole graph.
    """
    rows = TripleRecord.objects.filter(space_id=space_id, superseded_at=None, modality=Modality.ASSERTED)
    return triples_of(rows.order_by("id"))


def any_word_of(text: str) -> str:
    """Return a web-search query that any of the first 64 words matches."""
    words = "".join(char if char.isalnum() else " " for char in text).split()[:64]
    return " or ".join(word for word in words if word.casefold() != "or")
