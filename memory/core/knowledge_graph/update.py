r"""The update of the graph: G_t = (G_{t-1} \ p_c(G_{t-1}, G'_t)) united with G'_t (D-SMART, Equation 2), as a pure function.

What conflicts, p_c, is the verdict of conflict detectors (`conflict/`): the rules, and a language model after them.

Departures from the paper:
- What conflicts is superseded, with its successor, instead of being pruned without trace.
- Only the triples that the fragment could meet are looked at (`slots_of`), so that the cost does not grow with the graph.
- A fact that is older than the triple it clashes with (a dialogue replayed out of order) is recorded as having ended when
  the newer one began, and one that a better word stands against (`conflict/precedence`) is overruled: reported, not added.
- Questions, hypotheses and reported speech enter neither side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from memory.core.knowledge_graph.conflict.comparison import (
    UNDECLARED,
    asserted,
    believed,
    holds,
    is_denial_of_all,
    is_one,
    keys_of,
    same_statement,
    shares_slot,
)
from memory.core.knowledge_graph.conflict.lifetimes import temporal_partners
from memory.core.knowledge_graph.conflict.precedence import advantage
from memory.core.knowledge_graph.conflict.rule_based import exclusion_between, find_overruled, met_by
from memory.core.knowledge_graph.ontology import Ontology, are_compatible
from memory.core.types import (
    ConflictCase,
    Fact,
    GraphFragment,
    GraphUpdate,
    Node,
    Polarity,
    Supersession,
    Tense,
    Triple,
)

# What a denial of everything is shown as; its triple has no object.
ANY = Node("anything", is_literal=True, is_any=True)

# A denial that is less certain than this is kept only if it ended something.
TENTATIVE_BELOW = 0.5


def slots_of(fragment: GraphFragment, *, ontology: Ontology = UNDECLARED) -> set[tuple[str, str]]:
    """Return the (key of a subject, predicate) pairs whose active triples the rules may supersede by a fragment.

    The keys are of the subjects' labels and aliases, for symmetric predicates of the objects' too.
    """
    slots: set[tuple[str, str]] = set()
    for fact in asserted(fragment):
        predicate = ontology.predicate_named(fact.predicate)
        names = {predicate.name, predicate.disjoint_with, predicate.inverse} - {""}
        keys = keys_of(fact.subject) | (keys_of(fact.object) if predicate.is_symmetric else frozenset())
        slots |= {(key, name) for key in keys for name in names}
        slots |= {(key, name) for key in keys_of(fact.subject) for name in temporal_partners(fact)}
    return slots


def update(case: ConflictCase, *, conflicts: Iterable[Supersession], ontology: Ontology = UNDECLARED) -> GraphUpdate:
    """Return what the case's fragment does to the graph, given what it conflicts with (Equation 2).

    `conflicts` are the verdicts of any detectors on this case, the surer ones first: of several on one triple the first
    counts. The case's candidates are at least the active triples of `slots_of(fragment)`. Updating again with the same
    fragment changes nothing. Raises `ValueError` for a verdict on a fact that is not in the fragment.
    """
    overruled = find_overruled(case, ontology=ontology)
    acting = [fact for fact in asserted(case.fragment) if not any(clash.new == fact for clash in overruled)]
    superseded = _first_verdicts(case, conflicts, acting)
    replaced = {clash.old.id for clash in superseded}
    kept = [triple for triple in believed(case.candidates) if triple.id not in replaced]
    added: list[Fact] = []
    confirmed: list[tuple[Fact, Triple]] = []
    for original in acting:
        met = list(met_by(original, kept, ontology))
        fact = _bounded(original, met, case, ontology)
        known = next((triple for triple in met if _is_known(fact, triple, case, ontology)), None)
        if known is not None and not any(clash.new == original for clash in superseded):
            confirmed.append((original, known))
        elif not any(_is_same(fact, earlier) for earlier in added):
            added = [_ended_by(earlier, fact, case.said_at, ontology) for earlier in added] + [fact]
    told = [*added, *(fact for fact, _ in confirmed)]
    return GraphUpdate(
        added=tuple(fact for fact in added if not _is_replaced_denial(fact, told) and not _is_idle(fact, superseded)),
        superseded=tuple(replace(clash, new=_successor(clash.new, told)) for clash in superseded),
        confirmed=tuple(confirmed),
        overruled=tuple(overruled),
    )


def _first_verdicts(
    case: ConflictCase, conflicts: Iterable[Supersession], acting: Collection[Fact]
) -> list[Supersession]:
    """Return the first verdict on each believed candidate, among those whose fact was not overruled."""
    current = {triple.id for triple in believed(case.candidates)}
    first: dict[int, Supersession] = {}
    for clash in conflicts:
        if clash.new not in case.fragment.facts:
            raise ValueError(
                f"The verdict on triple {clash.old.id} names a fact that the fragment has not: {clash.new}."
            )
        if clash.old.id in current and clash.new in acting:
            first.setdefault(clash.old.id, clash)
    return list(first.values())


def _bounded(fact: Fact, met: Sequence[Triple], case: ConflictCase, ontology: Ontology) -> Fact:
    """Return the fact with the end time that a newer triple implies which it clashes with. Nobody dated a bare past."""
    if fact.tense is not Tense.PRESENT:
        return fact
    newer = [
        triple
        for triple in met
        if triple.source.said_at > case.said_at
        and advantage(fact, triple, case, ontology) <= 0
        and _outdates(triple, fact, ontology)
    ]
    return _ending(fact, min(triple.valid_from or triple.source.said_at for triple in newer)) if newer else fact


def _ending(fact: Fact, end: datetime) -> Fact:
    """Return the fact with an end time, which is never before its start."""
    return replace(fact, valid_to=end, valid_from=min(fact.valid_from, end) if fact.valid_from else None)


def _outdates(newer: Triple, fact: Fact, ontology: Ontology) -> bool:
    if not holds(newer, newer.source.said_at):
        is_end = newer.polarity is Polarity.POSITIVE and newer.tense is Tense.PAST
        return is_end and same_statement(fact, newer, ontology)
    ends_all = newer.polarity is Polarity.NEGATIVE and newer.is_any and fact.polarity is Polarity.POSITIVE
    return (ends_all and shares_slot(fact, newer, ontology)) or exclusion_between(fact, newer, ontology) is not None


def _ended_by(earlier: Fact, later: Fact, said_at: datetime, ontology: Ontology) -> Fact:
    """Return an earlier fact of a fragment, ended if a later fact of it gives its slot another value."""
    if not ontology.predicate_named(later.predicate).is_functional or earlier.predicate != later.predicate:
        return earlier
    if earlier.polarity is Polarity.NEGATIVE or later.polarity is Polarity.NEGATIVE:
        return earlier
    if Tense.PRESENT is not later.tense or earlier.tense is not Tense.PRESENT or earlier.valid_to is not None:
        return earlier
    if not is_one(earlier.subject, later.subject) or is_one(earlier.object, later.object):
        return earlier
    if are_compatible(later.predicate, earlier.object.label, later.object.label):
        return earlier
    return _ending(earlier, later.valid_from or said_at)


def _is_known(fact: Fact, triple: Triple, case: ConflictCase, ontology: Ontology) -> bool:
    """Return whether the triple states the same already, with at least the same authority."""
    if fact.polarity is not triple.polarity or fact.tense is not triple.tense:
        return False
    if not same_statement(fact, triple, ontology):
        return False
    tells_when = fact.valid_from is not None and triple.valid_from is None
    has_ended_differently = (fact.valid_to is None) != (triple.valid_to is None)
    is_surer = advantage(fact, triple, case, ontology) > 0
    return not tells_when and not has_ended_differently and not is_surer


def _is_same(fact: Fact, other: Fact) -> bool:
    return (
        fact.predicate == other.predicate
        and fact.polarity is other.polarity
        and fact.tense is other.tense
        and is_one(fact.subject, other.subject)
        and is_one(fact.object, other.object)
    )


def _is_replaced_denial(fact: Fact, told: Sequence[Fact]) -> bool:
    """Return whether a value follows a denial of all: "I quit, and now I work for Y" ends the old employer, not Y."""
    return is_denial_of_all(fact) and any(_fills_slot(other, fact) for other in told)


def _is_idle(fact: Fact, superseded: Sequence[Supersession]) -> bool:
    """Return whether a tentative denial superseded nothing: "I left Paris" need not deny an employer of that name."""
    is_tentative = fact.polarity is Polarity.NEGATIVE and fact.confidence < TENTATIVE_BELOW
    return is_tentative and not any(_is_same(clash.new, fact) for clash in superseded)


def _successor(fact: Fact, told: Sequence[Fact]) -> Fact:
    if is_denial_of_all(fact):
        return next((other for other in told if _fills_slot(other, fact)), fact)
    return next((other for other in told if _is_same(other, fact)), fact)


def _fills_slot(fact: Fact, denial: Fact) -> bool:
    is_value = fact.polarity is Polarity.POSITIVE and fact.tense is not Tense.PAST
    return is_value and fact.predicate == denial.predicate and is_one(fact.subject, denial.subject)
