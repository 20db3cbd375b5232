"""Settles triples that came together, by the same update as everything that is said (D-SMART, Equation 2).

The triples are taken in the order in which they were said, each as a fragment of its own. A triple that repeats an older one
is superseded by the older one, without a conflict; a triple that clashes with a newer one is superseded by it, with a
conflict on record.

Departures from the paper: none of its own; the paper has neither merges nor declarations, so the update is applied once more.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from django.utils import timezone

from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.knowledge_graph.update import update
from memory.core.naming import key_of
from memory.core.types import ConflictCase, ConflictRule, Fact, GraphFragment, GraphUpdate, Modality, Node, Role, Triple
from memory.models import ConflictRecord, Round, TripleRecord
from memory.services.edits.journal import Journal

BATCH = 500


@dataclass(frozen=True)
class Displacement:
    """A triple that is superseded, the triple that supersedes it, and the conflict rule; no rule where both say the same."""

    old: int
    new: int
    rule: ConflictRule | None


def merged(case: ConflictCase, *, ontology: Ontology) -> GraphUpdate:
    """Return what a fragment does to its candidates, by the conflict rules and the space's declarations."""
    [verdicts] = RuleBasedConflictDetector(ontology=ontology).find_many([case])
    return update(case, conflicts=verdicts, ontology=ontology)


def settle(
    triples: Sequence[Triple],
    *,
    journal: Journal,
    ontology: Ontology,
    moved: Collection[int] | None = None,
    round: Round | None = None,
) -> None:
    """Supersede those of the active triples that repeat or contradict another of them.

    With `moved`, only pairs with at least one of these ids are compared. The journal must watch every given triple already.
    """
    found = displacements(triples, ontology=ontology, moved=moved)
    displace(found, journal=journal, round=round)


def displacements(
    triples: Sequence[Triple], *, ontology: Ontology, moved: Collection[int] | None = None
) -> list[Displacement]:
    """Return which triple supersedes which, as if the triples were said one after the other."""
    neighbours = Neighbours(ontology)
    found: list[Displacement] = []
    for triple in sorted(triples, key=lambda one: (one.source.said_at, one.id)):
        if triple.modality is not Modality.ASSERTED:
            continue
        known = [other for other in neighbours.of(triple) if moved is None or other.id in moved or triple.id in moved]
        if not known:
            neighbours.add(triple)
            continue
        case = ConflictCase(
            GraphFragment((fact_of(triple),)),
            tuple(known),
            triple.source.said_at,
            speaker=triple.source.speaker,
            role=triple.source.role,
        )
        # On anybody's word, one statement is kept once: a better word for it does not make it another.
        same = merged(replace(case, role=Role.ASSISTANT), ontology=ontology).confirmed
        if same:
            found.append(Displacement(old=triple.id, new=same[0][1].id, rule=None))
            continue
        change = merged(case, ontology=ontology)
        if change.overruled:
            clash = change.overruled[0]
            found.append(Displacement(old=triple.id, new=clash.old.id, rule=clash.rule))
            continue
        for clash in change.superseded:
            found.append(Displacement(old=clash.old.id, new=triple.id, rule=clash.rule))
            neighbours.remove(clash.old)
        neighbours.add(triple)
    return found


@dataclass
class Neighbours:
    """The triples seen so far, indexed by what makes triples clash: the slot of a single value, the same ends, a denial."""

    ontology: Ontology
    _seen: dict[tuple[str, ...], dict[int, Triple]] = field(default_factory=lambda: defaultdict(dict))

    def of(self, triple: Triple) -> list[Triple]:
        family, owners = self._family(triple), self._owners(triple)
        places = [(family, "any", owner) for owner in owners] + self._places(triple)
        if triple.is_any:
            places = [(family, "every", owner) for owner in owners]
        found = {pk: other for place in places for pk, other in self._seen.get(place, {}).items()}
        return [found[pk] for pk in sorted(found)]

    def add(self, triple: Triple) -> None:
        for place in self._kept_in(triple):
            self._seen[place][triple.id] = triple

    def remove(self, triple: Triple) -> None:
        for place in self._kept_in(triple):
            self._seen[place].pop(triple.id, None)

    def _places(self, triple: Triple) -> list[tuple[str, ...]]:
        family = self._family(triple)
        ends = sorted((key_of(triple.subject.label), key_of(triple.object)))
        has_one_value = self.ontology.predicate_named(triple.predicate).is_functional
        slots = [(family, "slot", owner) for owner in self._owners(triple)] if has_one_value else []
        return [(family, "ends", *ends), *slots]

    def _kept_in(self, triple: Triple) -> list[tuple[str, ...]]:
        kinds = ("every", "any") if triple.is_any else ("every",)
        family = self._family(triple)
        return [*self._places(triple), *((family, kind, one) for kind in kinds for one in self._owners(triple))]

    def _owners(self, triple: Triple) -> list[str]:
        """Return the keys of the ends whose slot the triple fills: both ends for a symmetric predicate."""
        is_symmetric = self.ontology.predicate_named(triple.predicate).is_symmetric
        return [key_of(triple.subject.label), *([key_of(triple.object)] if is_symmetric else [])]

    def _family(self, triple: Triple) -> str:
        return min(family_of(triple.predicate, self.ontology))


def family_of(predicate: str, ontology: Ontology) -> set[str]:
    """Return the predicates whose triples can clash with those of a predicate, including itself."""
    known = ontology.predicate_named(predicate)
    return {predicate, known.disjoint_with, known.inverse} - {""}


def fact_of(triple: Triple) -> Fact:
    is_entity = triple.object_id is not None
    return Fact(
        subject=Node(triple.subject.label, kind=triple.subject.kind, is_speaker=triple.subject.is_speaker),
        predicate=triple.predicate,
        object=Node(triple.object, kind=triple.object_kind, is_literal=not is_entity, is_any=triple.is_any),
        span=triple.span,
        polarity=triple.polarity,
        modality=triple.modality,
        tense=triple.tense,
        valid_from=triple.valid_from,
        valid_to=triple.valid_to,
        confidence=triple.confidence,
        phrase=triple.phrase,
        attributed_to=triple.attributed_to,
    )


def displace(found: Sequence[Displacement], *, journal: Journal, round: Round | None) -> None:
    """Supersede the triples and record the conflicts; a pair with an earlier decision gets a new one."""
    if not found:
        return
    now = timezone.now()
    by_old = {one.old: one for one in found}
    rows = list(TripleRecord.objects.filter(pk__in=by_old).only("pk"))
    for row in rows:
        row.superseded_at, row.superseded_by_id, row.superseded_in = now, by_old[row.pk].new, round
    TripleRecord.objects.bulk_update(rows, ["superseded_at", "superseded_by", "superseded_in"], batch_size=BATCH)
    clashes = {(one.old, one.new): one.rule for one in found if one.rule is not None}
    decided = ConflictRecord.objects.filter(space_id=journal.space_id, old_id__in=by_old)
    known = {(row.old_id, row.new_id): row.pk for row in decided if (row.old_id, row.new_id) in clashes}
    journal.watch("conflict", known.values())
    ConflictRecord.objects.filter(pk__in=known.values()).update(
        decision=ConflictRecord.Decision.SUPERSEDED, decided_by=None
    )
    ConflictRecord.objects.bulk_create(
        [
            ConflictRecord(space_id=journal.space_id, old_id=old, new_id=new, rule=rule)
            for (old, new), rule in clashes.items()
            if (old, new) not in known
        ],
        batch_size=BATCH,
    )
