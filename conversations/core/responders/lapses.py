"""What is known to have been and not to be any more, where a question asks what is so now."""

from collections.abc import Sequence
from datetime import datetime

from conversations.core.responders.phrasing import distinct, is_nameless
from conversations.core.responders.recall import Recollection
from conversations.core.types import Query
from memory.core.english.inflection import third_person
from memory.core.knowledge_graph.matching import holds
from memory.core.knowledge_graph.ontology import PREDICATES, predicate_named
from memory.core.knowledge_graph.question import Wanted
from memory.core.knowledge_graph.verbalisation import possessive, thing_text
from memory.core.types import AskedTime, Polarity, Triple

_LISTED = 3
_VALUES = frozenset({Wanted.VALUE, Wanted.PLACE, Wanted.PERSON})


def lapsed(found: Recollection, query: Query) -> list[Triple]:
    """Return the states that would have answered once, newest first."""
    question = found.question
    if question.wanted not in _VALUES or question.when is not AskedTime.NOW or question.time:
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


def not_known_now(first: Triple, *, asker: str) -> str:
    """Return "I don't know where you work now"."""
    subject = thing_text(first.subject.label, asker=asker)
    asked = predicate_named(first.predicate)
    if asked.preposition and asked.verb not in {"be", "have"}:
        return f"I don't know where {subject} {asked.verb if subject == 'you' else third_person(asked.verb)} now"
    if asked.noun and asked.verb == "have":
        return f"I don't know who {possessive(first.subject.label, asker=asker)} {asked.noun} is now"
    return "I don't know how it is now"
