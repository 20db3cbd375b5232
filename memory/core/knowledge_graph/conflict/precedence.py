"""Whose word counts more: people about themselves, then other people, then the assistant.

Departures from the paper:

- The paper lets every new statement replace an old one, whoever made it: an assistant that misremembers would overwrite what
  the user said, and so would a second speaker. Here a statement of less authority never replaces one of more, whichever came
  first; with equal authority the later one counts.
"""

from __future__ import annotations

from enum import IntEnum

from memory.core.knowledge_graph.ontology import Ontology
from memory.core.naming import key_of
from memory.core.types import ConflictCase, Fact, Role, Triple


class Authority(IntEnum):
    """How much a speaker's word about something counts, weakest first."""

    ASSISTANT = 1
    PERSON = 2
    SELF = 3


def authority_of_fact(fact: Fact, case: ConflictCase, ontology: Ontology) -> Authority:
    """Return the authority of the speaker of the case over a fact."""
    if case.role is Role.ASSISTANT:
        return Authority.ASSISTANT
    is_own = _is_name_of(case.speaker, fact.subject.label, is_speaker=fact.subject.is_speaker)
    if ontology.predicate_named(fact.predicate).is_symmetric:
        is_own = is_own or _is_name_of(case.speaker, fact.object.label, is_speaker=fact.object.is_speaker)
    return Authority.SELF if is_own else Authority.PERSON


def authority_of_triple(triple: Triple, ontology: Ontology) -> Authority:
    """Return the authority of a triple's speaker over it."""
    if triple.source.role is Role.ASSISTANT:
        return Authority.ASSISTANT
    is_own = _is_name_of(triple.source.speaker, triple.subject.label, is_speaker=triple.subject.is_speaker)
    if ontology.predicate_named(triple.predicate).is_symmetric:
        is_own = is_own or _is_name_of(triple.source.speaker, triple.object, is_speaker=False)
    return Authority.SELF if is_own else Authority.PERSON


def advantage(fact: Fact, triple: Triple, case: ConflictCase, ontology: Ontology) -> int:
    """Return by how much the new fact's authority exceeds the triple's; negative where it is less.

    Whoever said the triple may take it back, whatever it is about: "I am married to Tom" and then "Tom is married to Eva".
    """
    if case.role is triple.source.role and key_of(case.speaker) == key_of(triple.source.speaker):
        return 0
    return authority_of_fact(fact, case, ontology) - authority_of_triple(triple, ontology)


def prevails(fact: Fact, triple: Triple, case: ConflictCase, ontology: Ontology) -> bool:
    """Return whether the fact counts more than the triple: by authority, and with equal authority by when it was said."""
    better_by = advantage(fact, triple, case, ontology)
    return better_by > 0 or (better_by == 0 and triple.source.said_at <= case.said_at)


def _is_name_of(speaker: str, label: str, *, is_speaker: bool) -> bool:
    """Return whether an entity is the speaker. A speaker's entity may have a longer name than the turn gives."""
    spoken, named = key_of(speaker), key_of(label)
    if not spoken:
        return False
    return spoken == named or (is_speaker and set(spoken.split()) <= set(named.split()))
