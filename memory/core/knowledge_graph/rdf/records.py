"""The records of an exported graph: the rows of a space without the database.

Each field says how it is written in RDF, so that one table serves both directions and a round trip loses nothing. Ids and
links are row ids in an export, and positions in the file in an import.
"""

# ruff: noqa: RUF009 - the calls in the defaults only describe the fields, as dataclasses.field does
from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from rdflib import RDFS, URIRef

from memory.core.knowledge_graph.rdf.terms import PROV
from memory.core.types import ConflictRule, Modality, Polarity, Role, Tense

COLUMN = "column"
TEXT_LIMIT = 100_000
LARGEST_NUMBER = 2**31 - 1


class Form(StrEnum):
    """How a field's value is written."""

    TEXT = "text"
    NUMBER = "number"
    FRACTION = "fraction"
    TRUTH = "truth"
    MOMENT = "moment"
    LINK = "link"
    PREDICATE = "predicate"


@dataclass(frozen=True)
class Column:
    """How a field is written: its form, its property where that is not the record vocabulary's own, and its limits.

    `limit` is in characters, `to` the collection that a link refers to, `choices` the allowed texts.
    """

    form: Form
    is_required: bool
    limit: int = TEXT_LIMIT
    to: str = ""
    choices: tuple[str, ...] = ()
    term: URIRef | None = None


def _field(column: Column, empty: object) -> Any:
    metadata = {COLUMN: column}
    return field(metadata=metadata) if column.is_required else field(default=empty, metadata=metadata)


def _text(limit: int = TEXT_LIMIT, *, required: bool = False, term: URIRef | None = None) -> Any:
    return _field(Column(Form.TEXT, required, limit=limit, term=term), "")


def _choice(choices: type[StrEnum] | tuple[str, ...]) -> Any:
    return _field(Column(Form.TEXT, is_required=True, choices=tuple(str(item) for item in choices)), "")


def _number() -> Any:
    return _field(Column(Form.NUMBER, is_required=True), 0)


def _fraction(*, required: bool = False) -> Any:
    return _field(Column(Form.FRACTION, required), None)


def _truth(*, required: bool = False) -> Any:
    return _field(Column(Form.TRUTH, required), empty=False)


def _moment(*, required: bool = False, term: URIRef | None = None) -> Any:
    return _field(Column(Form.MOMENT, required, term=term), None)


def _link(to: str, *, required: bool = False, term: URIRef | None = None) -> Any:
    return _field(Column(Form.LINK, required, to=to, term=term), None)


def _predicate() -> Any:
    return _field(Column(Form.PREDICATE, is_required=True, limit=120), "")


@dataclass(frozen=True, kw_only=True)
class SessionData:
    """One dated dialogue."""

    collection: ClassVar[str] = "sessions"

    id: int
    started_at: datetime = _moment(required=True, term=PROV.startedAtTime)
    title: str = _text(200)
    key: str = _text(200)
    is_remembered: bool = _truth(required=True)


MAINTENANCE = ("waiting", "pending", "running", "done", "failed", "skipped")


@dataclass(frozen=True, kw_only=True)
class RoundData:
    """A message and the reply to it, with the state of its maintenance."""

    collection: ClassVar[str] = "rounds"

    id: int
    session: int = _link("sessions", required=True)
    index: int = _number()
    is_wish: bool = _truth()
    maintenance: str = _choice(MAINTENANCE)
    maintenance_error: str = _text()
    maintained_at: datetime | None = _moment()
    statement: str = _text()


@dataclass(frozen=True, kw_only=True)
class TurnData:
    """One utterance by one speaker."""

    collection: ClassVar[str] = "turns"

    id: int
    round: int = _link("rounds", required=True)
    index: int = _number()
    role: str = _choice(Role)
    speaker: str = _text(120, required=True)
    text: str = _text()
    said_at: datetime = _moment(required=True, term=PROV.startedAtTime)
    key: str = _text(200)
    is_generated: bool = _truth()


