"""What an end under one of several predicates becomes once the memory has been asked."""

from __future__ import annotations

from memory.core.knowledge_graph.replacement import one_of, replaced_values, resolved
from memory.core.types import Fact, GraphFragment, Node, Polarity, Span, Triple
from tests.unit.memory.core.knowledge_graph.conftest import asserted
from tests.unit.memory.core.knowledge_graph.graphs import Graph, fact

SAM = Node("Sam", "Person", is_speaker=True)


def remembered(*facts: Fact) -> list[Triple]:
    """Return the triples of facts that were said one a day."""
    graph = Graph()
    for number, told in enumerate(facts, start=1):
        graph.say(told, at=number)
    return graph.triples


def ended(value: str, *predicates: str) -> GraphFragment:
    return GraphFragment(
        (Fact(SAM, one_of(*predicates), Node(value), Span(0, 1), polarity=Polarity.NEGATIVE),),
    )


def test_end_is_of_what_the_value_was() -> None:
    known = remembered(fact("Sam", "drives", "Panda"), fact("Sam", "likes", "Panda"), fact("Tom", "owns", "Panda"))
    made = resolved(ended("Panda", "owns", "drives"), known)
    assert asserted(made.facts) == {"not Sam drives Panda"}
    assert replaced_values(ended("Panda", "owns", "drives")) == {"panda"}


def test_end_of_nothing_known_says_nothing() -> None:
    assert resolved(ended("Panda", "owns", "drives"), remembered(fact("Tom", "owns", "Panda"))).facts == ()


def test_last_words_of_a_name_mean_it_unless_they_mean_two() -> None:
    boat, other = fact("Sam", "owns", "sailing boat"), fact("Sam", "owns", "rowing boat")
    assert asserted(resolved(ended("boat", "owns", "drives"), remembered(boat)).facts) == {"not Sam owns sailing boat"}
    assert resolved(ended("boat", "owns", "drives"), remembered(boat, other)).facts == ()


def test_what_was_denied_does_not_end_again() -> None:
    known = remembered(fact("Sam", "owns", "Panda", polarity=Polarity.NEGATIVE))
    assert resolved(ended("Panda", "owns", "drives"), known).facts == ()
