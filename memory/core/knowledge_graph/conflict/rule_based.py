"""Conflict detection by rules over the ontology (D-SMART, the p_c of Equation 2, without a language model).

The rules in the order in which they are asked, each for one new fact and one triple about the same things:

    TEMPORAL_PARADOX     both can not be true because of when: death before birth, an end before its beginning
    ENDED                the fact tells that the triple's present is over, or denies its slot every value
    POLARITY             one denies what the other asserts
    DISJOINT_PROPERTIES  two predicates that never relate the same two things do (likes, dislikes)
    FUNCTIONAL_VALUE     the slot has one value at a time, and the fact gives it another

Departures from the paper:
- The paper prompts a language model with two serialised graphs; here each verdict follows from the ontology and names the
  rule that fired. The prompt is the second detector (`prompted`).
- Time decides, and before it whose word it is (`precedence`). The paper assumes turns in order and one voice.
- Questions, hypotheses and reported speech enter neither side; a fact of the past ends at most its own present.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from memory.core.knowledge_graph.conflict.comparison import (
    UNDECLARED,
    asserted,
    believed,
    holds,
    is_denial_of_all,
    is_over,
    keys_of,
    same_ends,
    same_statement,
    same_subject,
    shares_slot,
)
from memory.core.knowledge_graph.conflict.lifetimes import is_temporal_paradox, temporal_partners
from memory.core.knowledge_graph.conflict.precedence import advantage, prevails
from memory.core.knowledge_graph.ontology import Ontology, are_compatible
from memory.core.naming import key_of
from memory.core.types import ConflictCase, ConflictRule, Fact, Polarity, Supersession, Tense, Triple

# "I liked it", "I ate there": the past of these tells of an occasion and does not end the habit.
_OCCASIONAL = frozenset(
    "likes dislikes plays eats drinks uses knows needs wants hasQuality isA worksOn worksWith learns teaches "
    "attends volunteersAt rides cooks reads watches".split()
)


class RuleBasedConflictDetector:
    """A `ConflictDetector` by the rules over a space's ontology; it asks no model."""

    def __init__(self, *, ontology: Ontology = UNDECLARED) -> None:
        self._ontology = ontology

    def find_many(self, cases: Sequence[ConflictCase]) -> list[list[Supersession]]:
        """Return, for each case, the candidates that the fragment replaces, each once, with the fact and the rule."""
        return [find_supersessions(case, ontology=self._ontology) for case in cases]


def find_supersessions(case: ConflictCase, *, ontology: Ontology = UNDECLARED) -> list[Supersession]:
    """Return the active candidates that the fragment contradicts or replaces, each once, with the rule that says so."""
    overruled = {clash.new for clash in find_overruled(case, ontology=ontology)}
    facts = [fact for fact in asserted(case.fragment) if fact not in overruled]
    current = believed(case.candidates)
    found: dict[int, Supersession] = {}
    for fact in facts:
        for triple in met_by(fact, current, ontology):
            if triple.id in found:
                continue
            rule = rule_between(fact, triple, said_at=case.said_at, ontology=ontology)
            if rule is not None and prevails(fact, triple, case, ontology):
                found[triple.id] = Supersession(triple, fact, rule)
    return list(_with_whole_slots(found, current, case, ontology).values())


def find_overruled(case: ConflictCase, *, ontology: Ontology = UNDECLARED) -> list[Supersession]:
    """Return the clashes that a fact of the fragment loses, because the old triple has greater authority.

    A fact also loses where the two form a temporal paradox and the old triple was said later.
    """
    current = believed(case.candidates)
    lost: list[Supersession] = []
    for fact in asserted(case.fragment):
        for triple in met_by(fact, current, ontology):
            rule = rule_between(fact, triple, said_at=case.said_at, ontology=ontology)
            if rule is None or prevails(fact, triple, case, ontology):
                continue
            if rule is ConflictRule.TEMPORAL_PARADOX or advantage(fact, triple, case, ontology) < 0:
                lost.append(Supersession(triple, fact, rule))
    return lost


def met_by(fact: Fact, triples: Iterable[Triple], ontology: Ontology) -> Iterator[Triple]:
    """Yield the triples that a rule could set against the fact; most values of a large plural slot are skipped."""
    predicate, partners = ontology.predicate_named(fact.predicate), temporal_partners(fact)
    takes_whole_slot = predicate.is_functional or is_denial_of_all(fact)
    values = keys_of(fact.object) | (keys_of(fact.subject) if predicate.is_symmetric else frozenset())
    for triple in triples:
        if triple.predicate in partners:
            yield triple
        elif triple.predicate == fact.predicate:
            if takes_whole_slot or triple.is_any or key_of(triple.object) in values:
                yield triple
        elif triple.predicate == predicate.disjoint_with and key_of(triple.object) in values:
            yield triple


