"""The update of the graph: G_t = (G_{t-1} without conflicts) + G'_t (D-SMART, Equation 2), by rules.

Departures from the paper:
- The conflict detector p_c is a set of rules over the ontology rather than a prompt over two serialised graphs, so that it
  looks at the triples that share a slot with the fragment only and each verdict names the rule that fired.
- What conflicts is superseded, with its successor, instead of being pruned without trace.
- Time decides: what was said last holds. A fact that is older than the triple it clashes with (a dialogue replayed out of
  order) is recorded as having ended when the newer one began. The paper assumes turns in order.
- Questions, hypotheses and reported speech enter neither side; a fact of the past ends at most its own present.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import are_compatible, predicate_named
from memory.core.types import (
    ConflictRule,
    Fact,
    GraphFragment,
    GraphUpdate,
    Modality,
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

# "I liked it", "I ate there": the past of these tells of an occasion and does not end the habit.
_OCCASIONAL = frozenset(
    {
        "likes",
        "dislikes",
        "plays",
        "eats",
        "drinks",
        "uses",
        "knows",
        "needs",
        "wants",
        "hasQuality",
        "isA",
        "worksOn",
        "worksWith",
        "learns",
        "teaches",
        "attends",
        "rides",
        "cooks",
        "reads",
        "watches",
    }
)


def slots_of(fragment: GraphFragment) -> set[tuple[str, str]]:
    """Return the (key of a subject, predicate) pairs whose active triples a fragment may supersede.

    The keys are those of the subjects' labels and aliases, and of the objects too where a predicate is symmetric.
    """
    slots: set[tuple[str, str]] = set()
    for fact in _asserted(fragment):
        predicate = predicate_named(fact.predicate)
        names = {predicate.name, predicate.disjoint_with, predicate.inverse} - {""}
        keys = _keys(fact.subject) | (_keys(fact.object) if predicate.is_symmetric else set())
        slots |= {(key, name) for key in keys for name in names}
    return slots


def find_supersessions(
    fragment: GraphFragment, candidates: Sequence[Triple], *, said_at: datetime
) -> list[Supersession]:
    """Return the active candidates that the fragment contradicts or replaces, each once, with the rule that says so."""
    found: dict[int, Supersession] = {}
    current = [triple for triple in candidates if triple.superseded_at is None and triple.source.said_at <= said_at]
    for fact in _asserted(fragment):
        for triple in current:
            rule = _rule_against(fact, triple, said_at)
            if rule is not None and triple.id not in found:
                found[triple.id] = Supersession(triple, fact, rule)
    return list(_with_whole_slots(found, current, said_at).values())


def update(candidates: Sequence[Triple], fragment: GraphFragment, *, said_at: datetime) -> GraphUpdate:
    """Return what the fragment, said at `said_at`, does to the graph (Equation 2).

    `candidates` are the active triples of `slots_of(fragment)`. Applying the update and updating again with the same
    fragment changes nothing.
    """
    superseded = find_supersessions(fragment, candidates, said_at=said_at)
    replaced = {supersession.old.id for supersession in superseded}
    kept = [triple for triple in candidates if triple.superseded_at is None and triple.id not in replaced]
    added: list[Fact] = []
    confirmed: list[tuple[Fact, Triple]] = []
    for original in _asserted(fragment):
        fact = _bounded(original, kept, said_at)
        known = next((triple for triple in kept if _is_known(fact, triple)), None)
        if known is not None and not any(item.new is original for item in superseded):
            confirmed.append((original, known))
        elif not any(_is_same(fact, earlier) for earlier in added):
            added = [_ended_by(earlier, fact, said_at) for earlier in added] + [fact]
    return GraphUpdate(
        added=tuple(fact for fact in added if not _is_replaced_denial(fact, added) and not _is_idle(fact, superseded)),
        superseded=tuple(replace(item, new=_successor(item.new, added)) for item in superseded),
        confirmed=tuple(confirmed),
    )


def _asserted(fragment: GraphFragment) -> list[Fact]:
    return [fact for fact in fragment.facts if fact.modality is Modality.ASSERTED]


def _rule_against(fact: Fact, triple: Triple, said_at: datetime) -> ConflictRule | None:
    """Return the rule by which a fact replaces an older active triple, or None where both may stand."""
    if fact.tense is Tense.FUTURE:
        return None
    if fact.tense is Tense.PAST or _is_over(fact.valid_to, said_at):
        return ConflictRule.ENDED if _ends_its_present(fact, triple, said_at) else None
    if not _holds(triple, said_at):
        is_plan_come_true = triple.tense is Tense.FUTURE and _same_statement(fact, triple)
        return ConflictRule.ENDED if is_plan_come_true else None
    if _is_denial_of_all(fact):
        is_ended = triple.polarity is Polarity.POSITIVE and _shares_slot(fact, triple)
        return ConflictRule.ENDED if is_ended else None
    if _contradicts(fact, triple):
        return ConflictRule.POLARITY
    if _displaces(fact, triple):
        return ConflictRule.FUNCTIONAL_VALUE
    return None


def _contradicts(fact: Fact, triple: Triple) -> bool:
    if triple.predicate == fact.predicate and triple.polarity is not fact.polarity:
        denies_all = triple.polarity is Polarity.NEGATIVE and _is_any(triple)
        return _shares_slot(fact, triple) and (denies_all or _same_ends(fact, triple))
    disjoint = predicate_named(fact.predicate).disjoint_with
    both_positive = fact.polarity is Polarity.POSITIVE and triple.polarity is Polarity.POSITIVE
    return bool(disjoint) and triple.predicate == disjoint and both_positive and _same_ends(fact, triple)


def _displaces(fact: Fact, triple: Triple) -> bool:
    if not predicate_named(fact.predicate).is_functional or triple.predicate != fact.predicate:
        return False
    if Polarity.NEGATIVE in (fact.polarity, triple.polarity) or not _shares_slot(fact, triple):
        return False
    if _same_ends(fact, triple):
        return False
    # "I moved to Germany" leaves Paris behind; "I live in France" only says where Paris is.
    is_move = "move" in fact.phrase or "relocate" in fact.phrase
    return is_move or not are_compatible(fact.predicate, fact.object.label, triple.object)


def _with_whole_slots(
    found: dict[int, Supersession], current: Sequence[Triple], said_at: datetime
) -> dict[int, Supersession]:
    """Return the supersessions with what stood beside a displaced value: who leaves France leaves Paris too."""
    whole = dict(found)
    for supersession in found.values():
        if supersession.rule is not ConflictRule.FUNCTIONAL_VALUE:
            continue
        fact = supersession.new
        for triple in current:
            is_beside = triple.predicate == fact.predicate and triple.polarity is Polarity.POSITIVE
            if is_beside and _holds(triple, said_at) and _shares_slot(fact, triple) and not _same_ends(fact, triple):
                whole.setdefault(triple.id, Supersession(triple, fact, supersession.rule))
    return whole


def _ends_its_present(fact: Fact, triple: Triple, said_at: datetime) -> bool:
    if fact.polarity is Polarity.NEGATIVE or not _same_statement(fact, triple) or not _holds(triple, said_at):
        return False
    if triple.tense is not Tense.PRESENT or not predicate_named(fact.predicate).is_state:
        return False
    if fact.valid_to and triple.valid_from and fact.valid_to <= triple.valid_from:
        return False
    return fact.predicate not in _OCCASIONAL or "used to" in fact.phrase


def _bounded(fact: Fact, kept: Sequence[Triple], said_at: datetime) -> Fact:
    """Return the fact with the end that its tense, or a newer triple that it clashes with, gives it."""
    if fact.tense is Tense.PAST and fact.valid_to is None and predicate_named(fact.predicate).is_state:
        return replace(fact, valid_to=said_at)
    newer = [triple for triple in kept if triple.source.said_at > said_at and _clashes(fact, triple)]
    if not newer or fact.tense is not Tense.PRESENT:
        return fact
    end = min(triple.valid_from or triple.source.said_at for triple in newer)
    return replace(fact, valid_to=end, valid_from=min(fact.valid_from, end) if fact.valid_from else None)


def _clashes(fact: Fact, newer: Triple) -> bool:
    if not _holds(newer, newer.source.said_at):
        return newer.polarity is Polarity.POSITIVE and newer.tense is Tense.PAST and _same_statement(fact, newer)
    ends_all = newer.polarity is Polarity.NEGATIVE and _is_any(newer) and fact.polarity is Polarity.POSITIVE
    return (ends_all and _shares_slot(fact, newer)) or _contradicts(fact, newer) or _displaces(fact, newer)


def _ended_by(earlier: Fact, later: Fact, said_at: datetime) -> Fact:
    """Return an earlier fact of the same fragment, ended where a later one gives its slot another value."""
    predicate = predicate_named(later.predicate)
    if not predicate.is_functional or earlier.predicate != later.predicate:
        return earlier
    if earlier.polarity is Polarity.NEGATIVE or later.polarity is Polarity.NEGATIVE:
        return earlier
    if Tense.PRESENT is not later.tense or earlier.tense is not Tense.PRESENT or earlier.valid_to is not None:
        return earlier
    if not _is_one(earlier.subject, later.subject) or _is_one(earlier.object, later.object):
        return earlier
    if are_compatible(later.predicate, earlier.object.label, later.object.label):
        return earlier
    return replace(earlier, valid_to=later.valid_from or said_at)


def _is_known(fact: Fact, triple: Triple) -> bool:
    if not _same_statement(fact, triple) or fact.polarity is not triple.polarity or fact.tense is not triple.tense:
        return False
    tells_when = fact.valid_from is not None and triple.valid_from is None
    has_ended_differently = (fact.valid_to is None) != (triple.valid_to is None)
    return not tells_when and not has_ended_differently


def _is_same(fact: Fact, other: Fact) -> bool:
    return (
        fact.predicate == other.predicate
        and fact.polarity is other.polarity
        and fact.tense is other.tense
        and _is_one(fact.subject, other.subject)
        and _is_one(fact.object, other.object)
    )


def _is_replaced_denial(fact: Fact, added: Sequence[Fact]) -> bool:
    """Return whether a denial of everything is followed by a value: "I quit, and now I work for Y" ends X, not Y."""
    return _is_denial_of_all(fact) and any(_fills_slot(other, fact) for other in added)


def _is_idle(fact: Fact, superseded: Sequence[Supersession]) -> bool:
    """Return whether a tentative denial ended nothing: "I left Paris" need not deny an employer of that name."""
    is_tentative = fact.polarity is Polarity.NEGATIVE and fact.confidence < TENTATIVE_BELOW
    return is_tentative and not any(_is_same(item.new, fact) for item in superseded)


def _successor(fact: Fact, added: Sequence[Fact]) -> Fact:
    if _is_denial_of_all(fact):
        return next((other for other in added if _fills_slot(other, fact)), fact)
    return next((other for other in added if _is_same(other, fact)), fact)


def _fills_slot(fact: Fact, denial: Fact) -> bool:
    is_value = fact.polarity is Polarity.POSITIVE and fact.tense is not Tense.PAST
    return is_value and fact.predicate == denial.predicate and _is_one(fact.subject, denial.subject)


def _keys(node: Node) -> set[str]:
    return {key_of(name) for name in (node.label, *node.aliases)}


def _is_one(first: Node, second: Node) -> bool:
    """Return whether two nodes name one entity: two brothers are both "Ana's brother", and that makes them no one man."""
    return key_of(first.label) in _keys(second) or key_of(second.label) in _keys(first)


def _same_statement(fact: Fact, triple: Triple) -> bool:
    return triple.predicate == fact.predicate and _same_ends(fact, triple)


def _same_ends(fact: Fact, triple: Triple) -> bool:
    subject, value = key_of(triple.subject.label), key_of(triple.object)
    if subject in _keys(fact.subject) and value in _keys(fact.object):
        return True
    is_symmetric = predicate_named(fact.predicate).is_symmetric
    return is_symmetric and value in _keys(fact.subject) and subject in _keys(fact.object)


def _shares_slot(fact: Fact, triple: Triple) -> bool:
    """Return whether the triple says the predicate of one of the fact's ends that it fills."""
    if triple.predicate != fact.predicate:
        return False
    ends, owners = {key_of(triple.subject.label)}, _keys(fact.subject)
    if predicate_named(fact.predicate).is_symmetric:
        ends |= {key_of(triple.object)}
        owners |= set() if fact.object.is_any else _keys(fact.object)
    return bool(ends & owners)


def _is_any(triple: Triple) -> bool:
    return triple.is_any


def _is_denial_of_all(fact: Fact) -> bool:
    return fact.object.is_any and fact.polarity is Polarity.NEGATIVE


def _holds(triple: Triple, moment: datetime) -> bool:
    return triple.tense is Tense.PRESENT and not _is_over(triple.valid_to, moment)


def _is_over(valid_to: datetime | None, moment: datetime) -> bool:
    return valid_to is not None and valid_to <= moment
