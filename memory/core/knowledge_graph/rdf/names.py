"""The IRIs of the graph: the ontology's terms, and those of one space.

They are under `.example`, a domain that nobody can own, so that no name of a private conversation points to a server.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

from rdflib import Namespace, URIRef

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
