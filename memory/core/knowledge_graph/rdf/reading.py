"""Reads records back from RDF statements, and what else a file states.

A file that was exported here describes its triples; the descriptions are read, and the plain statements that they cover are
skipped. Statements that no description covers are facts from elsewhere, for `foreign.py`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from rdflib import RDF, BNode, Literal, URIRef

from memory.core.knowledge_graph.rdf.describing import RECORDS, VALUES, class_of, columns_of, term_of, value_digest
from memory.core.knowledge_graph.rdf.parsing import GraphFileRefused, Statement, start_of
from memory.core.knowledge_graph.rdf.records import LARGEST_NUMBER, Column, Form, GraphRecords, Record, TripleData
from memory.core.knowledge_graph.rdf.terms import DS, PROV, REC, predicate_name_of
from memory.core.knowledge_graph.rdf.writing import literal_text
from memory.core.plain_text import NOT_TEXT
from memory.core.types.calendar import in_the_calendar

_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_VOCABULARY = (str(REC), str(DS), str(PROV))
Value = TypeVar("Value")
Names = dict[str, dict[URIRef | BNode, int]]


@dataclass(frozen=True)
class GraphFile:
    """The contents of a file: records of an export, and statements that no record covers with the labels of their things."""

    records: GraphRecords
    others: tuple[Statement, ...]
    labels: dict[URIRef | BNode, str]


@dataclass
class _Described:
    """What a file says of one subject, by property."""

    subject: URIRef | BNode
    values: dict[URIRef, list[URIRef | BNode | Literal]] = field(default_factory=lambda: defaultdict(list))


def graph_file_of(statements: Iterable[Statement]) -> GraphFile:
    """Return what a file's statements say. Raises `GraphFileRefused` for a description that cannot be taken."""
    statements = list(statements)
    subjects: dict[URIRef | BNode, _Described] = {}
    for item in statements:
        if item.graph is None:
            described = subjects.setdefault(item.subject, _Described(item.subject))
            described.values[item.predicate].append(item.object)
    names: Names = {}
    members: dict[type[Record], list[_Described]] = {}
    for record in RECORDS:
        own_class = class_of(record)
        mine = [one for one in subjects.values() if own_class in one.values.get(RDF.type, ())]
        members[record] = sorted(mine, key=lambda one: _order_of(one.subject))
        names[record.collection] = {one.subject: place for place, one in enumerate(members[record], start=1)}
    records: dict[str, tuple[Any, ...]] = {
        record.collection: tuple(_read(record, one, names) for one in members[record]) for record in RECORDS
    }
    made = GraphRecords(**records)
    _check_successors(made.triples)
    labels = {iri: made.entities[place - 1].label for iri, place in names["entities"].items()}
    return GraphFile(records=made, others=_uncovered(statements, made, names), labels=labels)


def _order_of(subject: URIRef | BNode) -> tuple[float, str]:
    """Return the sort key of a record: its id, which grows in the order of storing."""
    tail = str(subject).rpartition("/")[2]
    return (int(tail) if tail.isdecimal() and len(tail) < 20 else math.inf, str(subject))


def _read(record: type[Record], described: _Described, names: Names) -> Record:
    values: dict[str, object] = {"id": names[record.collection][described.subject]}
    for name, column in columns_of(record).items():
        found = described.values.get(term_of(record, name), [])
        where = f"{term_of(record, name).rpartition('#')[2]} of {start_of(described.subject)}"
        if len(found) > 1:
            raise GraphFileRefused(f"The file gives more than one {where}.")
        if found:
            values[name] = _value(column, found[0], where, names)
        elif column.is_required:
            raise GraphFileRefused(f"The file gives no {where}.")
    return record(**values)  # type: ignore[arg-type]


