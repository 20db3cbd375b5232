"""Exports a space's graph as RDF, reading one page of rows at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.utils import timezone

from memory.core.knowledge_graph.rdf.describing import Describer, ontology_blocks, vocabulary_blocks
from memory.core.knowledge_graph.rdf.names import SpaceNames
from memory.core.knowledge_graph.rdf.records import (
    AliasData,
    ConflictData,
    DeclarationData,
    EntityData,
    RoundData,
    SentenceData,
    SessionData,
    TripleData,
    TurnData,
)
from memory.core.knowledge_graph.rdf.terms import Block, GraphFormat
from memory.core.knowledge_graph.rdf.writing import written
from memory.models import (
    AliasRecord,
    ConflictRecord,
    EntityRecord,
    PredicateRecord,
    Round,
    SentenceRecord,
    Session,
    Space,
    TripleRecord,
    Turn,
)
from memory.services.space_json import pages
from memory.stores import ontology_of

PIECE = 64 * 1024


def graph_export(*, space: Space, form: GraphFormat) -> Iterator[str]:
    """Yield the pieces of a document with the space's graph, its history and the words that it rests on.

    The whole is written to a temporary file first, from one snapshot of the database: later writes do not mix into it, and no
    transaction stays open while a slow client downloads. Sessions that are not remembered are left out.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as file:
        with snapshot():
            file.writelines(written(_blocks(space), form))
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


@contextmanager
def snapshot() -> Iterator[None]:
    """A transaction that sees the database as of its first query; inside another transaction, as that one does."""
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost:
            with connection.cursor() as cursor:
                cursor.execute("set transaction isolation level repeatable read, read only")
        yield


def _blocks(space: Space) -> Iterator[Block]:
    names, ontology = SpaceNames(space.pk), ontology_of(space.pk)
    describer = Describer(names, at=timezone.now(), ontology=ontology)
    yield from vocabulary_blocks()
    used = TripleRecord.objects.filter(space=space).order_by().values_list("predicate", flat=True).distinct()
    yield from ontology_blocks(ontology=ontology, names=names, predicates=used)
    for session in pages(Session.objects.filter(space=space, is_remembered=True)):
        yield from describer.record(session_data(session))
    remembered = {"space": space, "session__is_remembered": True}
    for round in pages(Round.objects.filter(**remembered)):
        yield from describer.record(round_data(round))
    for turn in pages(Turn.objects.filter(**remembered).defer("search")):
        yield from describer.turn(turn_data(turn))
    sentences = SentenceRecord.objects.filter(space=space, turn__session__is_remembered=True)
    for sentence in pages(sentences.defer("embedding", "search")):
        yield from describer.sentence(sentence_data(sentence))
    for entity in pages(EntityRecord.objects.filter(space=space)):
        yield from describer.entity(entity_data(entity))
    for alias in pages(AliasRecord.objects.filter(space=space)):
        yield from describer.alias(alias_data(alias))
    for declared in pages(PredicateRecord.objects.filter(space=space).select_related("declared_by")):
        yield from describer.record(declaration_data(declared))
    triples = TripleRecord.objects.filter(space=space).select_related("sentence")
    for triple in pages(triples.only(*_TRIPLE_FIELDS, "sentence__turn")):
        yield from describer.triple(triple_data(triple), turn=triple.sentence.turn_id)
    conflicts = ConflictRecord.objects.filter(space=space).select_related("decided_by")
    for conflict in pages(conflicts):
        yield from describer.record(conflict_data(conflict))


_TRIPLE_FIELDS = tuple(field.name for field in TripleRecord._meta.concrete_fields)


def session_data(row: Session) -> SessionData:
    return SessionData(
        id=row.pk, started_at=row.started_at, title=row.title, key=row.key, is_remembered=row.is_remembered
    )


def round_data(row: Round) -> RoundData:
    return RoundData(
        id=row.pk,
        session=row.session_id,
        index=row.index,
        maintenance=row.maintenance,
        maintenance_error=row.maintenance_error,
        maintained_at=row.maintained_at,
        statement=row.statement,
    )


def turn_data(row: Turn) -> TurnData:
    return TurnData(
        id=row.pk,
        round=row.round_id,
        index=row.index,
        role=row.role,
        speaker=row.speaker,
        text=row.text,
        said_at=row.said_at,
        key=row.key,
        is_generated=row.is_generated,
    )


def sentence_data(row: SentenceRecord) -> SentenceData:
    return SentenceData(id=row.pk, turn=row.turn_id, index=row.index, start=row.start, end=row.end, text=row.text)


def entity_data(row: EntityRecord) -> EntityData:
    return EntityData(
        id=row.pk,
        label=row.label,
        kind=row.kind,
        is_speaker=row.is_speaker,
        lemma=row.lemma,
        pos=row.pos,
        synset=row.synset,
        supersense=row.supersense,
        dul_class=row.dul_class,
    )


def alias_data(row: AliasRecord) -> AliasData:
    return AliasData(id=row.pk, entity=row.entity_id, name=row.text, source_round=row.source_round_id)


def declaration_data(row: PredicateRecord) -> DeclarationData:
    by = row.declared_by.get_username() if row.declared_by else ""
    return DeclarationData(id=row.pk, predicate=row.name, is_functional=row.is_functional, declared_by=by)


def triple_data(row: TripleRecord) -> TripleData:
    return TripleData(
        id=row.pk,
        subject=row.subject_id,
        predicate=row.predicate,
        object=row.object_id,
        value=row.value,
        is_any=row.is_any,
        polarity=row.polarity,
        modality=row.modality,
        tense=row.tense,
        phrase=row.phrase,
        confidence=row.confidence,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        recorded_at=row.recorded_at,
        superseded_at=row.superseded_at,
        superseded_by=row.superseded_by_id,
        superseded_in=row.superseded_in_id,
        round=row.round_id,
        sentence=row.sentence_id,
        span_start=row.span_start,
        span_end=row.span_end,
        said_by=row.said_by,
        attributed_to=row.attributed_to,
        said_at=row.said_at,
    )


def conflict_data(row: ConflictRecord) -> ConflictData:
    return ConflictData(
        id=row.pk,
        old=row.old_id,
        new=row.new_id,
        rule=row.rule,
        decision=row.decision,
        decided_by=row.decided_by.get_username() if row.decided_by else "",
        created_at=row.created_at,
    )
