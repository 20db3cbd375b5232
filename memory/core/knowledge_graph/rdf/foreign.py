"""Reads facts from RDF that was not exported here (FOAF, schema.org, DBpedia and the like), each with a sentence.

A thing is called by its label or, without one, by the last part of its IRI; so is a predicate: foaf:knows is the ontology's
knows. Two things with one label stay two: the second is called by the last part of its IRI.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from rdflib import OWL, RDF, RDFS, SKOS, BNode, Literal, Namespace, URIRef

from memory.core.english.inflection import words_of_name
from memory.core.knowledge_graph.ontology import PREDICATES, minted
from memory.core.knowledge_graph.rdf.parsing import GraphFileRefused, Statement
from memory.core.knowledge_graph.rdf.terms import D0, DS, DUL, PROV, predicate_name_of
from memory.core.knowledge_graph.verbalisation import Assertion, finished, sentence
from memory.core.naming import key_of
from memory.core.plain_text import NOT_TEXT
from memory.core.types import Fact, Node, Span

LABEL_LIMIT = 300
VALUE_LIMIT = 1000
PREDICATE_LIMIT = 120
FACT_LIMIT = 100_000

_FOAF = Namespace("http://xmlns.com/foaf/0.1/")
_SCHEMA_NAMES = (URIRef("https://schema.org/name"), URIRef("http://schema.org/name"))
_TITLE = URIRef("http://purl.org/dc/terms/title")
_LABELS = (RDFS.label, SKOS.prefLabel, _FOAF.name, *_SCHEMA_NAMES, _TITLE)
_ALIASES = (SKOS.altLabel, _FOAF.nick)
_NO_FACTS = (str(RDF), str(RDFS), str(OWL), str(SKOS), str(PROV))
_NO_CLASSES = (*_NO_FACTS, str(DUL), str(D0))
_CLASSES = frozenset(
    predicate for known in PREDICATES.values() for predicate in (known.domain, known.range) if predicate
) - {"Literal"}
_KINDS = {name.lower(): name for name in _CLASSES} | dict.fromkeys(("city", "country", "town", "settlement"), "Place")
_VERBS = frozenset(("has", "is", "was", "can"))
_PREPOSITIONS = frozenset("about at by for from in of on to with".split())
_LANGUAGES = (None, "", "en")


@dataclass(frozen=True)
class ForeignFact:
    """A fact and the sentence that says it."""

    sentence: str
    fact: Fact


def foreign_facts(statements: Iterable[Statement], labels: Mapping[URIRef | BNode, str]) -> list[ForeignFact]:
    """Return the facts of statements, those of one subject together. `labels` names things that are known by their IRI.

    Schema, annotations and what has no name of its own (blank nodes without a label) are left out.
    Raises `GraphFileRefused` for more than `FACT_LIMIT` facts.
    """
    said = _Said(statements, labels)
    found: list[ForeignFact] = []
    for subject, pairs in said.by_subject.items():
        node = said.node_of(subject)
        if node is None:
            continue
        for name, value in dict.fromkeys(said.facts_of(pairs)):
            words = _sentence(node.label, name, value.label)
            found.append(ForeignFact(words, Fact(node, name, value, Span(0, len(words)))))
        if len(found) > FACT_LIMIT:
            raise GraphFileRefused(f"The file has more than {FACT_LIMIT:,} facts. Split it.")
    return found


class _Said:
    """The statements of a file by subject, with a distinct name for each thing."""

    def __init__(self, statements: Iterable[Statement], labels: Mapping[URIRef | BNode, str]) -> None:
        self.by_subject: dict[URIRef | BNode, list[tuple[URIRef, URIRef | BNode | Literal]]] = defaultdict(list)
        for item in statements:
            self.by_subject[item.subject].append((item.predicate, item.object))
        self._labels = dict(labels)
        self._taken = {key_of(label): thing for thing, label in labels.items()}
        self._nodes: dict[URIRef | BNode, Node | None] = {}

    def facts_of(self, pairs: Iterable[tuple[URIRef, URIRef | BNode | Literal]]) -> Iterator[tuple[str, Node]]:
        pairs = list(pairs)
        spoken = {name for name, value in pairs if isinstance(value, Literal) and value.language in _LANGUAGES}
        for name, value in pairs:
            predicate = _predicate_of(name)
            if isinstance(value, Literal):
                text = _one_line(str(value))
                is_other = value.language not in _LANGUAGES and name in spoken
                if predicate and text and len(text) <= VALUE_LIMIT and not is_other:
                    yield predicate, Node(label=text, is_literal=True)
            elif name == RDF.type:
                if isinstance(value, URIRef) and not _is_in(value, _NO_CLASSES) and not _kind_of(value):
                    yield "isA", Node(label=_words_of(value))
            elif predicate and (node := self.node_of(value)) is not None:
                yield predicate, node

    def node_of(self, thing: URIRef | BNode) -> Node | None:
        """Return the node of a thing, None where it has no name."""
        if thing not in self._nodes:
            self._nodes[thing] = self._made(thing)
        return self._nodes[thing]

    def _made(self, thing: URIRef | BNode) -> Node | None:
        pairs = self.by_subject.get(thing, [])
        names = list(dict.fromkeys(_names(pairs, _LABELS)))
        tail = _words_of(thing) if isinstance(thing, URIRef) else ""
        label = self._labels.get(thing) or next(iter(names), tail)[:LABEL_LIMIT]
        if not key_of(label):
            return None
        if self._taken.setdefault(key_of(label), thing) != thing:
            label = f"{label[: LABEL_LIMIT // 2]} ({tail[: LABEL_LIMIT // 3] or len(self._taken)})"
            if self._taken.setdefault(key_of(label), thing) != thing:
                label = f"{label[: LABEL_LIMIT - 10]} {len(self._taken)}"
                self._taken[key_of(label)] = thing
        aliases = [name for name in (*names, *_names(pairs, _ALIASES)) if name != label and key_of(name)]
        free = [name for name in aliases if self._taken.get(key_of(name), thing) == thing]
        kinds = [_kind_of(value) for name, value in pairs if name == RDF.type and isinstance(value, URIRef)]
        return Node(label=label, kind=next(filter(None, kinds), ""), aliases=tuple(dict.fromkeys(free)))


def _names(pairs: Iterable[tuple[URIRef, object]], predicates: tuple[URIRef, ...]) -> list[str]:
    """Return the names of a thing, English and untagged ones first."""
    found = [
        (value.language not in _LANGUAGES, predicates.index(name), _one_line(str(value))[:LABEL_LIMIT])
        for name, value in pairs
        if name in predicates and isinstance(value, Literal)
    ]
    return [name for _, _, name in sorted(found) if name]


def _predicate_of(iri: URIRef) -> str:
    """Return the predicate's name, empty for labels, schema and annotations."""
    if iri in _LABELS or iri in _ALIASES or _is_in(iri, _NO_FACTS):
        return ""
    name = predicate_name_of(iri)
    name = name if name in PREDICATES else minted(name)
    return "" if len(name) > PREDICATE_LIMIT or iri == DS.uid else name


