"""Records written in each format and read back: nothing is lost or added, and what no longer holds is not asserted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, Dataset, Graph, Literal, URIRef
from rdflib.compare import isomorphic

from memory.core.knowledge_graph.ontology import Ontology
from memory.core.knowledge_graph.rdf.describing import Describer, ontology_blocks, value_iri, vocabulary_blocks
from memory.core.knowledge_graph.rdf.parsing import GraphFileLimits, parsed
from memory.core.knowledge_graph.rdf.reading import GraphFile, graph_file_of
from memory.core.knowledge_graph.rdf.records import (
    AliasData,
    ConflictData,
    DeclarationData,
    EntityData,
    GraphRecords,
    RoundData,
    SentenceData,
    SessionData,
    TripleData,
    TurnData,
)
from memory.core.knowledge_graph.rdf.terms import DS, PROV, REC, Block, GraphFormat, SpaceNames
from memory.core.knowledge_graph.rdf.writing import written
from tests.hypothesis_profiles import examples

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
NAMES = SpaceNames(7)
ONTOLOGY = Ontology()
LIVES_IN = NAMES.predicate("livesIn")
FORMATS = list(GraphFormat)
RDFLIB_NAMES = {
    GraphFormat.TURTLE: "turtle",
    GraphFormat.JSON_LD: "json-ld",
    GraphFormat.RDF_XML: "xml",
    GraphFormat.N_QUADS: "nquads",
}


def triple(number: int, value: str = "Paris", **fields: object) -> TripleData:
    said = TripleData(
        id=number,
        subject=1,
        predicate="livesIn",
        object=2,
        value=value,
        polarity="positive",
        modality="asserted",
        tense="present",
        confidence=0.85,
        recorded_at=NOW - timedelta(days=9),
        round=1,
        sentence=1,
        span_start=0,
        span_end=16,
        said_by="Ana",
        said_at=NOW - timedelta(days=10),
    )
    return replace(said, **fields)  # type: ignore[arg-type]


def records_of(*triples: TripleData, text: str = "I live in Paris.") -> GraphRecords:
    return GraphRecords(
        sessions=(SessionData(id=1, started_at=NOW - timedelta(days=10), title=text[:200], is_remembered=True),),
        rounds=(RoundData(id=1, session=1, index=0, maintenance="done", maintained_at=NOW, statement=text),),
        turns=(TurnData(id=1, round=1, index=0, role="user", speaker="Ana", text=text, said_at=NOW),),
        sentences=(SentenceData(id=1, turn=1, index=0, start=0, end=len(text), text=text),),
        entities=(EntityData(id=1, label="Ana", kind="Person", is_speaker=True), EntityData(id=2, label="Paris")),
        aliases=(AliasData(id=1, entity=1, name="Ana"), AliasData(id=2, entity=1, name="Anna", source_round=1)),
        triples=triples,
        conflicts=(),
        declarations=(DeclarationData(id=1, predicate="worksFor", is_functional=False, declared_by="ana"),),
    )


def blocks_of(records: GraphRecords, *, with_ontology: bool = True) -> Iterator[Block]:
    describer = Describer(NAMES, at=NOW, ontology=ONTOLOGY)
    turn_of = {sentence.id: sentence.turn for sentence in records.sentences}
    used = {triple.predicate for triple in records.triples}
    if with_ontology:
        yield from vocabulary_blocks()
        yield from ontology_blocks(ontology=ONTOLOGY, names=NAMES, predicates=used)
    for item in (*records.sessions, *records.rounds, *records.declarations, *records.conflicts):
        yield from describer.record(item)
    for turn in records.turns:
        yield from describer.turn(turn)
    for sentence in records.sentences:
        yield from describer.sentence(sentence)
    for entity in records.entities:
        yield from describer.entity(entity)
    for alias in records.aliases:
        yield from describer.alias(alias)
    for item in records.triples:
        yield from describer.triple(item, turn=turn_of[item.sentence])


def document(records: GraphRecords, form: GraphFormat, *, with_ontology: bool = True) -> str:
    return "".join(written(blocks_of(records, with_ontology=with_ontology), form))


def read(text: str, form: GraphFormat) -> GraphFile:
    return graph_file_of(parsed(text.encode(), form, GraphFileLimits()))


def plain(records: GraphRecords, form: GraphFormat = GraphFormat.TURTLE) -> set[tuple[str, str]]:
    """Return the values of Ana's own plain statements in the default graph."""
    dataset = Dataset()
    dataset.parse(data=document(records, form), format=RDFLIB_NAMES[form])
    return {
        (str(predicate).rpartition("#")[2].rpartition("/")[2], str(value).rpartition("/")[2])
        for predicate, value in dataset.default_graph.predicate_objects(NAMES.entity(1))
        if str(predicate).startswith((str(DS), NAMES.base))
    }


WHOLE = records_of(
    triple(1, superseded_at=NOW, superseded_by=2, superseded_in=1, phrase="live in"),
    triple(2, "Lyon", object=None, valid_from=NOW - timedelta(days=3), valid_to=NOW + timedelta(days=3)),
    triple(3, polarity="negative", object=None, is_any=True, value="anything"),
    triple(4, modality="reported", attributed_to="Tom", tense="past", confidence=1 / 3),
)
CLASH = ConflictData(
    id=1, old=1, new=2, rule="functional_value", decision="superseded", decided_by="ana", created_at=NOW
)


