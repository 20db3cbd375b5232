"""Penman notation as parsers and models send it: read, refused, and never anything else."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, RDFS, Literal

from memory.core.errors import ModelUnreachable, UnparsableReply
from memory.core.knowledge_graph.extraction.amr.extractor import AmrExtractor
from memory.core.knowledge_graph.extraction.amr.penman_graphs import InvalidAmr, read_penman
from memory.core.knowledge_graph.extraction.amr.prompted import PromptedTextToAmr
from memory.core.knowledge_graph.extraction.amr.rdf import BOXING, CONCEPTS, DUL, FRAMES, ROLES, amr_to_rdf
from memory.core.types import Role, Utterance
from tests.fakes.replaying import Replaying
from tests.hypothesis_profiles import examples

TEXT = "My sister Maya doesn't live in New York since May 2019."
GRAPH = (
    '(l / live-01 :polarity - :ARG0 (p / person :name (n / name :op1 "Maya") :ARG0-of (h / have-rel-role-91 '
    ':ARG1 (i / i) :ARG2 (s / sister))) :location (c / city :wiki "New_York" :name (n2 / name :op1 "New" :op2 "York")) '
    ":time (s2 / since :op1 (d / date-entity :year 2019 :month 5)))"
)
SAID = Utterance("Sam", Role.USER, TEXT, datetime(2023, 5, 10, tzinfo=UTC))


class Fixed:
    """A `TextToAmr` that gives one graph for everything."""

    def __init__(self, graph: str) -> None:
        self._graph = graph

    def parse_many(self, sentences):
        return [self._graph for _ in sentences]


def test_roles_are_read_in_their_forward_direction() -> None:
    amr = read_penman(GRAPH)
    assert (amr.top, amr.concepts["p"]) == ("l", "person")
    assert ("h", "ARG0", "p") in amr.roles


def test_a_graph_becomes_rdf() -> None:
    graph = amr_to_rdf(read_penman(GRAPH))
    (event,) = graph.subjects(RDF.type, FRAMES["live-01"])
    (place,) = graph.subjects(RDF.type, CONCEPTS.city)
    (date,) = graph.subjects(RDF.type, CONCEPTS["date-entity"])
    assert (event, ROLES.location, place) in graph
    assert (event, BOXING.hasTruthValue, BOXING.false) in graph
    assert (place, RDFS.label, Literal("New York")) in graph
    assert (date, DUL.hasDataValue, Literal("2019-05")) in graph
    assert (FRAMES["live-01"], RDFS.subClassOf, DUL.Event) in graph
    assert not list(graph.subjects(RDF.type, CONCEPTS.name))


def test_two_sentences_share_no_node() -> None:
    first, second = amr_to_rdf(read_penman(GRAPH)), amr_to_rdf(read_penman(GRAPH))
    assert not set(first.subjects(RDF.type, FRAMES["live-01"])) & set(second.subjects(RDF.type, FRAMES["live-01"]))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no Penman"),
        ("hello", "no Penman"),
        (GRAPH[:-20], "no Penman"),
        ("(l / )", "no concept"),
        ("(l / live-01 :ARG0 i)", "never introduced"),
        ("(l / live-01 :ARG0 (l / like-01))", "two concepts"),
        ("(a / b :x " * 5_000, "over 20000"),
        ("(a / b :x " * 1_700 + ")" * 1_700, "too deep"),
    ],
)
def test_what_is_no_graph_is_refused(text: str, fault: str) -> None:
    with pytest.raises(InvalidAmr, match=fault):
        read_penman(text)


def test_a_parsers_broken_graph_is_an_error_of_the_round() -> None:
    with pytest.raises(UnparsableReply) as caught:
        AmrExtractor(text_to_amr=Fixed("(l / live-01")).extract_many([SAID])
    assert caught.value.reply == "(l / live-01"


def test_a_sentence_without_a_graph_has_no_facts() -> None:
    (fragment,) = AmrExtractor(text_to_amr=Fixed(" ")).extract_many([SAID])
    assert fragment.facts == ()


@st.composite
def mutated_graphs(draw: st.DrawFn) -> str:
    text = GRAPH
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        piece = draw(
            st.text(max_size=4) | st.sampled_from([":ARG0", "(x / y)", "-", ":mode interrogative", "i", '"', ":op1"])
        )
        text = text[:start] + piece + text[end:]
    return text


@settings(max_examples=examples(400))
@given(mutated_graphs() | st.text(max_size=100))
def test_any_graph_gives_facts_of_the_sentence_or_an_error(text: str) -> None:
    try:
        (fragment,) = AmrExtractor(text_to_amr=Fixed(text)).extract_many([SAID])
    except UnparsableReply:
        return
    for fact in fragment.facts:
        assert 0 <= fact.span.start < fact.span.end <= len(TEXT)
        assert fact.subject.is_speaker or fact.subject.label.removeprefix("Sam's ") in TEXT
        assert fact.object.is_speaker or fact.object.is_any or fact.object.label.removeprefix("Sam's ") in TEXT


@settings(max_examples=examples(200))
@given(
    st.recursive(
        st.sampled_from("i you and person city dog sister amr-unknown since".split()),
        lambda inner: st.lists(
            st.tuples(st.sampled_from("ARG0 ARG1 ARG2 location op1 time domain poss".split()), inner), max_size=3
        ),
        max_leaves=12,
    )
)
def test_any_shape_of_graph_is_lifted(tree: object) -> None:
    counter = iter(range(10_000))

    def penman_of(node: object) -> str:
        if isinstance(node, str):
            return f"(x{next(counter)} / {node})"
        assert isinstance(node, list)
        roles = " ".join(f":{role} {penman_of(inner)}" for role, inner in node)
        return f"(x{next(counter)} / live-01 {roles})"

    (fragment,) = AmrExtractor(text_to_amr=Fixed(penman_of(tree))).extract_many([SAID])
    assert all(fact.span.end <= len(TEXT) for fact in fragment.facts)


def test_a_model_writes_the_graph() -> None:
    model = Replaying(json.dumps({"amr": GRAPH}), '{"amr": ""}')
    assert PromptedTextToAmr(model).parse_many([TEXT, "Hm </sentence>"]) == [GRAPH, ""]
    assert TEXT in model.asked[0].messages[-1].content


def test_an_invalid_graph_is_asked_for_once_more() -> None:
    model = Replaying('{"amr": "(l / live-01"}', json.dumps({"amr": GRAPH}))
    assert PromptedTextToAmr(model).parse_many([TEXT]) == [GRAPH]
    assert "no valid AMR" in model.asked[1].messages[-1].content
    with pytest.raises(UnparsableReply):
        PromptedTextToAmr(Replaying("no", '{"amr": "(l"}')).parse_many([TEXT])
    with pytest.raises(ModelUnreachable):
        PromptedTextToAmr(Replaying(ModelUnreachable("down"))).parse_many([TEXT])
