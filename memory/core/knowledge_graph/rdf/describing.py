"""Describes records as blocks of RDF: every triple with its provenance, and as a plain statement where it holds now.

Provenance is in terms of PROV-O: the turn generated a triple and its sentence, the triple is attributed to the speaker, and
what replaced it is a revision of it.

Departures from the paper:

- D-SMART keeps no history and exports nothing. Here superseded triples are described but not asserted, so that a reasoner
  sees the current graph alone.
- A denied, asked, supposed or reported triple is not a statement of its turn's named graph either: merging the graphs would
  turn "I do not live in Paris" into its opposite. Its description has everything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from urllib.parse import quote

from rdflib import OWL, RDF, RDFS, SKOS, XSD, BNode, Literal, URIRef

from memory.core.knowledge_graph.classes import CLASSES
from memory.core.knowledge_graph.consistency.assertions import is_data
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.knowledge_graph.rdf.ontology_graph import ontology_graph
from memory.core.knowledge_graph.rdf.records import (
    COLUMN,
    AliasData,
    Column,
    ConflictData,
    DeclarationData,
    EntityData,
    Form,
    Record,
    RoundData,
    SentenceData,
    SessionData,
    TripleData,
    TurnData,
)
from memory.core.knowledge_graph.rdf.terms import D0, DS, DUL, PROV, REC, WORDNET, Block, SpaceNames, Term
from memory.core.naming import key_of
from memory.core.types import Modality, Polarity, Tense

RECORDS: tuple[type[Record], ...] = (
    SessionData,
    RoundData,
    TurnData,
    SentenceData,
    EntityData,
    AliasData,
    TripleData,
    ConflictData,
    DeclarationData,
)
_PARENT_CLASSES = {
    SessionData: PROV.Activity,
    RoundData: PROV.Activity,
    TurnData: PROV.Activity,
    SentenceData: PROV.Entity,
    TripleData: PROV.Entity,
}
_PROV_TERMS = (
    PROV.wasGeneratedBy,
    PROV.wasDerivedFrom,
    PROV.wasAttributedTo,
    PROV.wasAssociatedWith,
    PROV.wasRevisionOf,
    PROV.startedAtTime,
    PROV.generatedAtTime,
    PROV.invalidatedAtTime,
)
VALUES = "values"
_SCHEMES = {"dul": DUL, "d0": D0}


_COLUMNS: dict[type[Record], dict[str, Column]] = {
    record: {item.name: item.metadata[COLUMN] for item in fields(record) if COLUMN in item.metadata}
    for record in RECORDS
}


def _own_term(name: str) -> URIRef:
    head, *rest = name.split("_")
    return REC[head + "".join(word.capitalize() for word in rest)]


_TERMS = {
    (record, name): column.term or _own_term(name) for record, own in _COLUMNS.items() for name, column in own.items()
}


def columns_of(record: type[Record]) -> dict[str, Column]:
    """Return the columns of a record by field name."""
    return _COLUMNS[record]


def term_of(record: type[Record], name: str) -> URIRef:
    """Return the RDF property of a field: `recorded_in` is rec:recordedIn unless the field names another."""
    return _TERMS[record, name]


def class_of(record: type[Record]) -> URIRef:
    return REC[record.__name__.removesuffix("Data")]


def ontology_blocks(*, ontology: Ontology, names: SpaceNames, predicates: Iterable[str]) -> Iterator[Block]:
    """Yield the classes and properties of the ontology, and the space's own predicates."""
    graph = ontology_graph(ontology=ontology, names=names, predicates=predicates)
    for subject in dict.fromkeys(graph.subjects()):
        assert isinstance(subject, URIRef | BNode)
        said = [(predicate, value) for predicate, value in graph.predicate_objects(subject)]
        yield Block(subject, tuple(said))  # type: ignore[arg-type]


def vocabulary_blocks() -> Iterator[Block]:
    """Yield the declarations of the record vocabulary, whose properties are annotations to a reasoner."""
    for record in RECORDS:
        parent = ((RDFS.subClassOf, _PARENT_CLASSES[record]),) if record in _PARENT_CLASSES else ()
        yield Block(class_of(record), ((RDF.type, OWL.Class), *parent))
    for name in (PROV.Activity, PROV.Entity, PROV.Agent):
        yield Block(name, ((RDF.type, OWL.Class),))
    own = {term_of(record, name) for record in RECORDS for name in columns_of(record)}
    for term in sorted(term for term in own if term.startswith(str(REC))):
        yield Block(term, ((RDF.type, OWL.AnnotationProperty),))
    # PROV-O's own are annotations too: HermiT takes no time in microseconds, and has nothing to conclude from provenance.
    for term in (*_PROV_TERMS, SKOS.altLabel, SKOS.closeMatch, SKOS.broadMatch):
        yield Block(term, ((RDF.type, OWL.AnnotationProperty),))


