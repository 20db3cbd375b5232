"""The consistency check of every update (D-SMART: the memory is to stay a consistent OWL graph).

Departures from the paper:
- The paper leaves consistency to its conflict prompt. Here the rules of conflict run first and settle what the dialogue
  changed; what they leave and the axioms forbid is found by this check, which names the axiom and the triples.
- No reasoner is started: the few OWL 2 RL axioms that the ontology has are checked in this process. A full reasoner looks
  at the whole graph on demand and once a day, and agrees with this check (tests/comparison).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from memory.core.knowledge_graph.consistency.assertions import (
    assertions_of_facts,
    assertions_of_triples,
    current_triples,
    is_current,
)
from memory.core.knowledge_graph.consistency.consequences import (
    consequences_of,
    is_chained,
    predicates_leading_to,
)
from memory.core.knowledge_graph.consistency.index import ConsistencyIndex
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.types import Entity, Fact, Node, Polarity, Triple, Violation


def find_violations(triples: Iterable[Triple], *, ontology: Ontology, now: datetime) -> list[Violation]:
    """Return every violation in the current graph among the triples, from scratch."""
    index = ConsistencyIndex(ontology)
    with garbage_kept():
        index.add(assertions_of_triples(current_triples(triples, now=now), ontology=ontology))
        return index.violations()


@contextmanager
def garbage_kept() -> Iterator[None]:
    """Pause the garbage collector while an index is filled: it would find nothing and take half of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def would_break(
    neighbourhood: Iterable[Triple],
    added: Sequence[Fact],
    *,
    entity_of: Callable[[Node], Entity],
    ontology: Ontology,
    now: datetime,
) -> list[Violation]:
    """Return the violations that adding the facts would cause: those in which a new fact takes part.

    `neighbourhood` are the triples that `neighbourhood_of` selects, without those that the update supersedes; `entity_of`
    returns the entity of a node.
    """
    facts = [fact for fact in added if is_current(fact, now)]
    if not facts:
        return []
    index = ConsistencyIndex(ontology)
    index.add(assertions_of_triples(current_triples(neighbourhood, now=now), ontology=ontology))
    index.add(assertions_of_facts(facts, entity_of=entity_of, ontology=ontology))
    return [
        violation for violation in index.violations() if any(isinstance(triple, Fact) for triple in violation.triples)
    ]


@dataclass(frozen=True)
class Neighbourhood:
    """The conditions on current triples that facts can clash with, E being the entities of the facts:

    - `slots`: the subject is in E, whatever the object;
    - `pairs`: the subject is in E, and the object is in E, or equals a literal of the facts, or is "anything";
    - `reverse`: the object is in E.

    The class of a thing is taken from its stated kind. Clashes between predicates over a thing without a kind are left to the
    full check, because the neighbourhood would otherwise grow with everything known about the thing.
    """

    slots: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    reverse: frozenset[str] = frozenset()


def neighbourhood_of(facts: Sequence[Fact], *, ontology: Ontology) -> Neighbourhood:
    """Return the conditions on the triples that `would_break` needs besides the facts."""
    slots: set[str] = set()
    pairs: set[str] = set()
    reverse: set[str] = set()
    for fact in facts:
        predicate = ontology.predicate_named(fact.predicate)
        known = [consequence.predicate for consequence in consequences_of(predicate, ontology)]
        # Whatever leads to one of these predicates meets the fact there.
        related = {name for one in known for name in (one.name, *predicates_leading_to(one.name))}
        pairs |= related | {one.disjoint_with for one in known if one.disjoint_with}
        slots |= {one.name for one in known if one.is_functional or is_chained(one)}
        reverse |= {one.name for one in known if one.is_functional and one.is_symmetric}
        if fact.object.is_any and fact.polarity is Polarity.NEGATIVE:
            slots |= related
            reverse |= {one.name for one in known if one.is_symmetric or one.inverse}
    return Neighbourhood(frozenset(slots), frozenset(pairs), frozenset(reverse))