@dataclass(frozen=True, kw_only=True)
class SentenceData:
    """One sentence of a turn, [start, end) in its text."""

    collection: ClassVar[str] = "sentences"

    id: int
    turn: int = _link("turns", required=True, term=PROV.wasGeneratedBy)
    index: int = _number()
    start: int = _number()
    end: int = _number()
    text: str = _text()


@dataclass(frozen=True, kw_only=True)
class EntityData:
    """An entity, and the senses of the word that named it."""

    collection: ClassVar[str] = "entities"

    id: int
    label: str = _text(300, required=True, term=RDFS.label)
    kind: str = _text(60)
    is_speaker: bool = _truth()
    lemma: str = _text(100)
    pos: str = _text(10)
    synset: str = _text(160)
    supersense: str = _text(40)
    dul_class: str = _text(60)


@dataclass(frozen=True, kw_only=True)
class AliasData:
    """One way to name an entity, and the round that gave it."""

    collection: ClassVar[str] = "aliases"

    id: int
    entity: int = _link("entities", required=True)
    name: str = _text(300, required=True)
    source_round: int | None = _link("rounds")


@dataclass(frozen=True, kw_only=True)
class TripleData:
    """A triple with its whole provenance. `object` is None for a literal or for a denial of everything."""

    collection: ClassVar[str] = "triples"

    id: int
    subject: int = _link("entities", required=True)
    predicate: str = _predicate()
    object: int | None = _link("entities")
    value: str = _text(1000)
    is_any: bool = _truth()
    polarity: str = _choice(Polarity)
    modality: str = _choice(Modality)
    tense: str = _choice(Tense)
    phrase: str = _text(300)
    confidence: float = _fraction(required=True)
    valid_from: datetime | None = _moment()
    valid_to: datetime | None = _moment()
    recorded_at: datetime = _moment(required=True, term=PROV.generatedAtTime)
    superseded_at: datetime | None = _moment(term=PROV.invalidatedAtTime)
    superseded_by: int | None = _link("triples")
    superseded_in: int | None = _link("rounds")
    round: int = _link("rounds", required=True)
    sentence: int = _link("sentences", required=True, term=PROV.wasDerivedFrom)
    span_start: int = _number()
    span_end: int = _number()
    said_by: str = _text(120)
    attributed_to: str = _text(120)
    said_at: datetime = _moment(required=True)


@dataclass(frozen=True, kw_only=True)
class ConflictData:
    """An old triple, the new one that it clashed with, and what was decided by which rule or person.

    `confidence` is how sure a learned rule was; None for the others.
    """

    collection: ClassVar[str] = "conflicts"

    id: int
    old: int = _link("triples", required=True)
    new: int = _link("triples", required=True)
    rule: str = _choice(ConflictRule)
    confidence: float | None = _fraction()
    decision: str = _choice(("superseded", "kept", "both"))
    decided_by: str = _text(150)
    created_at: datetime = _moment(required=True)


@dataclass(frozen=True, kw_only=True)
class DeclarationData:
    """A declaration of a predicate: whether it has one value at a time."""

    collection: ClassVar[str] = "declarations"

    id: int
    predicate: str = _predicate()
    is_functional: bool = _truth(required=True)
    declared_by: str = _text(150)


Record = (
    SessionData
    | RoundData
    | TurnData
    | SentenceData
    | EntityData
    | AliasData
    | TripleData
    | ConflictData
    | DeclarationData
)


@dataclass(frozen=True)
class GraphRecords:
    """All records of an exported graph."""

    sessions: tuple[SessionData, ...] = ()
    rounds: tuple[RoundData, ...] = ()
    turns: tuple[TurnData, ...] = ()
    sentences: tuple[SentenceData, ...] = ()
    entities: tuple[EntityData, ...] = ()
    aliases: tuple[AliasData, ...] = ()
    triples: tuple[TripleData, ...] = ()
    conflicts: tuple[ConflictData, ...] = ()
    declarations: tuple[DeclarationData, ...] = ()
