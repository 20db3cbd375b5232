"""Acknowledges statements: the facts that were stored of a message, and what they replaced."""

from collections.abc import Sequence

from conversations.core.responders.phrasing import is_nameless
from conversations.core.types import Query
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.knowledge_graph.verbalisation import assertion_of_triple, clause, grouped, joined, thing_text
from memory.core.naming import key_of
from memory.core.ports import MessageListener
from memory.core.types import Learnt, LearntTriple, Polarity, Triple

_LIMIT = 5
NO_FACT = "I keep your words, though I read no new fact in them."
LATER = "I keep your words. What they say is noted a little later."
NOT_REMEMBERED = "This chat is not remembered."


def acknowledgement(query: Query, *, listener: MessageListener) -> str:
    """Store what a message teaches, and return a sentence that says what was stored and what it replaced."""
    if not query.is_remembered or query.round_id is None:
        return NOT_REMEMBERED
    learnt = listener.hear(query.round_id)
    return LATER if learnt is None else noted(learnt, query)


def noted(learnt: Learnt, query: Query) -> str:
    """Return the acknowledgement of what was stored: "Noted: you live in Rome now, no longer in Lyon."."""
    told = {one.triple.id: one for one in _plain(learnt.triples)[:_LIMIT]}
    if not told:
        return NO_FACT
    assertions = {assertion_of_triple(one.triple, at=query.asked_at): one for one in told.values()}
    said = [
        _with_replaced(clause(group, asker=query.speaker), [assertions[item] for item in group], query.speaker)
        for group in grouped(list(assertions))
    ]
    return f"Noted: {joined(list(dict.fromkeys(said)))}."


def _plain(told: Sequence[LearntTriple]) -> list[LearntTriple]:
    """Leave out trivial facts: that Rita is called Rita, that the cat Otis is a cat."""
    nouns = {(key_of(item.triple.object), predicate_named(item.triple.predicate).noun) for item in told}
    return [item for item in told if not _is_trivial(item.triple, nouns)]


def _is_trivial(triple: Triple, nouns: set[tuple[str, str]]) -> bool:
    subject = key_of(triple.subject.label)
    if triple.predicate == "hasName":
        return subject == key_of(triple.object)
    return triple.predicate == "isA" and (subject, triple.object.lower()) in nouns


def _with_replaced(text: str, told: Sequence[LearntTriple], speaker: str) -> str:
    """Return a clause with what no longer holds since."""
    first = told[0].triple
    ended = [triple for item in told for triple in item.replaced]
    old = [triple for triple in ended if not is_nameless(triple)]
    if ended and first.polarity is Polarity.NEGATIVE:
        return f"{text} any more"
    if old and any(triple.predicate == first.predicate for triple in old):
        preposition = predicate_named(first.predicate).preposition
        values = dict.fromkeys(thing_text(triple.object, asker=speaker) for triple in old)
        return f"{text} now, no longer {f'{preposition} ' if preposition else ''}{joined(list(values))}"
    return f"{text} now" if ended else text
