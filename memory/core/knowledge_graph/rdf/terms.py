"""The vocabulary of an exported graph: the record vocabulary beside PROV-O, RDFS and SKOS.

`rec:` describes what a space remembers (who said what, when, what became of it); `ds:` is the ontology of what is believed.
The record vocabulary is annotation to a reasoner: a superseded or denied triple is described but never asserted.

The IRIs of the graph: the ontology's terms, and those of one space.

They are under `.example`, a domain that nobody can own, so that no name of a private conversation points to a server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote, unquote

from rdflib import OWL, RDF, RDFS, SKOS, XSD, BNode, Literal, Namespace, URIRef

from memory.core.knowledge_graph.ontology import PREDICATES

ROOT = "https://dsmart.example/"
DS = Namespace(f"{ROOT}ontology#")
PROV = Namespace("http://www.w3.org/ns/prov#")


@dataclass(frozen=True)
class SpaceNames:
    """The IRIs of one space. A predicate of the ontology is the ontology's; a minted one is the space's own."""

    space_id: int

    @property
    def base(self) -> str:
        return f"{ROOT}spaces/{self.space_id}/"

    def entity(self, entity_id: int) -> URIRef:
        return URIRef(f"{self.base}entities/{entity_id}")

    def predicate(self, name: str) -> URIRef:
        return DS[name] if name in PREDICATES else URIRef(f"{self.base}predicates/{quote(name, safe='')}")

    def triple(self, triple_id: int) -> URIRef:
        return URIRef(f"{self.base}triples/{triple_id}")

    def sentence(self, sentence_id: int) -> URIRef:
        return URIRef(f"{self.base}sentences/{sentence_id}")

    def turn(self, turn_id: int) -> URIRef:
        return URIRef(f"{self.base}turns/{turn_id}")

    def session(self, session_id: int) -> URIRef:
        return URIRef(f"{self.base}sessions/{session_id}")


def predicate_name_of(iri: URIRef) -> str:
    """Return the name of a predicate by its IRI, the part after its last separator for any other IRI."""
    text = str(iri)
    tail = (
        text.removeprefix(str(DS))
        if text.startswith(str(DS))
        else text.rstrip("/#").rpartition("/")[2].rpartition("#")[2]
    )
    return unquote(tail)


REC = Namespace(f"{ROOT}record#")
WORDNET = Namespace("https://w3id.org/framester/wn/wn30/instances/")
DUL = Namespace("http://www.ontologydesignpatterns.org/ont/dul/DUL.owl#")
D0 = Namespace("http://www.ontologydesignpatterns.org/ont/d0.owl#")

# A text that XML cannot hold, written as the inside of a JSON string.
ESCAPED_TEXT = REC.escapedText
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

PREFIXES: dict[str, str] = {
    "rdf": str(RDF),
    "rdfs": str(RDFS),
    "owl": str(OWL),
    "xsd": str(XSD),
    "skos": str(SKOS),
    "prov": str(PROV),
    "ds": str(DS),
    "rec": str(REC),
    "wn30": str(WORDNET),
    "dul": str(DUL),
    "d0": str(D0),
}


class GraphFormat(StrEnum):
    """The RDF formats of export and import."""

    TURTLE = "turtle"
    JSON_LD = "json-ld"
    RDF_XML = "rdf-xml"
    N_QUADS = "n-quads"

    @property
    def media_type(self) -> str:
        return _MEDIA_TYPES[self]

    @property
    def suffix(self) -> str:
        return _SUFFIXES[self][0]

    @classmethod
    def of_file(cls, name: str) -> GraphFormat | None:
        """Return the format of a file name's extension, or None."""
        ending = name.lower().rpartition(".")[2] if "." in name else ""
        return next((form for form, suffixes in _SUFFIXES.items() if ending in suffixes), None)


_MEDIA_TYPES = {
    GraphFormat.TURTLE: "text/turtle",
    GraphFormat.JSON_LD: "application/ld+json",
    GraphFormat.RDF_XML: "application/rdf+xml",
    GraphFormat.N_QUADS: "application/n-quads",
}
_SUFFIXES = {
    GraphFormat.TURTLE: ("ttl", "turtle"),
    GraphFormat.JSON_LD: ("jsonld", "json"),
    GraphFormat.RDF_XML: ("rdf", "owl", "xml"),
    GraphFormat.N_QUADS: ("nq", "nquads", "nt"),
}

Thing = URIRef | BNode
Term = URIRef | BNode | Literal


@dataclass(frozen=True)
class Block:
    """A subject with its properties and values; `graph` is the named graph that states them, None the default graph."""

    subject: Thing
    pairs: tuple[tuple[URIRef, Term], ...]
    graph: URIRef | None = None
