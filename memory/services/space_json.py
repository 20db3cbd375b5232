"""Exports everything of a space as one JSON document, piece by piece, so that a space of any size can be exported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeVar

from django.db.models import Model, QuerySet

from memory.models import (
    ConflictRecord,
    KnowledgeBaseRecord,
    Session,
    Space,
    StateChangeRecord,
    StateElementRecord,
    TripleRecord,
    Turn,
)

FORMAT = "dsmart-space"
PAGE = 500
Row = TypeVar("Row", bound=Model)


def space_export(*, space: Space) -> Iterator[str]:
    """Yield the pieces of a JSON document with all sessions, turns, triples, conflicts and states of the space.

    Of a knowledge base it tells which one it is: what it states is in the file that it came from.
    """
    yield f'{{"format": "{FORMAT}", "version": 1, "name": {json.dumps(space.name)}'
    yield from listed("sessions", (session_json(row) for row in pages(Session.objects.filter(space=space))))
    turns = Turn.objects.filter(space=space).defer("search")
    yield from listed("turns", (turn_json(row) for row in pages(turns)))
    triples = TripleRecord.objects.filter(space=space).select_related("subject", "sentence")
    triples = triples.defer("sentence__embedding", "sentence__search")
    yield from listed("triples", (triple_json(row) for row in pages(triples)))
    conflicts = ConflictRecord.objects.filter(space=space).select_related("decided_by")
    yield from listed("conflicts", (conflict_json(row) for row in pages(conflicts)))
    elements = StateElementRecord.objects.filter(space=space)
    yield from listed("state_elements", (element_json(row) for row in pages(elements)))
    changes = StateChangeRecord.objects.filter(space=space).select_related("by")
    yield from listed("state_changes", (change_json(row) for row in pages(changes)))
    bases = KnowledgeBaseRecord.objects.filter(space=space)
    yield from listed("knowledge_bases", (knowledge_base_json(row) for row in pages(bases)))
    yield "}\n"


def listed(name: str, items: Iterator[dict[str, object]]) -> Iterator[str]:
    yield f',\n"{name}": ['
    for number, item in enumerate(items):
        yield (",\n" if number else "\n") + json.dumps(item, ensure_ascii=False, default=str)
    yield "]"


def pages(rows: QuerySet[Row]) -> Iterator[Row]:
    """Yield the rows by id, `PAGE` a query, so that no cursor stays open while a slow client downloads."""
    after = 0
    while page := list(rows.filter(pk__gt=after).order_by("pk")[:PAGE]):
        yield from page
        after = page[-1].pk


def session_json(session: Session) -> dict[str, object]:
    return {
        "id": session.pk,
        "key": session.key,
        "title": session.title,
        "started_at": session.started_at.isoformat(),
        "is_remembered": session.is_remembered,
    }


def turn_json(turn: Turn) -> dict[str, object]:
    return {
        "id": turn.pk,
        "session": turn.session_id,
        "round": turn.round_id,
        "role": turn.role,
        "speaker": turn.speaker,
        "text": turn.text,
        "said_at": turn.said_at.isoformat(),
    }


def triple_json(triple: TripleRecord) -> dict[str, object]:
    return {
        "id": triple.pk,
        "subject": triple.subject.label,
        "predicate": triple.predicate,
        "object": triple.value,
        "polarity": triple.polarity,
        "tense": triple.tense,
        "confidence": triple.confidence,
        "valid_from": triple.valid_from and triple.valid_from.isoformat(),
        "valid_to": triple.valid_to and triple.valid_to.isoformat(),
        "recorded_at": triple.recorded_at.isoformat(),
        "superseded_at": triple.superseded_at and triple.superseded_at.isoformat(),
        "superseded_by": triple.superseded_by_id,
        "said_by": triple.said_by,
        "said_at": triple.said_at.isoformat(),
        "sentence": triple.sentence.text,
        "turn": triple.sentence.turn_id,
    }


def conflict_json(conflict: ConflictRecord) -> dict[str, object]:
    return {
        "id": conflict.pk,
        "old": conflict.old_id,
        "new": conflict.new_id,
        "rule": conflict.rule,
        "confidence": conflict.confidence,
        "decision": conflict.decision,
        "decided_by": conflict.decided_by.get_username() if conflict.decided_by else None,
        "created_at": conflict.created_at.isoformat(),
    }


def element_json(element: StateElementRecord) -> dict[str, object]:
    return {
        "id": element.pk,
        "session": element.session_id,
        "key": element.key,
        "kind": element.kind,
        "status": element.status,
        "description": element.description,
        "words": element.words,
        "turn": element.said_in_id,
        "basis": element.basis,
        "details": element.details,
        "triple": element.triple_id,
    }


def change_json(change: StateChangeRecord) -> dict[str, object]:
    return {
        "id": change.pk,
        "session": change.session_id,
        "element": change.element_id,
        "before": change.before or None,
        "after": change.after or None,
        "because": change.because,
        "evidence": change.evidence,
        "cause": change.cause,
        "proposed": change.proposed,
        "by": change.by.get_username() if change.by else None,
        "created_at": change.created_at.isoformat(),
    }


def knowledge_base_json(base: KnowledgeBaseRecord) -> dict[str, object]:
    return {
        "id": base.pk,
        "name": base.name,
        "source": base.source,
        "sha256": base.digest,
        "licence": base.licence,
        "form": base.form,
        "state": base.state,
        "entities": base.entities,
        "triples": base.triples,
        "passages": base.passages,
    }
