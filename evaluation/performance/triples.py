"""Triples of made-up graphs: asserted, of the present, neither dated nor superseded."""

from __future__ import annotations

from memory.core.types import Entity, Polarity, SourceSentence, Span, Tense, Triple


def plain_triple(
    number: int,
    subject: Entity,
    predicate: str,
    value: Entity,
    source: SourceSentence,
    *,
    polarity: Polarity = Polarity.POSITIVE,
) -> Triple:
    return Triple(
        id=number,
        subject=subject,
        predicate=predicate,
        object=value.label,
        object_id=value.id,
        polarity=polarity,
        tense=Tense.PRESENT,
        valid_from=None,
        valid_to=None,
        recorded_at=source.said_at,
        superseded_at=None,
        confidence=1.0,
        source=source,
        span=Span(0, 1),
        object_kind=value.kind,
    )
