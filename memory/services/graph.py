"""Merges what a round says into the stored graph: G_t = (G_{t-1} minus what it replaces) plus G'_t (D-SMART, Equation 2).

An update deletes nothing: a replaced triple keeps its row and gets the time and the triple that superseded it. What somebody
only reported, wished or supposed is stored beside the graph, as that person's word.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from django.db.models import Q
from django.utils import timezone

from memory.core.knowledge_graph.conflict.comparison import asserted
from memory.core.knowledge_graph.conflict.lifetimes import temporal_partners
from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector
from memory.core.knowledge_graph.consistency.assertions import is_entity
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.knowledge_graph.update import slots_of, update
from memory.core.naming import key_of
from memory.core.types import (
    Axiom,
    ConflictCase,
    ConflictRule,
    Fact,
    GraphFragment,
    GraphUpdate,
    Modality,
    Role,
    Supersession,
    Triple,
    Violation,
)
from memory.models import ConflictRecord, EntityRecord, Round, SentenceRecord, TripleRecord
from memory.services.coherence import Neighbourhood
from memory.services.edits.refusals import refusals_of, without_refused
from memory.services.entities import EntityRegister, nodes_of
from memory.services.forgetting import entities_prune
from memory.services.graph_writes import GraphWrites
from memory.services.held_fragments import fragment_hold
from memory.services.step_times import step
from memory.stores import ontology_of, triple_of, triples_of

VALUE_LIMIT = 1000
KEY_LIMIT = 300
ASIDE = frozenset({Modality.REPORTED, Modality.HYPOTHETICAL, Modality.UNSURE})
KEPT = ASIDE | {Modality.ASSERTED}


def fragments_commit(
    *,
    round: Round,
    sentences: Sequence[SentenceRecord],
    fragments: Sequence[GraphFragment],
    verdicts: Sequence[Supersession] = (),
    cleared: Sequence[Supersession] = (),
) -> None:
    """Merge one fragment a sentence into the graph of the round's space, in order, in the caller's transaction.

    `verdicts` are a model's on facts of the fragments. Those of a learned judge come before the rules, which left its pairs
    undecided, those of a language model after them. `cleared` are pairs that a language model lets stand beside each other:
    of two values in a slot for one it knows more than the rule, and both stand. A fragment that would make the current graph
    break an axiom is held back whole.
    """
    kept = [GraphFragment(tuple(fact for fact in one.facts if fact.modality in KEPT)) for one in fragments]
    ontology = ontology_of(round.space_id)
    register = EntityRegister(round, nodes_of(kept))
    spoken = [(sentence, fragment) for sentence, fragment in zip(sentences, kept, strict=True) if fragment.facts]
    resolved_all = register.resolve_many([fragment for _, fragment in spoken])
    said = [(*one, resolved) for one, resolved in zip(spoken, resolved_all, strict=True)]
    stored = current_candidates(round.space_id, register, [fragment for _, _, fragment in said], ontology=ontology)
    known = KnownTriples([*stored, *judged_triples(verdicts, stored)])
    facts = [fact for _, _, fragment in said for fact in fragment.facts if fact.modality is Modality.ASSERTED]
    around = Neighbourhood(facts, space_id=round.space_id, register=register, ontology=ontology)
    refused = refusals_of(round.space_id, since=min((sentence.turn.said_at for sentence, _, _ in said), default=None))
    rules = RuleBasedConflictDetector(ontology=ontology)
    writes = GraphWrites(round, expected=len(facts))
    held: set[int] = set()
    for sentence, fragment, resolved in said:
        turn = sentence.turn
        allowed = without_refused(resolved, refused, space_id=round.space_id)
        met = known.about(allowed, also=[one.old.id for one in (*verdicts, *cleared)])
        case = ConflictCase(allowed, met, turn.said_at, speaker=turn.speaker, role=Role(turn.role))
        let_stand = {(one.old.id, one.new) for one in verdicts_on(fragment, resolved, cleared)}
        [clashes] = rules.find_many([case])
        found = [one for one in clashes if not is_let_stand(one, let_stand)]
        judged = [one for one in verdicts_on(fragment, resolved, verdicts) if one.new in allowed.facts]
        sure = [one for one in judged if one.rule is ConflictRule.LEARNED]
        change = update(case, conflicts=[*sure, *found, *judged], ontology=ontology)
        if change.overruled or len(allowed.facts) > len(asserted(allowed)):
            # What is stored aside is compared with what is stored.
            writes.write()
        asides_add(round, sentence, register, resolved)
        with step("check"):
            violations = [one for one in around.violations_of(change) if not is_of_cleared(one, let_stand)]
        if violations:
            writes.write()
            fragment_hold(round=round, sentence=sentence, facts=change.added, violations=violations)
            held |= {register.entity_of(node).pk for node in nodes_of([resolved])}
            continue
        added = triples_add(writes, round, sentence, register, change)
        replaced = writes.supersede(change, added)
        overruled_add(round, sentence, register, change)
        writes.coexist([one for one in clashes if is_let_stand(one, let_stand)], added)
        new = [triple_of(row) for _, row in added]
        around.follow(added=new, replaced=replaced)
        known.follow(added=new, replaced=replaced)
    writes.write()
    if held:
        entities_prune(held)


class KnownTriples:
    """The active triples that a commit could meet, by the names of their ends: no rule compares triples that share none."""

    def __init__(self, triples: Sequence[Triple]) -> None:
        self._triples: dict[int, Triple] = {}
        self._places: dict[int, int] = {}
        self._by_name: dict[str, dict[int, Triple]] = defaultdict(dict)
        self.follow(added=triples, replaced=())

    def about(self, fragment: GraphFragment, *, also: Collection[int]) -> tuple[Triple, ...]:
        """Return the triples that share a name with a fact's ends and those of the ids in `also`, in their order."""
        nodes = {node for fact in fragment.facts for node in (fact.subject, fact.object)}
        names = {key_of(name) for node in nodes for name in (node.label, *node.aliases)}
        found = {triple_id for name in names for triple_id in self._by_name.get(name, ())} | set(also)
        there = found & self._triples.keys()
        return tuple(self._triples[triple_id] for triple_id in sorted(there, key=self._places.__getitem__))

    def follow(self, *, added: Sequence[Triple], replaced: Collection[int]) -> None:
        """Add new triples and remove those that they replaced."""
        for triple in added:
            self._triples[triple.id] = triple
            self._places.setdefault(triple.id, len(self._places))
            for name in {key_of(triple.subject.label), key_of(triple.object)}:
                self._by_name[name][triple.id] = triple
        for triple in [self._triples.pop(triple_id) for triple_id in replaced if triple_id in self._triples]:
            for name in {key_of(triple.subject.label), key_of(triple.object)}:
                del self._by_name[name][triple.id]


