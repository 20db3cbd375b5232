"""Whose word counts more: a person's about themself, then another person's, then the assistant's.

Departures from the paper:
- The paper lets every new statement replace an old one, whoever made it: an assistant that misremembers would overwrite
  what the user said, and so would a second speaker. Here a weaker word never replaces a stronger one, whichever came
  first; between equal words the one that was said last counts.
"""

from __future__ import annotations

from enum import IntEnum

from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.types import ConflictCase, Fact, Role, Triple


class Authority(IntEnum):
    """How far the word of the one who says something counts, weakest first."""

    ASSISTANT = 1
    PERSON = 2
    SELF = 3


def authority_of_fact(fact: Fact, case: ConflictCase, ontology: Ontology) -> Authority:
    """Return how much the word counts that a fact of the case rests on."""
    if case.role is Role.ASSISTANT:
        return Authority.ASSISTANT
    is_own = _is_name_of(case.speaker, fact.subject.label, is_speaker=fact.subject.is_speaker)
    if ontology.predicate_named(fact.predicate).is_symmetric:
        is_own = is_own or _is_name_of(case.speaker, fact.object.label, is_speaker=fact.object.is_speaker)
    return Authority.SELF if is_own else Authority.PERSON


def authority_of_triple(triple: Triple, ontology: Ontology) -> Authority:
    """Return how much the word counts that a triple rests on."""
    if triple.source.role is Role.ASSISTANT:
        return Authority.ASSISTANT
    is_own = _is_name_of(triple.source.speaker, triple.subject.label, is_speaker=triple.subject.is_speaker)
    if ontology.predicate_named(triple.predicate).is_symmetric:
        is_own = is_own or _is_name_of(triple.source.speaker, triple.object, is_speaker=False)
    return Authority.SELF if is_own else Authority.PERSON


def advantage(fact: Fact, triple: Triple, case: ConflictCase, ontology: Ontology) -> int:
    """Return how much better a word stands behind the new fact than behind the triple: negative where it is a worse one.

    Who said the triple may take it back, whatever the fact is about: "I am married to Tom" and then "Tom is married to Eva".
    """
    if case.role is triple.source.role and key_of(case.speaker) == key_of(triple.source.speaker):
        return 0
    return authority_of_fact(fact, case, ontology) - authority_of_triple(triple, ontology)


def prevails(fact: Fact, triple: Triple, case: ConflictCase, ontology: Ontology) -> bool:
    """Return whether the fact counts more than the triple: by who says it, and between equals by when it was said."""
    better_by = advantage(fact, triple, case, ontology)
    return better_by > 0 or (better_by == 0 and triple.source.said_at <= case.said_at)


def _is_name_of(speaker: str, label: str, *, is_speaker: bool) -> bool:
    """Return whether an entity is the one who speaks. A speaker's entity may bear more of the name than the turn does."""
    spoken, named = key_of(speaker), key_of(label)
    if not spoken:
        return False
    return spoken == named or (is_speaker and set(spoken.split()) <= set(named.split()))
