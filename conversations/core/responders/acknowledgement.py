"""Acknowledges statements: the facts that will be remembered, and what they replace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conversations.core.responders.phrasing import is_nameless
from conversations.core.types import Query
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import are_compatible, predicate_named
from memory.core.knowledge_graph.replacement import is_open
from memory.core.knowledge_graph.verbalisation import Assertion, assertion_of_fact, clause, joined, thing_text
from memory.core.ports import KnowledgeExtractor, MemoryReader
from memory.core.types import Fact, Modality, Polarity, Role, Tense, Triple, Utterance

_LIMIT = 5
NO_FACT = "Noted: I keep your words, though I read no plain fact in them."
NOT_REMEMBERED = "This chat is not remembered"


@dataclass(frozen=True)
class Acknowledgement:
    text: str
    facts: tuple[Fact, ...] = ()
    replaced: tuple[Triple, ...] = ()


@dataclass(frozen=True)
class _Told:
    """A fact and the sentence that it was extracted from."""

    fact: Fact
    words: str

    @property
    def assertion(self) -> Assertion:
        return assertion_of_fact(self.fact, words=self.words)


def acknowledge(
    statements: Sequence[str], query: Query, *, memory: MemoryReader, extractor: KnowledgeExtractor
) -> Acknowledgement:
    """Return one sentence about what was understood, compared with what is believed now."""
    utterances = [Utterance(query.speaker, Role.USER, text, query.asked_at) for text in statements]
    fragments = extractor.extract_many(utterances, context=query.history[-6:])
    told = [
        _Told(fact, utterance.text)
        for utterance, fragment in zip(utterances, fragments, strict=True)
        for fact in fragment.facts
        if fact.modality is Modality.ASSERTED and not is_open(fact)
    ]
    told = _plain(told)[:_LIMIT]
    if not told:
        return Acknowledgement(NO_FACT if query.is_remembered else f"{NOT_REMEMBERED}.")
    facts = [item.fact for item in told]
    # A chat that teaches nothing replaces nothing.
    believed = _believed(facts, memory) if query.is_remembered else []
    replaced = [triple for fact in facts for triple in believed if _replaces(fact, triple)]
    clauses = list(dict.fromkeys(_clauses(told, believed, query.speaker)))
    lead = "Noted" if query.is_remembered else f"{NOT_REMEMBERED}, but I understood"
    return Acknowledgement(f"{lead}: {joined(clauses)}.", tuple(facts), tuple(replaced))


def _believed(facts: Sequence[Fact], memory: MemoryReader) -> list[Triple]:
    labels = list(dict.fromkeys(fact.subject.label for fact in facts))
    entities = [entity for found in memory.entities_named(labels).values() for entity in found]
    if not entities:
        return []
    predicates = list(
        dict.fromkeys(name for fact in facts for name in (fact.predicate, _opposite(fact.predicate)) if name)
    )
    return memory.triples_about([entity.id for entity in entities], predicates=predicates)


def _opposite(name: str) -> str:
    return predicate_named(name).disjoint_with


def _replaces(fact: Fact, triple: Triple) -> bool:
    """Return whether a fact will supersede a triple, as far as a reply can foretell; maintenance decides."""
    if key_of(fact.subject.label) != key_of(triple.subject.label) or triple.polarity is not Polarity.POSITIVE:
        return False
    same_value = key_of(fact.object.label) == key_of(triple.object)
    if fact.predicate != triple.predicate:
        return fact.polarity is Polarity.POSITIVE and _opposite(fact.predicate) == triple.predicate and same_value
    if fact.polarity is Polarity.NEGATIVE:
        return same_value or fact.object.is_any
    if fact.tense is Tense.PAST and predicate_named(fact.predicate).is_state:
        return False
    functional = predicate_named(fact.predicate).is_functional
    return functional and not same_value and not are_compatible(fact.predicate, fact.object.label, triple.object)


def _plain(told: Sequence[_Told]) -> list[_Told]:
    """Leave out trivial facts: that Rita is called Rita, that the cat Otis is a cat."""
    nouns = {(key_of(item.fact.object.label), predicate_named(item.fact.predicate).noun) for item in told}
    return [
        item
        for item in told
        if not (item.fact.predicate == "hasName" and key_of(item.fact.subject.label) == key_of(item.fact.object.label))
        and not (
            item.fact.predicate == "isA" and (key_of(item.fact.subject.label), item.fact.object.label.lower()) in nouns
        )
    ]


def _clauses(told: Sequence[_Told], believed: Sequence[Triple], speaker: str) -> list[str]:
    said = []
    for group in _gathered(told):
        text = clause([item.assertion for item in group], asker=speaker)
        first = group[0].fact
        ended = [triple for item in group for triple in believed if _replaces(item.fact, triple)]
        old = [triple for triple in ended if not is_nameless(triple)]
        if ended and first.polarity is Polarity.NEGATIVE:
            text = f"{text} any more"
        elif old and any(triple.predicate == first.predicate for triple in old):
            preposition = predicate_named(first.predicate).preposition
            values = dict.fromkeys(thing_text(triple.object, asker=speaker) for triple in old)
            text = f"{text} now, no longer {f'{preposition} ' if preposition else ''}{joined(list(values))}"
        elif ended:
            text = f"{text} now"
        said.append(text)
    return said


def _gathered(told: Sequence[_Told]) -> list[list[_Told]]:
    groups: dict[Assertion, list[_Told]] = {}
    for item in told:
        made = item.assertion
        slot = Assertion(made.subject, made.predicate, "", made.polarity, made.tense, made.is_any)
        groups.setdefault(slot, []).append(item)
    return list(groups.values())