def is_let_stand(clash: Supersession, let_stand: Collection[tuple[int, Fact]]) -> bool:
    return clash.rule is ConflictRule.FUNCTIONAL_VALUE and (clash.old.id, clash.new) in let_stand


def is_of_cleared(violation: Violation, let_stand: Collection[tuple[int, Fact]]) -> bool:
    """Return whether a violation is only that a slot for one value has one that a model let stand beside the new one."""
    stored = {triple.id for triple in violation.triples if isinstance(triple, Triple)}
    return violation.axiom is Axiom.FUNCTIONAL and bool(stored) and stored <= {triple_id for triple_id, _ in let_stand}


def current_candidates(
    space_id: int, register: EntityRegister, fragments: Sequence[GraphFragment], *, ontology: Ontology
) -> list[Triple]:
    """Return the active triples that the fragments could fill the slot of, repeat or deny.

    Of a predicate with many values only those that the fragment names are read, so the thousandth hobby costs as much as the
    first.
    """
    facts = [fact for fragment in fragments for fact in fragment.facts]
    nodes = [node for fact in facts for node in (fact.subject, fact.object)]
    ends = {register.entity_of(node).pk for node in nodes if is_entity(node)}
    predicates = {predicate for fragment in fragments for _, predicate in slots_of(fragment, ontology=ontology)}
    whole = {name for name in predicates if ontology.predicate_named(name).is_functional}
    whole |= {fact.predicate for fact in facts if fact.object.is_any}
    whole |= {name for fact in facts for name in temporal_partners(fact)}
    values = {key_of(name)[:KEY_LIMIT] for node in nodes for name in (node.label, *node.aliases)}
    meets = Q(predicate__in=whole) | Q(object_id__in=ends) | Q(value_key__in=values) | Q(is_any=True)
    rows = TripleRecord.objects.filter(
        meets,
        space_id=space_id,
        superseded_at=None,
        modality=Modality.ASSERTED,
        subject_id__in=ends,
        predicate__in=predicates,
    )
    return triples_of(rows.order_by("id"))