def rule_between(fact: Fact, triple: Triple, *, said_at: datetime, ontology: Ontology) -> ConflictRule | None:
    """Return the rule by which a fact said at `said_at` replaces an active triple, or None where both can stand."""
    if fact.tense is Tense.FUTURE:
        return None
    if same_subject(fact, triple) and is_temporal_paradox(fact, triple, said_at):
        return ConflictRule.TEMPORAL_PARADOX
    if triple.tense is Tense.FUTURE and same_statement(fact, triple, ontology) and fact.polarity is triple.polarity:
        # What was planned has come true, or is done.
        return ConflictRule.ENDED
    if fact.tense is Tense.PAST or is_over(fact.valid_to, said_at):
        return ConflictRule.ENDED if _ends_its_present(fact, triple, said_at, ontology) else None
    if not holds(triple, said_at):
        return None
    if is_denial_of_all(fact):
        is_ended = triple.polarity is Polarity.POSITIVE and shares_slot(fact, triple, ontology)
        return ConflictRule.ENDED if is_ended else None
    return exclusion_between(fact, triple, ontology)


def exclusion_between(fact: Fact, triple: Triple, ontology: Ontology) -> ConflictRule | None:
    """Return the rule by which two statements about the present exclude each other, whichever is newer; else None."""
    if _is_opposite(fact, triple, ontology):
        return ConflictRule.POLARITY
    if _is_disjoint(fact, triple, ontology):
        return ConflictRule.DISJOINT_PROPERTIES
    if _is_other_value(fact, triple, ontology):
        return ConflictRule.FUNCTIONAL_VALUE
    return None


def _is_opposite(fact: Fact, triple: Triple, ontology: Ontology) -> bool:
    if triple.predicate != fact.predicate or triple.polarity is fact.polarity:
        return False
    denies_all = triple.polarity is Polarity.NEGATIVE and triple.is_any
    return shares_slot(fact, triple, ontology) and (denies_all or same_ends(fact, triple, ontology))


def _is_disjoint(fact: Fact, triple: Triple, ontology: Ontology) -> bool:
    other = ontology.predicate_named(fact.predicate).disjoint_with
    if not other or triple.predicate != other or Polarity.NEGATIVE in (fact.polarity, triple.polarity):
        return False
    return same_ends(fact, triple, ontology)


def _is_other_value(fact: Fact, triple: Triple, ontology: Ontology) -> bool:
    if not ontology.predicate_named(fact.predicate).is_functional or triple.predicate != fact.predicate:
        return False
    if Polarity.NEGATIVE in (fact.polarity, triple.polarity) or not shares_slot(fact, triple, ontology):
        return False
    if same_ends(fact, triple, ontology):
        return False
    # "I moved to Germany" leaves Paris behind; "I live in France" only says where Paris is.
    is_move = "move" in fact.phrase or "relocate" in fact.phrase
    return is_move or not are_compatible(fact.predicate, fact.object.label, triple.object)


def _ends_its_present(fact: Fact, triple: Triple, said_at: datetime, ontology: Ontology) -> bool:
    if fact.polarity is Polarity.NEGATIVE or not same_statement(fact, triple, ontology) or not holds(triple, said_at):
        return False
    if triple.polarity is Polarity.NEGATIVE or not ontology.predicate_named(fact.predicate).is_state:
        return False
    if fact.valid_to and triple.valid_from and fact.valid_to <= triple.valid_from:
        return False
    return fact.predicate not in _OCCASIONAL or "used to" in fact.phrase


def _with_whole_slots(
    found: dict[int, Supersession], current: Sequence[Triple], case: ConflictCase, ontology: Ontology
) -> dict[int, Supersession]:
    """Return the supersessions with other values that end along with a replaced one: who leaves France leaves Paris too."""
    whole = dict(found)
    for supersession in found.values():
        if supersession.rule is not ConflictRule.FUNCTIONAL_VALUE:
            continue
        fact = supersession.new
        for triple in current:
            is_beside = triple.polarity is Polarity.POSITIVE and shares_slot(fact, triple, ontology)
            if not is_beside or not holds(triple, case.said_at) or same_ends(fact, triple, ontology):
                continue
            if prevails(fact, triple, case, ontology):
                whole.setdefault(triple.id, Supersession(triple, fact, supersession.rule))
    return whole
