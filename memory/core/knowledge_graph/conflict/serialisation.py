"""Serialises the two sides of a conflict case as Turtle, for a language model to read and to quote from.

One triple a line, so that a line of the reply is a triple too; who said it, when, and when it holds follow as a comment. IRIs
are made of words, because a model copies `e:paris-2` more reliably than a number. They are valid within one prompt only.

A denial is a triple too: the predicate in the namespace `not:` says that the relation does not hold. OWL's negative property
assertion takes four triples, and a model that quotes one of them leaves open which denial it means.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from rdflib import OWL, RDF, RDFS, SKOS, Literal, Namespace, URIRef
from rdflib.graph import Graph
from rdflib.term import Node as RdfNode

from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.rdf.names import DS, ROOT
from memory.core.types import ConflictCase, Fact, Node, Polarity, Role, Tense, Triple

E = Namespace(f"{ROOT}e/")
NOT = Namespace(f"{ROOT}not#")
PREFIXES: Mapping[str, str] = {
    "ds": str(DS),
    "e": str(E),
    "not": str(NOT),
    "rdf": str(RDF),
    "rdfs": str(RDFS),
    "skos": str(SKOS),
    "owl": str(OWL),
}
ANYTHING = E["anything"]

SLUG_LIMIT = 40
LABEL_LIMIT = 200
SPEAKER_LIMIT = 60


@dataclass(frozen=True)
class Stated:
    """A triple as the prompt writes it."""

    subject: URIRef
    predicate: URIRef
    object: URIRef | Literal


@dataclass(frozen=True)
class SerialisedCase:
    """Both sides of a case as Turtle, and the candidates that each triple of the origin stands for."""

    origin: str
    new: str
    triples: Mapping[Stated, tuple[Triple, ...]]


class _Names:
    """Names entities the same on both sides of one prompt. Entities of the fragment are matched by label or alias."""

    def __init__(self) -> None:
        self._by_id: dict[int, URIRef] = {}
        self._by_key: dict[str, list[URIRef]] = {}
        self.labels: dict[URIRef, str] = {}
        self.aliases: dict[URIRef, dict[str, None]] = {}
        self.kinds: dict[URIRef, str] = {}

    def remembered(self, entity_id: int, label: str, kind: str) -> URIRef:
        """Return the IRI of an entity of the graph; the sister Paris and the city Paris get different ones."""
        if entity_id not in self._by_id:
            self._by_id[entity_id] = self._made(Node(label, kind))
        return self._by_id[entity_id]

    def meant(self, node: Node) -> URIRef:
        """Return the IRI of the entity that a node names; a new one where the graph has none of that name."""
        keys = [key_of(name) for name in (node.label, *node.aliases)]
        known = [iri for key in keys for iri in self._by_key.get(key, ())]
        if not known:
            return self._made(node)
        iri = next((iri for iri in known if self.kinds.get(iri, "") == node.kind), known[0])
        self._add_names(iri, node)
        return iri

    def _made(self, node: Node) -> URIRef:
        iri = E[f"{_slug(node.label)}-{len(self.labels) + 1}"]
        self.labels[iri] = _one_line(node.label, LABEL_LIMIT)
        if node.kind:
            self.kinds[iri] = node.kind
        self._add_names(iri, node)
        return iri

    def _add_names(self, iri: URIRef, node: Node) -> None:
        for name in (node.label, *node.aliases):
            bearers = self._by_key.setdefault(key_of(name), [])
            if iri not in bearers:
                bearers.append(iri)
            words = _one_line(name, LABEL_LIMIT)
            if words and words != self.labels[iri]:
                self.aliases.setdefault(iri, {})[words] = None


def serialised(case: ConflictCase, triples: Sequence[Triple], facts: Sequence[Fact]) -> SerialisedCase:
    """Return triples of the graph and facts of the fragment as Turtle with the same names on both sides."""
    names = _Names()
    origin: dict[Stated, list[Triple]] = {}
    lines: list[str] = []
    for triple in triples:
        stated = _stated_triple(triple, names)
        origin.setdefault(_canonical(stated), []).append(triple)
        lines.append(f"{_line(stated)}  # {_about_triple(triple)}")
    described = set(names.labels)
    origin_text = "\n".join([*_descriptions(names, described), *lines])
    stated_facts = [(_stated_fact(fact, names), fact) for fact in facts]
    new_lines = [f"{_line(stated)}  # {_about_fact(fact, case)}" for stated, fact in stated_facts]
    new_text = "\n".join([*_descriptions(names, set(names.labels) - described), *new_lines])
    return SerialisedCase(origin_text, new_text, {stated: tuple(of) for stated, of in origin.items()})


def stated_of(subject: RdfNode, predicate: RdfNode, value: RdfNode) -> Stated | None:
    """Return a triple of a reply in the form of the origin's triples; None where it cannot be one of them.

    A model may escape letters of an IRI, or write a prefixed name in angle brackets.
    """
    if not isinstance(subject, URIRef) or not isinstance(predicate, URIRef):
        return None
    if not isinstance(value, URIRef | Literal):
        return None
    return _canonical(Stated(subject, predicate, value))


def prefix_lines() -> str:
    """Return the prefix declarations of both sides."""
    return "\n".join(f"@prefix {name}: <{namespace}> ." for name, namespace in PREFIXES.items())


def _stated_triple(triple: Triple, names: _Names) -> Stated:
    subject = names.remembered(triple.subject.id, triple.subject.label, triple.subject.kind)
    value: URIRef | Literal
    if triple.is_any:
        value = ANYTHING
    elif triple.object_id is None:
        value = Literal(_one_line(triple.object, LABEL_LIMIT))
    else:
        value = names.remembered(triple.object_id, triple.object, triple.object_kind)
    return Stated(subject, _predicate(triple.predicate, triple.polarity), value)


def _stated_fact(fact: Fact, names: _Names) -> Stated:
    subject = names.meant(fact.subject)
    value: URIRef | Literal
    if fact.object.is_any:
        value = ANYTHING
    elif fact.object.is_literal:
        value = Literal(_one_line(fact.object.label, LABEL_LIMIT))
    else:
        value = names.meant(fact.object)
    return Stated(subject, _predicate(fact.predicate, fact.polarity), value)


def _predicate(name: str, polarity: Polarity) -> URIRef:
    namespace = NOT if polarity is Polarity.NEGATIVE else DS
    return namespace[quote(name, safe="")]


def _descriptions(names: _Names, entities: Iterable[URIRef]) -> list[str]:
    lines: list[str] = []
    for iri in sorted(entities):
        parts = [f"rdfs:label {Literal(names.labels[iri]).n3()}"]
        parts += [f"skos:altLabel {Literal(other).n3()}" for other in names.aliases.get(iri, {})]
        if iri in names.kinds:
            parts.insert(0, f"a ds:{quote(names.kinds[iri], safe='')}")
        lines.append(f"{_term(iri)} {' ; '.join(parts)} .")
    return lines


def _line(stated: Stated) -> str:
    return f"{_term(stated.subject)} {_term(stated.predicate)} {_term(stated.object)} ."


def _term(term: URIRef | Literal) -> str:
    return term.n3(_NAMES_IN_TURTLE)


def _about_triple(triple: Triple) -> str:
    source = triple.source
    speaker = "the assistant" if source.role is Role.ASSISTANT else _one_line(source.speaker, SPEAKER_LIMIT)
    parts = [f"said {source.said_at:%Y-%m-%d} by {speaker}"]
    return ", ".join([*parts, *_when(triple.tense, triple)])


def _about_fact(fact: Fact, case: ConflictCase) -> str:
    speaker = "the assistant" if case.role is Role.ASSISTANT else _one_line(case.speaker, SPEAKER_LIMIT)
    return ", ".join([f"said {case.said_at:%Y-%m-%d} by {speaker}", *_when(fact.tense, fact)])


def _when(tense: Tense, holds: Triple | Fact) -> list[str]:
    parts = {Tense.PAST: ["in the past"], Tense.FUTURE: ["planned"], Tense.PRESENT: []}[tense]
    if holds.valid_from is not None:
        parts = [*parts, f"from {holds.valid_from:%Y-%m-%d}"]
    return [*parts, f"until {holds.valid_to:%Y-%m-%d}"] if holds.valid_to is not None else parts


def _canonical(stated: Stated) -> Stated:
    value = stated.object
    same = Literal(key_of(str(value))) if isinstance(value, Literal) else _plain(value)
    return Stated(_plain(stated.subject), _plain(stated.predicate), same)


def _plain(iri: URIRef) -> URIRef:
    text = unicodedata.normalize("NFC", unquote(str(iri)))
    prefix, mark, rest = text.partition(":")
    return URIRef(f"{PREFIXES[prefix]}{rest}" if mark and prefix in PREFIXES else text)


def _slug(label: str) -> str:
    """Return a label as the readable part of an IRI: letters of any script, digits and hyphens."""
    words = re.findall(r"[^\W_]+", key_of(label))
    return "-".join(words)[:SLUG_LIMIT].strip("-") or "thing"


def _one_line(text: str, limit: int) -> str:
    return " ".join(text.split())[:limit]


def _namespaces() -> Graph:
    graph = Graph(bind_namespaces="none")
    for name, namespace in PREFIXES.items():
        graph.bind(name, namespace)
    return graph


_NAMES_IN_TURTLE = _namespaces().namespace_manager