def judged_triples(verdicts: Sequence[Supersession], known: Sequence[Triple]) -> list[Triple]:
    """Return the triples of a model's verdicts that are not among the known ones, read anew."""
    missing = {verdict.old.id for verdict in verdicts} - {triple.id for triple in known}
    return triples_of(TripleRecord.objects.filter(pk__in=missing, superseded_at=None)) if missing else []


def verdicts_on(
    fragment: GraphFragment, resolved: GraphFragment, verdicts: Sequence[Supersession]
) -> list[Supersession]:
    """Return the verdicts on facts of this fragment, with the facts under their entities' labels."""
    labelled = dict(zip(fragment.facts, resolved.facts, strict=True))
    return [replace(verdict, new=labelled[verdict.new]) for verdict in verdicts if verdict.new in labelled]


def triples_add(
    writes: GraphWrites, round: Round, sentence: SentenceRecord, register: EntityRegister, change: GraphUpdate
) -> list[tuple[Fact, TripleRecord]]:
    now = timezone.now()
    rows = [(fact, triple_row(round, sentence, register, fact, now)) for fact in change.added]
    writes.add([row for _, row in rows])
    return rows


def triple_row(
    round: Round, sentence: SentenceRecord, register: EntityRegister, fact: Fact, recorded_at: datetime
) -> TripleRecord:
    target: EntityRecord | None = register.entity_of(fact.object) if is_entity(fact.object) else None
    value = fact.object.label[:VALUE_LIMIT]
    return TripleRecord(
        space_id=round.space_id,
        subject=register.entity_of(fact.subject),
        predicate=fact.predicate[:120],
        object=target,
        value=value,
        value_key=key_of(value)[:KEY_LIMIT],
        is_any=fact.object.is_any,
        polarity=fact.polarity,
        modality=fact.modality,
        tense=fact.tense,
        phrase=fact.phrase[:300],
        attributed_to=fact.attributed_to[:120],
        confidence=fact.confidence,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        recorded_at=recorded_at,
        round=round,
        sentence=sentence,
        span_start=fact.span.start,
        span_end=fact.span.end,
        said_by=sentence.turn.speaker,
        said_at=sentence.turn.said_at,
    )


def overruled_add(round: Round, sentence: SentenceRecord, register: EntityRegister, change: GraphUpdate) -> None:
    """Store facts that a weightier word contradicts as superseded at once, each with the conflict that it lost."""
    now = timezone.now()
    for clash in change.overruled:
        row = triple_row(round, sentence, register, clash.new, now)
        if lost_before(row, clash):
            continue
        row.superseded_at, row.superseded_by_id, row.superseded_in = now, clash.old.id, round
        row.save()
        ConflictRecord.objects.create(
            space_id=round.space_id,
            old_id=clash.old.id,
            new=row,
            rule=clash.rule,
            decision=ConflictRecord.Decision.KEPT,
        )


def lost_before(row: TripleRecord, clash: Supersession) -> bool:
    """Return whether the same statement already lost to the same triple."""
    return ConflictRecord.objects.filter(
        old_id=clash.old.id,
        decision=ConflictRecord.Decision.KEPT,
        new__subject=row.subject,
        new__predicate=row.predicate,
        new__value_key=row.value_key,
        new__polarity=row.polarity,
    ).exists()


def asides_add(round: Round, sentence: SentenceRecord, register: EntityRegister, fragment: GraphFragment) -> None:
    """Store what was only reported, supposed or read unsurely, once for each; it supersedes nothing and answers nothing."""
    now = timezone.now()
    for fact in fragment.facts:
        if fact.modality not in ASIDE:
            continue
        row = triple_row(round, sentence, register, fact, now)
        same = TripleRecord.objects.filter(
            space_id=row.space_id,
            subject=row.subject,
            predicate=row.predicate,
            value_key=row.value_key,
            polarity=row.polarity,
            modality=row.modality,
            attributed_to=row.attributed_to,
            superseded_at=None,
        )
        if not same.exists():
            row.save()
