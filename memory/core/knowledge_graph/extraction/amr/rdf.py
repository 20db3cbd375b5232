"""AMR as RDF in FRED's manner (D-SMART, Algorithm 1, line 6: AMR2FRED).

Every concept becomes a node of its own, typed by a frame (an event) or by a noun; roles are properties between them.

Departures from the paper:
- AMR2FRED is a web service, and its offline port is under the GPL. This translation is our own and smaller: it has what
  lifting reads, and no alignments to VerbNet or Framester.
- Nodes are blank. FRED names them `person_1` in every sentence, so that two sentences' people would become one.
"""

from __future__ import annotations

import re

from rdflib import RDF, RDFS, XSD, BNode, Graph, Literal, Namespace, URIRef
from rdflib.term import Node as Term

from memory.core.knowledge_graph.extraction.amr.penman_graphs import AmrGraph
from memory.core.knowledge_graph.rdf.terms import ROOT

FRAMES = Namespace(f"{ROOT}frames#")
CONCEPTS = Namespace(f"{ROOT}concepts#")
ROLES = Namespace(f"{ROOT}roles#")
BOXING = Namespace("http://www.ontologydesignpatterns.org/ont/boxer/boxing.owl#")
DUL = Namespace("http://www.ontologydesignpatterns.org/ont/dul/DUL.owl#")

FRAME = re.compile(r"\w[\w-]*-\d{2,3}\Z")
_DROPPED = frozenset({"wiki", "name"})


def amr_to_rdf(amr: AmrGraph) -> Graph:
    """Return the graph of one sentence."""
    graph = Graph()
    nodes = {variable: BNode() for variable in amr.concepts}
    names = {target for _, role, target in amr.roles if role == "name" and target in nodes}
    for variable, concept in amr.concepts.items():
        if variable in names:
            continue
        if FRAME.match(concept):
            graph.add((nodes[variable], RDF.type, FRAMES[concept]))
            graph.add((FRAMES[concept], RDFS.subClassOf, DUL.Event))
        else:
            graph.add((nodes[variable], RDF.type, CONCEPTS[concept]))
        if concept == "name":
            graph.add((nodes[variable], RDFS.label, Literal(_name(amr, variable))))
        if concept == "date-entity":
            graph.add((nodes[variable], DUL.hasDataValue, _date(amr, variable)))
    for source, role, target in amr.roles:
        if source in names:
            continue
        if role == "name" and target in names:
            graph.add((nodes[source], RDFS.label, Literal(_name(amr, target))))
        elif role == "polarity" and target == "-":
            graph.add((nodes[source], BOXING.hasTruthValue, BOXING.false))
        elif role == "mode":
            graph.add((nodes[source], BOXING.hasModality, ROLES[target]))
        elif role not in _DROPPED:
            graph.add((nodes[source], ROLES[role], nodes[target] if target in nodes else _constant(target)))
    return graph


def frame_of(graph: Graph, node: Term) -> str:
    """Return the frame or the concept of a node ("move-01", "city"), or the empty string."""
    kind = graph.value(node, RDF.type)
    return str(kind).partition("#")[2] if isinstance(kind, URIRef) else ""


def _name(amr: AmrGraph, variable: str) -> str:
    parts = [
        (int(role[2:]), target.strip('"'))
        for source, role, target in amr.roles
        if source == variable and re.fullmatch(r"op\d{1,3}", role)
    ]
    return " ".join(part for _, part in sorted(parts))


def _date(amr: AmrGraph, variable: str) -> Literal:
    """Return a date as far as it is known: 2019, 2019-05 or 2019-05-03; an empty one where it has no year."""
    given = {role: target for source, role, target in amr.roles if source == variable}
    parts = []
    for role, width in (("year", 4), ("month", 2), ("day", 2)):
        if not re.fullmatch(r"\d{1,4}", given.get(role, "")):
            break
        parts.append(given[role].zfill(width))
    return Literal("-".join(parts))


def _constant(text: str) -> Literal:
    if re.fullmatch(r"-?\d{1,18}", text):
        return Literal(text, datatype=XSD.integer)
    return Literal(text.strip('"'))
