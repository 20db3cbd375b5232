"""What a reply says about statements: the facts that will be remembered, and what they replace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conversations.core.types import Query
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import are_compatible, predicate_named
from memory.core.knowledge_graph.verbalisation import Assertion, assertion_of_fact, clause, joined
from memory.core.ports import KnowledgeExtractor, MemoryReader
from memory.core.types import Fact, Modality, Polarity, Role, Tense, Triple, Utterance

_LIMIT = 5


@dataclass(frozen=True)
class Acknowledgement:
    text: str
    facts: tuple[Fact, ...] = ()
    replaced: tuple[Triple, ...] = ()


def acknowledge(
    statements: Sequence[str], query: Query, *, memory: MemoryReader, extractor: KnowledgeExtractor
) -> Acknowledgement:
    """Return one sentence that says what was understood, compared with what is believed now."""
    utterances = [Utterance(query.speaker, Role.USER, text, query.asked_at) for text in statements]
    fragments = extractor.extract_many(utterances, context=query.history[-6:])
    facts = [fact for fragment in fragments for fact in fragment.facts if fact.modality is Modality.ASSERTED]
    if not facts:
        return Acknowledgement("Noted: I keep your words, though I read no plain fact in them.")
    facts = facts[:_LIMIT]
    believed = _believed(facts, memory)
    replaced = [triple for fact in facts for triple in believed if _replaces(fact, triple)]
    clauses = list(dict.fromkeys(_clauses(facts, believed, query.speaker)))
    return Acknowledgement(f"Noted: {joined(clauses)}.", tuple(facts), tuple(replaced))


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
    """Return whether believing a fact ends a triple, as far as a reply may foretell it; maintenance decides."""
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


def _clauses(facts: Sequence[Fact], believed: Sequence[Triple], speaker: str) -> list[str]:
    said = []
    for group in _gathered(facts):
        text = clause([assertion_of_fact(fact) for fact in group], asker=speaker)
        old = [triple.object for fact in group for triple in believed if _replaces(fact, triple)]
        is_positive = group[0].polarity is Polarity.POSITIVE
        if old and is_positive:
            preposition = predicate_named(group[0].predicate).preposition
            text = f"{text} now, no longer {f'{preposition} ' if preposition else ''}{joined(list(dict.fromkeys(old)))}"
        said.append(text)
    return said


def _gathered(facts: Sequence[Fact]) -> list[list[Fact]]:
    groups: dict[Assertion, list[Fact]] = {}
    for fact in facts:
        made = assertion_of_fact(fact)
        slot = Assertion(made.subject, made.predicate, "", made.polarity, made.tense, made.is_any)
        groups.setdefault(slot, []).append(fact)
    return list(groups.values())