def _sentence(subject: str, name: str, value: str) -> str:
    """Return a fact in words. Names of properties elsewhere are nouns ("birthPlace") unless they look like verbs."""
    words = words_of_name(name)
    is_verb = len(words) > 1 and words[0] in _VERBS or words[0].endswith("s") or words[-1] in _PREPOSITIONS
    if name in PREDICATES or is_verb:
        return _one_line(sentence(Assertion(subject, name, value), asker=""))
    return finished(f"the {' '.join(words)} of {subject} is {value}")


def _kind_of(iri: URIRef) -> str:
    return _KINDS.get(_tail_of(iri).lower(), "")


def _words_of(iri: URIRef) -> str:
    """Return the last part of an IRI as words: "Paris,_Texas" gives "Paris, Texas", "JazzMusician" gives "Jazz Musician"."""
    tail = _one_line(_tail_of(iri).replace("_", " "))
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", tail)[:LABEL_LIMIT]


def _tail_of(iri: URIRef) -> str:
    bare = str(iri).rstrip("/#")
    return unquote(re.split(r"[/#:]", bare)[-1], errors="replace") if bare else ""


def _is_in(iri: URIRef, namespaces: tuple[str, ...]) -> bool:
    return str(iri).startswith(namespaces)  # rdflib's own `startswith` takes no tuple


def _one_line(text: str) -> str:
    return " ".join(NOT_TEXT.sub(" ", text).split())
