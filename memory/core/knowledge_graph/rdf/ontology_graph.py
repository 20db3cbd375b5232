"""The ontology and the current graph in OWL 2 DL, as a reasoner reads them.

After D-SMART, Section 3: the memory is an OWL graph whose axioms decide what cannot be true at once. Where everyday words and
OWL disagree, this is how they are brought together:

- OWL assumes no unique names. A functional string `uid`, the folded name of each thing, gives them in linear size: things of
  different names are different, two of one name may be one.
- A property of OWL DL has entities or values, never both. A predicate whose range is Literal is a datatype property and an
  entity there counts by its name; every other is an object property, and a value there becomes a thing of its own.
- Values that can stand beside each other are taken apart, so that OWL does not hold them against each other
  (`consistency/facets.py`): who lives in Paris and in France has one livesInTown and one livesInRegion, both below livesIn;
  a birthday of 7 May 1990 gives a birthDateYear, a birthDateMonth and a birthDateDay. These are the functional ones.
- The facets are strings, which every reasoner compares; what a value must be is said of a property of its own, such as
  `ageValue` (xsd:integer) and `birthDateValue` (xsd:dateTime, because HermiT rejects xsd:date).
- "Ana has no employer" is membership in the class of what works for nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from urllib.parse import quote

from rdflib import OWL, RDF, RDFS, XSD, BNode, Graph, Literal, URIRef
from rdflib.collection import Collection

from memory.core.knowledge_graph.classes import CLASSES, DISJOINT_GROUPS, weak_class_of
from memory.core.knowledge_graph.consistency.assertions import (
    Assertion,
    assertions_of_triples,
    current_triples,
    facet_names,
    facets_of,
    is_data,
    is_well_typed,
)
from memory.core.knowledge_graph.consistency.consequences import is_chained
from memory.core.knowledge_graph.ontology import PREDICATES, Ontology, Predicate
from memory.core.knowledge_graph.rdf.terms import DS, NOT_XML, ROOT, SpaceNames
from memory.core.naming import key_of
from memory.core.types import Triple

UID = DS.uid
VALUE = "Value"
DATATYPES = {"number": XSD.integer, "date": XSD.dateTime}


def ontology_graph(*, ontology: Ontology, names: SpaceNames, predicates: Iterable[str] = ()) -> Graph:
    """Return the classes and properties in OWL: those of the ontology, and the named ones that a space has minted."""
    graph = Graph()
    graph.bind("ds", DS)
    graph.add((URIRef(ROOT + "ontology"), RDF.type, OWL.Ontology))
    graph.add((UID, RDF.type, OWL.DatatypeProperty))
    graph.add((UID, RDF.type, OWL.FunctionalProperty))
    graph.add((UID, RDFS.range, XSD.string))
    for name, above in CLASSES.items():
        graph.add((DS[name], RDF.type, OWL.Class))
        for one in above:
            graph.add((DS[name], RDFS.subClassOf, DS[one]))
    for group in DISJOINT_GROUPS:
        node = BNode()
        graph.add((node, RDF.type, OWL.AllDisjointClasses))
        graph.add((node, OWL.members, Collection(graph, BNode(), [DS[name] for name in group]).uri))
    for name in sorted({*PREDICATES, *predicates}):
        _describe(graph, ontology.predicate_named(name), names)
    return graph


def current_graph(triples: Iterable[Triple], *, ontology: Ontology, names: SpaceNames, now: datetime) -> Graph:
    """Return the ontology with what the triples say of the present, ready for a reasoner."""
    assertions = assertions_of_triples(current_triples(triples, now=now), ontology=ontology)
    graph = ontology_graph(ontology=ontology, names=names, predicates={one.predicate for one in assertions})
    for assertion in assertions:
        _assert(graph, assertion, ontology.predicate_named(assertion.predicate), names)
    return graph


def facet_property(predicate: Predicate, facet: str, names: SpaceNames) -> URIRef:
    """Return the property of one facet of a predicate, such as livesInTown."""
    return URIRef(f"{names.predicate(predicate.name)}{facet}")


def _describe(graph: Graph, predicate: Predicate, names: SpaceNames) -> None:
    iri = names.predicate(predicate.name)
    kind = OWL.DatatypeProperty if is_data(predicate) else OWL.ObjectProperty
    graph.add((iri, RDF.type, kind))
    for facet in facet_names(predicate):
        part = facet_property(predicate, facet, names)
        graph.add((part, RDF.type, kind))
        if predicate.is_functional:
            graph.add((part, RDF.type, OWL.FunctionalProperty))
        if facet and not is_data(predicate):
            graph.add((part, RDFS.subPropertyOf, iri))
    if predicate.datatype:
        value = facet_property(predicate, VALUE, names)
        graph.add((value, RDF.type, OWL.DatatypeProperty))
        graph.add((value, RDFS.range, DATATYPES[predicate.datatype]))
    for holds, axiom in (
        (predicate.is_symmetric, OWL.SymmetricProperty),
        (predicate.is_asymmetric, OWL.AsymmetricProperty),
        (predicate.is_irreflexive, OWL.IrreflexiveProperty),
        (is_chained(predicate), OWL.TransitiveProperty),
    ):
        if holds:
            graph.add((iri, RDF.type, axiom))
    for other, axiom in (
        (predicate.inverse if predicate.inverse != predicate.name else "", OWL.inverseOf),
        (predicate.broader, RDFS.subPropertyOf),
        (predicate.disjoint_with, OWL.propertyDisjointWith),
    ):
        if other:
            graph.add((iri, axiom, names.predicate(other)))
    if predicate.is_typed:
        for class_name, axiom in (
            (weak_class_of(predicate.domain), RDFS.domain),
            (weak_class_of(predicate.range), RDFS.range),
        ):
            if class_name:
                graph.add((iri, axiom, DS[class_name]))


def _assert(graph: Graph, assertion: Assertion, predicate: Predicate, names: SpaceNames) -> None:
    subject = _individual(graph, assertion.subject, assertion.subject_label, assertion.subject_kind, names)
    iri = names.predicate(predicate.name)
    if assertion.object is None:
        if assertion.is_denial:
            _assert_none(graph, subject, iri, is_value=is_data(predicate))
        return
    if is_data(predicate):
        _assert_value(graph, subject, assertion, predicate, names)
        return
    target = _individual(graph, assertion.object, assertion.label, assertion.object_kind, names)
    if assertion.is_denial:
        _deny(graph, subject, iri, target)
        return
    for facet in facets_of(predicate, assertion.label):
        graph.add((subject, facet_property(predicate, facet.name, names), target))


def _assert_value(graph: Graph, subject: URIRef, assertion: Assertion, predicate: Predicate, names: SpaceNames) -> None:
    iri, text = names.predicate(predicate.name), _text(key_of(assertion.label))
    if assertion.is_denial:
        _deny(graph, subject, iri, text)
        return
    graph.add((subject, iri, text))
    for facet in facets_of(predicate, assertion.label):
        if facet.name:
            graph.add((subject, facet_property(predicate, facet.name, names), _text(facet.value)))
    if predicate.datatype and (value := _typed_value(predicate, assertion.label)) is not None:
        graph.add((subject, facet_property(predicate, VALUE, names), value))


def _typed_value(predicate: Predicate, label: str) -> Literal | None:
    """Return a value in the form of its datatype, its words where the datatype does not allow them, else nothing."""
    if not is_well_typed(predicate, label):
        return _text(label)
    parts = {facet.name: facet.value for facet in facets_of(predicate, label)}
    if "Years" in parts:
        return Literal(parts["Years"], datatype=XSD.integer)
    try:
        day = date(int(parts["Year"]), int(parts["Month"]), int(parts["Day"]))
    except (KeyError, ValueError):
        return None
    return Literal(f"{day.isoformat()}T00:00:00", datatype=XSD.dateTime)


def _individual(graph: Graph, identity: int | str | None, label: str, kind: str, names: SpaceNames) -> URIRef:
    iri = (
        names.entity(identity)
        if isinstance(identity, int)
        else URIRef(f"{names.base}values/{quote(str(identity), safe='')}")
    )
    graph.add((iri, RDF.type, OWL.NamedIndividual))
    graph.add((iri, UID, _text(key_of(label))))
    graph.add((iri, RDFS.label, _text(label)))
    if kind in CLASSES:
        graph.add((iri, RDF.type, DS[kind]))
    return iri


def _deny(graph: Graph, subject: URIRef, iri: URIRef, target: URIRef | Literal) -> None:
    node = BNode()
    graph.add((node, RDF.type, OWL.NegativePropertyAssertion))
    graph.add((node, OWL.sourceIndividual, subject))
    graph.add((node, OWL.assertionProperty, iri))
    graph.add((node, OWL.targetValue if isinstance(target, Literal) else OWL.targetIndividual, target))


def _assert_none(graph: Graph, subject: URIRef, iri: URIRef, *, is_value: bool) -> None:
    some, none = BNode(), BNode()
    graph.add((some, RDF.type, OWL.Restriction))
    graph.add((some, OWL.onProperty, iri))
    graph.add((some, OWL.someValuesFrom, RDFS.Literal if is_value else OWL.Thing))
    graph.add((none, RDF.type, OWL.Class))
    graph.add((none, OWL.complementOf, some))
    graph.add((subject, RDF.type, none))


def _text(words: str) -> Literal:
    return Literal(NOT_XML.sub(" ", words), datatype=XSD.string)
