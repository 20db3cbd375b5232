"""Rows of the graph as the core's frozen types: `TripleRecord` to `Triple`, `EntityRecord` to `Entity`."""

from collections.abc import Iterable

from django.db.models import QuerySet
from django.utils import timezone

from memory.core.types import Entity, Modality, Polarity, Role, SourceSentence, Span, Tense, Triple
from memory.models import EntityRecord, SentenceRecord, TripleRecord

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