@pytest.mark.parametrize("form", FORMATS)
def test_records_come_back_as_they_were(form):
    records = replace(WHOLE, conflicts=(CLASH,))
    file = read(document(records, form), form)
    assert file.records == records
    assert [item for item in file.others if item.predicate.startswith(str(DS))] == []


@pytest.mark.parametrize("form", FORMATS)
def test_rdflib_reads_what_was_written(form):
    dataset = Dataset()
    dataset.parse(data=document(WHOLE, form), format=RDFLIB_NAMES[form])
    graph = dataset.default_graph
    assert (NAMES.triple(1), PROV.wasGeneratedBy, NAMES.turn(1)) in graph
    assert (NAMES.triple(2), PROV.wasRevisionOf, NAMES.triple(1)) in graph
    assert (NAMES.triple(4), PROV.wasAttributedTo, URIRef(NAMES.base + "agents/Tom")) in graph
    assert len(list(graph.subjects(RDF.type, REC.Triple))) == 4


def test_formats_without_named_graphs_say_the_same():
    graphs = [
        Graph().parse(data=document(WHOLE, form), format=RDFLIB_NAMES[form])
        for form in (GraphFormat.TURTLE, GraphFormat.JSON_LD, GraphFormat.RDF_XML)
    ]
    assert isomorphic(graphs[0], graphs[1]) and isomorphic(graphs[0], graphs[2])


def test_only_what_holds_is_asserted():
    assert plain(records_of(triple(1))) == {("livesIn", "2")}
    assert plain(records_of(triple(1, value="34", object=None, predicate="age"))) == {("age", "34")}
    assert plain(records_of(triple(1, value="Paris", object=2, predicate="hasName"))) == {("hasName", "Paris")}
    [(_, value)] = plain(records_of(triple(1, value="Lyon", object=None)))
    assert value == value_iri(NAMES, "LYON").rpartition("/")[2]
    for fields in (
        {"superseded_at": NOW},
        {"polarity": "negative"},
        {"modality": "reported"},
        {"modality": "hypothetical"},
        {"modality": "asked"},
        {"tense": "past"},
        {"tense": "future"},
        {"valid_to": NOW},
        {"valid_from": NOW + timedelta(seconds=1)},
        {"is_any": True, "object": None},
    ):
        assert plain(records_of(triple(1, **fields))) == set(), fields


def test_each_turn_has_a_named_graph_of_what_it_stated():
    dataset = Dataset()
    dataset.parse(data=document(WHOLE, GraphFormat.N_QUADS), format="nquads")
    stated = set(dataset.graph(NAMES.turn(1)))
    assert stated == {
        (NAMES.entity(1), LIVES_IN, NAMES.entity(2)),
        (NAMES.entity(1), LIVES_IN, value_iri(NAMES, "Lyon")),
    }
    assert set(dataset.default_graph.triples((NAMES.entity(1), LIVES_IN, None))) == {
        (NAMES.entity(1), LIVES_IN, value_iri(NAMES, "Lyon"))
    }


def test_senses_are_links_to_wordnet_and_dul():
    records = replace(
        records_of(),
        entities=(EntityData(id=1, label="x", synset="bank-noun-1", supersense="noun.group", dul_class="dul:Group"),),
        aliases=(),
    )
    text = document(records, GraphFormat.TURTLE)
    assert "wn30:synset-bank-noun-1" in text and "wn30:supersense-noun_group" in text and "dul:Group" in text


def test_to_a_reasoner_a_description_is_annotation():
    graph = Graph().parse(data=document(WHOLE, GraphFormat.TURTLE), format="turtle")
    for predicate in set(graph.predicates(NAMES.triple(1))):
        if predicate.startswith(str(REC)):
            assert (predicate, RDF.type, OWL.AnnotationProperty) in graph


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1, max_size=80)
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=-7))])
MOMENTS = st.datetimes(timezones=ZONES).filter(lambda moment: 1 < moment.year < 9999)


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow])
@given(
    text=TEXTS,
    name=TEXTS.filter(lambda name: name.strip("/#")),
    confidence=st.floats(0, 1),
    moment=MOMENTS,
    form=st.sampled_from(FORMATS),
)
def test_any_words_numbers_and_times_come_back(text, name, confidence, moment, form):
    said = triple(
        1, text, object=None, phrase=text, predicate=f"is{name}", confidence=confidence, valid_from=moment, said_by=text
    )
    records = records_of(said, text=text)
    records = replace(records, entities=(EntityData(id=1, label=text), EntityData(id=2, label="x", kind=text[:60])))
    assert read(document(records, form, with_ontology=False), form).records == records


def test_a_document_is_written_while_its_blocks_are_read():
    for form in FORMATS:
        taken: list[int] = []
        pieces = written(counted(taken), form)
        for _ in range(4):
            next(pieces)
        assert 1 <= len(taken) <= 4


def counted(taken: list[int]) -> Iterable[Block]:
    for number in range(1000):
        taken.append(number)
        yield Block(NAMES.entity(number), ((LIVES_IN, Literal("x")),))


def test_order_is_that_of_the_numbers_and_not_of_the_letters():
    records = records_of(triple(1), *(triple(number, f"town {number}", object=None) for number in range(2, 13)))
    file = read(document(records, GraphFormat.TURTLE), GraphFormat.TURTLE)
    assert [item.value for item in file.records.triples] == ["Paris", *(f"town {number}" for number in range(2, 13))]


def test_json_ld_has_its_context_in_itself():
    assert isinstance(json.loads(document(WHOLE, GraphFormat.JSON_LD))["@context"], dict)
