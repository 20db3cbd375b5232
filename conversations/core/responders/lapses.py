"""What is known to have been and not to be any more, where a question asks what is so now."""

from collections.abc import Sequence
from datetime import datetime

from conversations.core.responders.phrasing import distinct, is_nameless
from conversations.core.responders.recall import Recollection
from conversations.core.types import Query
from memory.core.english.inflection import third_person
from memory.core.knowledge_graph.matching import asks_beyond, holds
from memory.core.knowledge_graph.ontology import PREDICATES, predicate_named
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.verbalisation import possessive, thing_text
from memory.core.types import Polarity, Triple

_LISTED = 3
_VALUES = frozenset({Wanted.VALUE, Wanted.PLACE, Wanted.PERSON})


def lapsed(found: Recollection, query: Query) -> list[Triple]:
    """Return the states that would have answered once, newest first."""
    question = found.question
    if question.wanted not in _VALUES or question.is_past or question.is_finished or question.is_perfect:
        return []
    if question.time or question.is_negative or asks_beyond(question, found.given):
        return []
    read = [
        triple
        for triple in found.all_triples
        if triple.predicate in question.predicates
        and triple.predicate in PREDICATES
        and predicate_named(triple.predicate).is_state
        and found.given.fits(triple)
        and not triple.is_any
    ]
    positive = [triple for triple in read if triple.polarity is Polarity.POSITIVE and not is_nameless(triple)]
    if any(holds(triple, at=query.asked_at) for triple in positive):
        return []
    over = distinct(sorted(positive, key=lambda triple: (triple.recorded_at, triple.id), reverse=True))
    over = [triple for triple in over if triple.predicate == over[0].predicate]
    return over[:_LISTED]


def ended_at(over: Sequence[Triple]) -> datetime:
    """Return when the last of states that are over ended, as far as is known."""
    return max(triple.superseded_at or triple.valid_to or triple.recorded_at for triple in over)


def not_known_now(question: GraphQuestion, first: Triple, *, asker: str) -> str:
    """Return "I don't know where you work now"."""
    subject = thing_text(first.subject.label, asker=asker)
    if question.wanted is Wanted.PLACE and question.verb not in {"", "be", "do", "have"}:
        verb = question.verb if subject == "you" else third_person(question.verb)
        return f"I don't know where {subject} {verb} now"
    if question.noun and question.verb == "be":
        what = "who" if question.wanted is Wanted.PERSON else "what"
        return f"I don't know {what} {possessive(first.subject.label, asker=asker)} {question.noun} is now"
    return "I don't know how it is now"
