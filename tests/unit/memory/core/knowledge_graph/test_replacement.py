"""What a replacement without a predicate becomes once the memory has been asked."""

from __future__ import annotations

from memory.core.knowledge_graph.replacement import ANY_PREDICATE, ANYBODY, one_of, resolved
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


def replacement(old: str, new: str = "", *, subject: Node = SAM, predicate: str = ANY_PREDICATE) -> GraphFragment:
    denial = Fact(subject, predicate, Node(old), Span(0, 1), polarity=Polarity.NEGATIVE)
    value = Fact(subject, predicate, Node(new), Span(0, 1))
    return GraphFragment((denial, value) if new else (denial,))


def test_change_is_of_what_the_old_value_was() -> None:
    known = remembered(fact("Sam", "worksFor", "Google"), fact("Sam", "livesIn", "Rome"))
    made = resolved(replacement("Google", "Meta"), known)
    assert asserted(made.facts) == {"not Sam worksFor Google", "Sam worksFor Meta"}


def test_change_of_nothing_known_says_nothing() -> None:
    assert resolved(replacement("Google", "Meta"), remembered(fact("Tom", "worksFor", "Google"))).facts == ()


def test_correction_is_of_the_latest_that_was_said_of_anybody() -> None:
    known = remembered(fact("Sam", "livesIn", "Paris"), fact("Sam's sister", "livesIn", "Paris"))
    made = resolved(replacement("Paris", "Lyon", subject=ANYBODY), known)
    assert asserted(made.facts) == {"not Sam's sister livesIn Paris", "Sam's sister livesIn Lyon"}


def test_one_of_several_predicates_leaves_the_others_alone() -> None:
    known = remembered(fact("Sam", "spouse", "Rita"), fact("Sam", "hasColleague", "Rita"))
    made = resolved(replacement("Rita", predicate=one_of("spouse", "hasPartner")), known)
    assert asserted(made.facts) == {"not Sam spouse Rita"}


def test_last_words_of_a_name_mean_it_unless_they_mean_two() -> None:
    boat, other = fact("Sam", "owns", "sailing boat"), fact("Sam", "owns", "rowing boat")
    assert asserted(resolved(replacement("boat"), remembered(boat)).facts) == {"not Sam owns sailing boat"}
    assert resolved(replacement("boat"), remembered(boat, other)).facts == ()


def test_what_was_denied_is_replaced_by_nothing() -> None:
    known = remembered(fact("Sam", "worksFor", "Google", polarity=Polarity.NEGATIVE), fact("Tom", "worksFor", "Google"))
    assert resolved(replacement("Google", "Meta"), known).facts == ()
