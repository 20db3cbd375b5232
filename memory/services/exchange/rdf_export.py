"""Exports a space's graph as RDF, reading one page of rows at a time."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone
from psycopg import IsolationLevel

from memory.core.knowledge_graph.rdf.describing import Describer, ontology_blocks, vocabulary_blocks
from memory.core.knowledge_graph.rdf.records import (
    AliasData,
    ConflictData,
    DeclarationData,
    EntityData,
    Record,
    RoundData,
    SentenceData,
    SessionData,
    TripleData,
    TurnData,
)
from memory.core.knowledge_graph.rdf.terms import Block, GraphFormat, SpaceNames
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
DataT = TypeVar("DataT", bound=Record)


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
    """A transaction that sees the database as of its first query; inside another transaction, as that one does.

    The connection begins it as such: a statement would come too late, behind the one that tells the database the scope.
    """
    connection.ensure_connection()
    raw = None if connection.in_atomic_block else connection.connection
    if raw is not None:
        raw.isolation_level, raw.read_only = IsolationLevel.REPEATABLE_READ, True
    try:
        with transaction.atomic():
            yield
    finally:
        if raw is not None and not raw.closed:
            raw.isolation_level = raw.read_only = None


def _blocks(space: Space) -> Iterator[Block]:
    names, ontology = SpaceNames(space.pk), ontology_of(space.pk)
    describer = Describer(names, at=timezone.now(), ontology=ontology)
    yield from vocabulary_blocks()
    used = TripleRecord.objects.filter(space=space).order_by().values_list("predicate", flat=True).distinct()
    yield from ontology_blocks(ontology=ontology, names=names, predicates=used)
    for session in pages(Session.objects.filter(space=space, is_remembered=True)):
        yield from describer.record(data_of(SessionData, session))
    remembered = {"space": space, "session__is_remembered": True}
    for round in pages(Round.objects.filter(**remembered)):
        yield from describer.record(data_of(RoundData, round))
    for turn in pages(Turn.objects.filter(**remembered).defer("search")):
        yield from describer.turn(data_of(TurnData, turn))
    sentences = SentenceRecord.objects.filter(space=space, turn__session__is_remembered=True)
    for sentence in pages(sentences.defer("embedding", "search")):
        yield from describer.sentence(data_of(SentenceData, sentence))
    for entity in pages(EntityRecord.objects.filter(space=space)):
        yield from describer.entity(data_of(EntityData, entity))
    for alias in pages(AliasRecord.objects.filter(space=space)):
        yield from describer.alias(data_of(AliasData, alias, name=alias.text))
    for declared in pages(PredicateRecord.objects.filter(space=space).select_related("declared_by")):
        by = name_of(declared.declared_by)
        yield from describer.record(data_of(DeclarationData, declared, predicate=declared.name, declared_by=by))
    triples = TripleRecord.objects.filter(space=space).select_related("sentence")
    for triple in pages(triples.only(*_TRIPLE_FIELDS, "sentence__turn")):
        yield from describer.triple(data_of(TripleData, triple), turn=triple.sentence.turn_id)
    conflicts = ConflictRecord.objects.filter(space=space).select_related("decided_by")
    for conflict in pages(conflicts):
        yield from describer.record(data_of(ConflictData, conflict, decided_by=name_of(conflict.decided_by)))


_TRIPLE_FIELDS = tuple(field.name for field in TripleRecord._meta.concrete_fields)


def data_of(kind: type[DataT], row: Model, **named_otherwise: Any) -> DataT:
    """Return a row as the record that a file has of it: the columns of the same names, and the ids of what it refers to."""
    columns = {column.name: column.attname for column in row._meta.concrete_fields}
    wanted = (field.name for field in fields(kind) if field.name not in named_otherwise)
    return kind(**{name: getattr(row, columns[name]) for name in wanted}, **named_otherwise)


def name_of(person: User | None) -> str:
    return person.get_username() if person else ""
