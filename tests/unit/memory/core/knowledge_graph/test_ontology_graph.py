"""The ontology and the current graph in OWL 2 DL."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from rdflib import OWL, RDF, RDFS, XSD, Graph, Literal, URIRef

from memory.core.knowledge_graph.classes import CLASSES, are_disjoint, superclasses
from memory.core.knowledge_graph.ontology import PREDICATES, Ontology
from memory.core.knowledge_graph.rdf.ontology_graph import current_graph, ontology_graph
from memory.core.knowledge_graph.rdf.terms import DS, SpaceNames
from tests.unit.memory.core.knowledge_graph.current_graphs import NOW, ONTOLOGY, Names

NAMES = SpaceNames(7)


def graph_of(*said: str, ontology: Ontology = ONTOLOGY, **kinds: str) -> Graph:
    return current_graph(Names(**kinds).graph(*said), ontology=ontology, names=NAMES, now=NOW)


def test_no_property_has_both_entities_and_values() -> None:
    graph = graph_of("Ana lookAfter Bo", "Ana hasName Ana")
    of_entities = set(graph.subjects(RDF.type, OWL.ObjectProperty))
    of_values = set(graph.subjects(RDF.type, OWL.DatatypeProperty))
    assert of_entities & of_values == set()
    assert {DS.likes, NAMES.predicate("lookAfter")} <= of_entities
    assert {DS.age, DS.hasName, DS.uid} <= of_values


def test_transitive_property_has_no_axiom_that_owl_dl_forbids_it() -> None:
    graph = ontology_graph(ontology=Ontology(declared={"locatedIn": True}), names=NAMES)
    transitive = set(ontology_graph(ontology=ONTOLOGY, names=NAMES).subjects(RDF.type, OWL.TransitiveProperty))
    assert transitive == {DS.locatedIn}
    assert set(graph.subjects(RDF.type, OWL.TransitiveProperty)) == set()
    for axiom in (OWL.FunctionalProperty, OWL.AsymmetricProperty, OWL.IrreflexiveProperty):
        assert transitive & set(ontology_graph(ontology=ONTOLOGY, names=NAMES).subjects(RDF.type, axiom)) == set()


def test_value_of_a_predicate_for_entities_is_a_thing_of_its_own() -> None:
    value = replace(Names().triple("Ana likes tea"), object_id=None)
    graph = current_graph([value], ontology=ONTOLOGY, names=NAMES, now=NOW)
    thing = URIRef(f"{NAMES.base}values/tea")
    assert (NAMES.entity(1), DS.likes, thing) in graph
    assert (thing, DS.uid, Literal("tea", datatype=XSD.string)) in graph


def test_every_thing_has_one_name_that_tells_it_apart() -> None:
    graph = graph_of("Ana livesIn Paris", "Ana likes Bo", Paris="Place")
    things = set(graph.subjects(RDF.type, OWL.NamedIndividual))
    assert {str(graph.value(thing, DS.uid)) for thing in things} == {"ana", "paris", "bo"}
    assert (DS.uid, RDF.type, OWL.FunctionalProperty) in graph
    assert (NAMES.entity(2), RDF.type, DS.Place) in graph


def test_values_that_agree_fill_facets_of_their_own() -> None:
    graph = graph_of("Ana livesIn Paris", "Ana livesIn France", "Ana birthDate 7 May 1990", "Ana age 34 years old")
    ana = NAMES.entity(1)
    assert (ana, DS.livesInTown, NAMES.entity(2)) in graph
    assert (ana, DS.livesInRegion, NAMES.entity(3)) in graph
    assert (DS.livesInTown, RDFS.subPropertyOf, DS.livesIn) in graph
    assert (DS.livesIn, RDF.type, OWL.FunctionalProperty) not in graph
    assert {str(graph.value(ana, DS[f"birthDate{part}"])) for part in ("Year", "Month", "Day")} == {"1990", "5", "7"}
    assert graph.value(ana, DS.birthDateValue) == Literal("1990-05-07T00:00:00", datatype=XSD.dateTime)
    assert graph.value(ana, DS.ageValue) == Literal("34", datatype=XSD.integer)
    assert XSD.date not in set(graph.objects(None, RDFS.range))


@pytest.mark.parametrize(
    "said", ["Ana birthDate 30 February 1990", "Ana birthDate Christmas", "Ana age in his forties"]
)
def test_words_that_may_be_a_value_get_no_typed_form(said: str) -> None:
    graph = graph_of(said)
    assert set(graph.objects(None, DS.birthDateValue)) | set(graph.objects(None, DS.ageValue)) == set()


def test_denials_are_negative_assertions() -> None:
    graph = graph_of("not Ana likes tea", "not Ana hasName Bo", "not Ana worksFor *")
    denials = {
        (graph.value(node, OWL.assertionProperty), graph.value(node, OWL.targetIndividual) is not None)
        for node in graph.subjects(RDF.type, OWL.NegativePropertyAssertion)
    }
    assert denials == {(DS.likes, True), (DS.hasName, False)}
    [none] = [kind for kind in graph.objects(NAMES.entity(1), RDF.type) if kind != OWL.NamedIndividual]
    restriction = graph.value(none, OWL.complementOf)
    assert graph.value(restriction, OWL.onProperty) == DS.worksFor
    assert (NAMES.entity(1), DS.likes, None) not in graph


def test_words_that_no_file_of_rdf_can_hold_are_left_out() -> None:
    graph = graph_of("Ana likes t\x00e\x1fa")
    assert {str(label) for label in graph.objects(None, RDFS.label)} == {"Ana", "t e a"}
    assert len(Graph().parse(data=graph.serialize(format="xml"), format="xml")) == len(graph)


def test_classes_exclude_each_other_at_the_top_only() -> None:
    assert are_disjoint("Person", "Food") and are_disjoint("Animal", "Place") and are_disjoint("Organization", "Place")
    assert not are_disjoint("Person", "Organization")
    assert not any(are_disjoint(name, other) for name in CLASSES for other in ("Occupation", "Language", ""))
    assert superclasses("Food") == {"Food", "Object", "Lifeless"}
    assert not any(are_disjoint(name, above) for name in CLASSES for above in superclasses(name))
    satisfiable = [
        name for name in CLASSES if not any(are_disjoint(*pair) for pair in combinations(superclasses(name), 2))
    ]
    assert satisfiable == list(CLASSES)


def test_every_predicate_is_described() -> None:
    graph = ontology_graph(ontology=ONTOLOGY, names=NAMES)
    described = set(graph.subjects(RDF.type, OWL.ObjectProperty)) | set(graph.subjects(RDF.type, OWL.DatatypeProperty))
    assert {DS[name] for name in PREDICATES} <= described