@dataclass
class Describer:
    """Turns the records of one space into blocks. A speaker is described at the first record that names them."""

    names: SpaceNames
    at: datetime
    ontology: Ontology
    _met: set[str] = field(default_factory=set)

    def iri(self, collection: str, number: int) -> URIRef:
        return URIRef(f"{self.names.base}{collection}/{number}")

    def agent(self, name: str) -> URIRef:
        return URIRef(f"{self.names.base}agents/{quote(name, safe='')}")

    def record(self, record: Record) -> Iterator[Block]:
        """Yield the description of a session, round, entity, conflict or declaration."""
        yield self._description(record)

    def turn(self, turn: TurnData) -> Iterator[Block]:
        yield from self._agents(turn.speaker)
        yield self._description(turn, (PROV.wasAssociatedWith, self.agent(turn.speaker)))

    def sentence(self, sentence: SentenceData) -> Iterator[Block]:
        yield self._description(sentence)

    def entity(self, entity: EntityData) -> Iterator[Block]:
        # owlready2 lists as individuals only what is called one.
        links: list[tuple[URIRef, Term]] = [(RDF.type, OWL.NamedIndividual)]
        if entity.synset:
            links.append((SKOS.closeMatch, WORDNET["synset-" + quote(entity.synset, safe="")]))
        if entity.supersense:
            links.append(
                (SKOS.broadMatch, WORDNET["supersense-" + quote(entity.supersense.replace(".", "_"), safe="")])
            )
        scheme, _, name = entity.dul_class.partition(":")
        if scheme in _SCHEMES and name.isalnum():
            links.append((SKOS.broadMatch, _SCHEMES[scheme][name]))
        if entity.kind in CLASSES:
            links.append((RDF.type, DS[entity.kind]))
        yield self._description(entity, *links)

    def alias(self, alias: AliasData) -> Iterator[Block]:
        yield self._description(alias)
        yield Block(self.iri("entities", alias.entity), ((SKOS.altLabel, Literal(alias.name)),))

    def triple(self, triple: TripleData, *, turn: int) -> Iterator[Block]:
        """Yield a triple's description and its plain statement: in its turn's graph, and in the default one if it holds."""
        iri, spoken_in = self.iri("triples", triple.id), self.iri("turns", turn)
        yield from self._agents(triple.said_by, triple.attributed_to)
        voices = dict.fromkeys(name for name in (triple.said_by, triple.attributed_to) if name)
        yield self._description(
            triple,
            (PROV.wasGeneratedBy, spoken_in),
            *((PROV.wasAttributedTo, self.agent(name)) for name in voices),
        )
        if triple.superseded_by is not None:
            yield Block(self.iri("triples", triple.superseded_by), ((PROV.wasRevisionOf, iri),))
        if is_statement(triple):
            value = self._value(triple)
            pair = (self.names.predicate(triple.predicate), value)
            yield Block(self.iri("entities", triple.subject), (pair,), graph=spoken_in)
            if holds(triple, at=self.at):
                yield Block(self.iri("entities", triple.subject), (pair,))
                if triple.object is None and isinstance(value, URIRef):
                    yield Block(value, ((RDF.type, OWL.NamedIndividual), (RDFS.label, Literal(triple.value))))

    def _value(self, triple: TripleData) -> Term:
        """Return the object of a plain statement: an OWL property has either things or literals."""
        if is_data(self.ontology.predicate_named(triple.predicate)):
            return Literal(triple.value)
        return value_iri(self.names, triple.value) if triple.object is None else self.iri("entities", triple.object)

    def _agents(self, *names: str) -> Iterator[Block]:
        for name in names:
            if name and name not in self._met:
                self._met.add(name)
                yield Block(self.agent(name), ((RDF.type, PROV.Agent), (RDFS.label, Literal(name))))

    def _description(self, record: Record, *more: tuple[URIRef, Term]) -> Block:
        pairs: list[tuple[URIRef, Term]] = [(RDF.type, class_of(type(record)))]
        for name, column in columns_of(type(record)).items():
            value = getattr(record, name)
            if column.is_required or not (value is None or value is False or value == ""):
                pairs.append((term_of(type(record), name), self._term(column, value)))
        return Block(self.iri(record.collection, record.id), (*pairs, *more))

    def _term(self, column: Column, value: object) -> Term:
        match column.form:
            case Form.LINK:
                return self.iri(column.to, int(str(value)))
            case Form.PREDICATE:
                return self.names.predicate(str(value))
            case Form.TRUTH:
                return Literal("true" if value else "false", datatype=XSD.boolean)
            case Form.NUMBER:
                return Literal(str(value), datatype=XSD.integer)
            case Form.FRACTION:
                return Literal(repr(value), datatype=XSD.double, normalize=False)
            case Form.MOMENT:
                assert isinstance(value, datetime)
                return Literal(value.astimezone(UTC).isoformat(), datatype=XSD.dateTime, normalize=False)
            case _:
                return Literal(str(value))


def value_iri(names: SpaceNames, value: str) -> URIRef:
    """Return the thing that stands for a value of an object property; all spellings of the value have the same one."""
    return URIRef(f"{names.base}{VALUES}/{value_digest(value)}")


def value_digest(value: str) -> str:
    return hashlib.sha256((key_of(value) or value).encode()).hexdigest()[:32]


def is_statement(triple: TripleData) -> bool:
    """Return whether the triple was stated: not denied, asked, supposed or reported."""
    return (
        triple.modality == Modality.ASSERTED
        and triple.polarity == Polarity.POSITIVE
        and not triple.is_any
        and bool(triple.value)
    )


def holds(triple: TripleData, *, at: datetime) -> bool:
    """Return whether a stated triple is in the current graph: not superseded, of the present, not ended."""
    return (
        triple.superseded_at is None
        and triple.tense == Tense.PRESENT
        and (triple.valid_from is None or triple.valid_from <= at)
        and (triple.valid_to is None or triple.valid_to > at)
    )
