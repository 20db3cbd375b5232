"""Rows of the graph as the core's frozen types, and the embedder of a space, which keeps vectors of two embedders apart."""

from collections.abc import Iterable, Sequence

import numpy as np
from django.db.models import QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from memory.core.errors import EmbedderChanged, ModelUnfit
from memory.core.ports import Embedder
from memory.core.types import Entity, Modality, Polarity, Role, SourceSentence, Span, Tense, Triple
from memory.models import EntityRecord, SentenceRecord, Space, TripleRecord
from memory.models.dialogue import EMBEDDING_DIMENSION

TRIPLE_RELATIONS = ("subject", "object", "sentence__turn")
# What `triple_of` reads; a turn's text alone may be longer than all of it.
TRIPLE_COLUMNS = (
    *("predicate", "value", "is_any", "polarity", "modality", "tense", "phrase", "confidence", "attributed_to"),
    *("valid_from", "valid_to", "recorded_at", "superseded_at", "span_start", "span_end", "round"),
    *(f"{end}__{column}" for end in ("subject", "object") for column in ("label", "kind", "is_speaker")),
    *("sentence__text", "sentence__is_own"),
    *("sentence__turn__speaker", "sentence__turn__role", "sentence__turn__said_at"),
    "sentence__turn__key",
)


def triples_of(rows: QuerySet[TripleRecord] | Iterable[TripleRecord]) -> list[Triple]:
    if isinstance(rows, QuerySet):
        rows = rows.select_related(*TRIPLE_RELATIONS).only(*TRIPLE_COLUMNS)
    return [triple_of(row) for row in rows]


def triple_of(row: TripleRecord) -> Triple:
    """Return the core's triple of a row whose subject, object, sentence and turn are loaded."""
    return Triple(
        id=row.pk,
        subject=entity_of(row.subject),
        predicate=row.predicate,
        object=row.object.label if row.object is not None else row.value,
        object_id=row.object_id,
        polarity=Polarity(row.polarity),
        tense=Tense(row.tense),
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        recorded_at=row.recorded_at,
        superseded_at=row.superseded_at,
        confidence=row.confidence,
        source=source_of(row.sentence),
        span=Span(row.span_start, row.span_end),
        phrase=row.phrase,
        object_kind=row.object.kind if row.object is not None else "",
        is_any=row.is_any,
        modality=Modality(row.modality),
        attributed_to=row.attributed_to,
        round_id=row.round_id,
    )


def entity_of(row: EntityRecord) -> Entity:
    return Entity(id=row.pk, label=row.label, kind=row.kind, is_speaker=row.is_speaker)


def source_of(row: SentenceRecord) -> SourceSentence:
    return SourceSentence(
        id=row.pk,
        text=row.text,
        speaker=row.turn.speaker,
        said_at=timezone.localtime(row.turn.said_at),
        turn_id=row.turn_id,
        role=Role(row.turn.role),
        is_own=row.is_own,
        by_hand=row.turn.by_hand,
    )


REEMBED = "manage.py reembed"


class SpaceEmbedder:
    """Embeds texts for a space.

    Raises `EmbedderChanged` if another embedder made the space's vectors, and `ModelUnfit` for a dimension that the database
    cannot store. The space's row is read once, before the first text; a writer of vectors checks it again under the space's
    lock.
    """

    def __init__(self, space_id: int, embedder: Embedder, *, known: str | None = None) -> None:
        """`known` is the name of the embedder that made the space's vectors, where the caller has read it already."""
        self.name = embedder.name
        self.dimension = embedder.dimension
        self._space_id = space_id
        self._embedder = embedder
        self._known = known
        self._is_checked = False

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.check()
        return self._embedder.embed(texts)

    def check(self) -> None:
        """Raise unless this embedder's vectors can be compared with those of the space."""
        if self._is_checked:
            return
        dimension_check(self._embedder)
        if self._known is None:
            self._known = Space.objects.values_list("embedder", flat=True).get(pk=self._space_id)
        if self._known not in ("", self.name):
            raise EmbedderChanged(changed_sentence(self._known, self.name))
        self._is_checked = True


def dimension_check(embedder: Embedder) -> None:
    if embedder.dimension != EMBEDDING_DIMENSION:
        raise ModelUnfit(
            f"The embedder {embedder.name!r} makes vectors of {embedder.dimension} numbers, "
            f"and the database holds vectors of {EMBEDDING_DIMENSION}. Use an embedder of that dimension."
        )


def changed_sentence(known: str, name: str) -> str:
    return (
        f"The vectors of this memory were made by {known!r}, and the embedder is {name!r} now: they cannot be compared. "
        f"Run `{REEMBED}` to make them anew; until then this memory is searched by words alone."
    )
