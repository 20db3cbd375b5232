"""Replies about conflicts, mutated and made of garbage by the hundred: only triples of the graph ever come of them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.errors import UnparsableReply
from memory.core.knowledge_graph.conflict.prompted import PromptedConflictDetector, shown_triples
from memory.core.knowledge_graph.conflict.serialisation import PREFIXES, serialised, stated_of
from memory.core.knowledge_graph.conflict.turtle_replies import triples_of_reply
from memory.core.prompting import UnreadableReply
from memory.core.types import ConflictCase, GraphFragment
from tests.fakes.replaying import Replaying
from tests.hypothesis_profiles import examples
from tests.unit.memory.core.knowledge_graph.graphs import Graph, day, fact


def homes() -> ConflictCase:
    graph = Graph()
    for said in (
        fact("Ana", "livesIn", "Paris"),
        fact("Ana", "likes", "tea"),
        fact("Ana", "age", "30", is_literal=True),
    ):
        graph.say(said, at=1)
    fragment = GraphFragment((fact("Ana", "livesIn", "Lyon"), fact("Ana", "age", "40", is_literal=True)))
    return ConflictCase(fragment, tuple(graph.active()), day(2), speaker="Ana")


HOMES = homes()

SIDES = serialised(HOMES, shown_triples(HOMES), HOMES.fragment.facts)
GOOD = "\n".join(
    [
        "```turtle",
        *(
            f"{stated.subject.n3()} {stated.predicate.n3()} {stated.object.n3()} ."
            for stated, [triple] in SIDES.triples.items()
            if triple.object != "tea"
        ),
        "```",
    ]
)
MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["delete", "insert", "repeat", "cut"]),
        st.floats(0, 1),
        st.integers(1, 40),
        st.text("<>\"'`@.;,[](){}#:\\ \n^_-%xé\u200f\U0001f600", min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=6,
)


def mutated(reply: str, mutations: list[tuple[str, float, int, str]]) -> str:
    for kind, where, length, text in mutations:
        place = int(where * len(reply))
        part = reply[place : place + length]
        rest = reply[place + length :]
        reply = {
            "delete": reply[:place] + rest,
            "insert": reply[:place] + text + part + rest,
            "repeat": reply[:place] + part + part + rest,
            "cut": reply[:place],
        }[kind]
    return reply


def test_reply_without_mutations_is_read() -> None:
    [found] = PromptedConflictDetector(Replaying(GOOD)).find_many([HOMES])
    assert {item.old.object for item in found} == {"Paris", "30"}


@pytest.mark.parametrize("text", ["e:a e:b " + "[ e:b " * 3000, "e:a e:b " + "( " * 3000, "junk\n" * 9000])
def test_deep_and_long_garbage_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableReply):
        triples_of_reply(f"```turtle\n{text}\n```", prefixes=PREFIXES)


@settings(max_examples=examples(400))
@given(MUTATIONS)
def test_mutated_reply_retires_triples_of_the_graph_or_is_asked_for_again(
    mutations: list[tuple[str, float, int, str]],
) -> None:
    reply = mutated(GOOD, mutations)
    try:
        [found] = PromptedConflictDetector(Replaying(reply, reply)).find_many([HOMES])
    except UnparsableReply:
        return
    assert {item.old.object for item in found} <= {"Paris", "30"}
    assert all(item.old in HOMES.candidates and item.new in HOMES.fragment.facts for item in found)


@settings(max_examples=examples(300))
@given(st.text() | st.text(alphabet='<>`@.;:#[]()"\n te:ds'))
def test_garbage_is_unreadable_or_no_triples_of_the_graph(reply: str) -> None:
    try:
        triples = triples_of_reply(reply, prefixes=PREFIXES)
    except UnreadableReply:
        return
    assert all(len(triple) == 3 for triple in triples)


@settings(max_examples=examples(100))
@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=5, unique=True))
def test_whatever_the_names_are_a_quoted_origin_comes_back_whole(names: list[str]) -> None:
    graph = Graph()
    for name in names:
        graph.say(fact("Ana", "likes", name), fact("Ana", "hasQuality", name, is_literal=True), at=1)
    case = ConflictCase(GraphFragment((fact("Ana", "age", "3"),)), tuple(graph.active()), day(2), speaker="Ana")
    sides = serialised(case, case.candidates, case.fragment.facts)
    read = {stated_of(*triple) for triple in triples_of_reply(f"~~~~\n{sides.origin}\n~~~~", prefixes=PREFIXES)}
    assert set(sides.triples) <= read
    assert {triple for triples in sides.triples.values() for triple in triples} == set(case.candidates)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (" " * 29_000 + "```" + " " * 29_000, "no closing fence"),
        ("```turtle\n" + "".join(f"@prefix a{n}: <x:> .\n" for n in range(2500)) + "???\n```", "more than 40 prefixes"),
    ],
)
def test_replies_that_are_slow_to_read_are_refused_at_once(reply, said):
    began = time.process_time()
    with pytest.raises(UnreadableReply, match=said):
        triples_of_reply(reply, prefixes=PREFIXES)
    assert time.process_time() - began < 10