def _value(column: Column, term: URIRef | BNode | Literal, where: str, names: Names) -> object:
    if column.form is Form.LINK:
        place = names[column.to].get(term) if not isinstance(term, Literal) else None
        if place is None:
            raise GraphFileRefused(f"The file does not describe the {where}.")
        return place
    if column.form is Form.PREDICATE:
        name = predicate_name_of(term) if isinstance(term, URIRef) else ""
        if not name or len(name) > column.limit:
            raise GraphFileRefused(f"The {where} is not the name of a predicate.")
        return name
    if not isinstance(term, Literal):
        raise GraphFileRefused(f"The {where} is not a value.")
    if column.form is Form.TEXT:
        return _text(column, term, where)
    return _understood(_READERS[column.form], str(term), where)


def _text(column: Column, term: Literal, where: str) -> str:
    text = str(_understood(lambda _: literal_text(term), "", where))
    if len(text) > column.limit:
        raise GraphFileRefused(f"The {where} has more than {column.limit:,} characters.")
    if NOT_TEXT.search(text):
        raise GraphFileRefused(f"The {where} holds characters that are not text.")
    if column.choices and text not in column.choices:
        raise GraphFileRefused(f"The {where} is {text[:60]!r}. It can be {', '.join(column.choices)}.")
    if column.is_required and not text:
        raise GraphFileRefused(f"The {where} is empty.")
    return text


def _understood(read: Callable[[str], Value], text: str, where: str) -> Value:
    try:
        return read(text)
    except (ValueError, OverflowError) as error:
        raise GraphFileRefused(f"The {where} cannot be understood: {text[:60]!r}.") from error


def _number(text: str) -> int:
    value = int(text)
    if not 0 <= value <= LARGEST_NUMBER:
        raise ValueError(text)
    return value


def _fraction(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError(text)
    return value


def _truth(text: str) -> bool:
    if text not in _TRUTHS:
        raise ValueError(text)
    return _TRUTHS[text]


def _moment(text: str) -> datetime:
    return in_the_calendar(datetime.fromisoformat(text))


_READERS: dict[Form, Callable[[str], object]] = {
    Form.NUMBER: _number,
    Form.FRACTION: _fraction,
    Form.TRUTH: _truth,
    Form.MOMENT: _moment,
}


def _check_successors(triples: tuple[TripleData, ...]) -> None:
    for triple in triples:
        if triple.superseded_at is None and (triple.superseded_by or triple.superseded_in):
            raise GraphFileRefused(f"The file says what replaced “{triple.value[:60]}”, but not when.")


def _uncovered(statements: list[Statement], records: GraphRecords, names: Names) -> tuple[Statement, ...]:
    """Return the statements that no record covers and that are not vocabulary or provenance."""
    ours = {iri for collection in names.values() for iri in collection}
    entities = names["entities"]
    iris = {place: iri for iri, place in entities.items()}
    covered: set[tuple[URIRef | BNode, str, str]] = set()
    for triple in records.triples:
        objects = {triple.value, value_digest(triple.value)} | ({str(iris[triple.object])} if triple.object else set())
        covered |= {(iris[triple.subject], triple.predicate, words) for words in objects}
    return tuple(
        item
        for item in statements
        if not _is_vocabulary(item)
        and (item.subject not in ours or item.subject in entities)
        and (item.subject, predicate_name_of(item.predicate), _words(item.object)) not in covered
    )


def _words(term: URIRef | BNode | Literal) -> str:
    """Return an object in the form that `_uncovered` compares: an entity's IRI, or a value's text or digest."""
    if isinstance(term, Literal):
        return _understood(lambda _: literal_text(term), "", "value")
    before, _, digest = str(term).rpartition(f"/{VALUES}/")
    return digest if before else str(term)


def _is_vocabulary(item: Statement) -> bool:
    own_class = isinstance(item.object, URIRef) and str(item.object).startswith(_VOCABULARY)
    return (
        str(item.predicate).startswith((str(REC), str(PROV)))
        or str(item.subject).startswith(_VOCABULARY)
        or (item.predicate == RDF.type and own_class)
    )
