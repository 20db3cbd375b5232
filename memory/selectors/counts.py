"""What stands beside a conversation: counts of what its space holds, and the newest facts, conflicts and failures."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, Prefetch, Q, Sum

from memory.core.english.inflection import words_of_name
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.types import Modality
from memory.models import (
    ConflictRecord,
    EntityRecord,
    HeldFragmentRecord,
    KnowledgeBaseRecord,
    MaintenanceState,
    PredicateRecord,
    Round,
    SentenceRecord,
    Space,
    TripleRecord,
)
from memory.selectors.lists import NEWEST_FIRST, facts_worded
from memory.selectors.owned import HEAVY, with_both_sides, with_parts

PREDICATES_SHOWN = 200


@dataclass(frozen=True)
class SpaceCounts:
    triples: int
    superseded: int
    sentences: int
    entities: int
    rounds_pending: int
    rounds_failed: int
    knowledge_bases: int
    knowledge_triples: int
    knowledge_passages: int


def space_counts(space: Space) -> SpaceCounts:
    triples = TripleRecord.objects.filter(space=space).aggregate(
        active=Count("id", filter=Q(superseded_at=None)), superseded=Count("id", filter=Q(superseded_at__isnull=False))
    )
    rounds = Round.objects.filter(space=space).aggregate(
        pending=Count("id", filter=Q(maintenance__in=[MaintenanceState.PENDING, MaintenanceState.RUNNING])),
        failed=Count("id", filter=Q(maintenance=MaintenanceState.FAILED)),
    )
    knowledge = KnowledgeBaseRecord.objects.filter(space=space).aggregate(
        bases=Count("id"), triples=Sum("triples", default=0), passages=Sum("passages", default=0)
    )
    return SpaceCounts(
        triples=triples["active"],
        superseded=triples["superseded"],
        sentences=SentenceRecord.objects.filter(space=space).count(),
        entities=EntityRecord.objects.filter(space=space).count(),
        rounds_pending=rounds["pending"],
        rounds_failed=rounds["failed"],
        knowledge_bases=knowledge["bases"],
        knowledge_triples=knowledge["triples"],
        knowledge_passages=knowledge["passages"],
    )


@dataclass(frozen=True)
class PredicateUse:
    """A predicate as a space declares it, and the number of its active triples."""

    name: str
    words: str
    is_functional: bool
    is_declared: bool
    triples: int


def predicates_in(space: Space, limit: int = PREDICATES_SHOWN) -> list[PredicateUse]:
    """Return the predicates that a space uses or has declared, the most used first."""
    active = TripleRecord.objects.filter(space=space, superseded_at=None)
    used = dict(active.values_list("predicate").annotate(times=Count("id")).order_by("-times", "predicate")[:limit])
    declared = dict(PredicateRecord.objects.filter(space=space).values_list("name", "is_functional")[:limit])
    return [
        predicate_use(name, declared, used.get(name, 0)) for name in [*used, *sorted(declared.keys() - used.keys())]
    ]


def predicate_in(space: Space, name: str) -> PredicateUse:
    declared = dict(PredicateRecord.objects.filter(space=space, name=name).values_list("name", "is_functional"))
    return predicate_use(
        name, declared, TripleRecord.objects.filter(space=space, superseded_at=None, predicate=name).count()
    )


def predicate_use(name: str, declared: dict[str, bool], triples: int) -> PredicateUse:
    known = Ontology(declared=declared).predicate_named(name)
    return PredicateUse(name, " ".join(words_of_name(name)), known.is_functional, name in declared, triples)


SUPERSEDED_SHOWN = 20
UNSURE_SHOWN = 3
# So many facts are shown at once. Where there are more, the first things are open with a few facts each, the others closed.
ALL_SHOWN = 50
OPEN = 4
FIRST = 6
# So many facts, the newest, are sorted by what they are about.
SORTED = 1000


@dataclass(frozen=True)
class AboutOne:
    """The newest facts about a thing, out of `count` of them; none where they are closed."""

    entity: EntityRecord
    count: int
    facts: list[TripleRecord]

    @property
    def more(self) -> int:
        return self.count - len(self.facts)


@dataclass(frozen=True)
class PanelFacts:
    """What holds, by what it is about; what was only told or supposed; what is unsure; `is_cut` where older are left out."""

    about: list[AboutOne]
    told: list[TripleRecord]
    unsure: list[TripleRecord]
    count: int
    is_cut: bool


def conflicts_recent(space: Space, limit: int = 20) -> list[ConflictRecord]:
    return list(with_both_sides(ConflictRecord.objects.filter(space=space)).order_by("-id")[:limit])


def facts_panel(space: Space, *, text: str = "", first: tuple[str, ...] = ()) -> PanelFacts:
    """Return the newest facts, sorted by what they are about: the speaker called `first`, then what was spoken of last.

    With a text, only the facts whose sentence has its words, or whose subject or object is called so.
    """
    rows = TripleRecord.objects.filter(space=space, superseded_at=None)
    if text:
        rows = rows.filter(pk__in=facts_worded(rows, text, space=space, order=NEWEST_FIRST, limit=SORTED))
    newest = list(with_parts(rows).order_by("-pk")[: ALL_SHOWN + 1])
    is_all = len(newest) <= ALL_SHOWN
    lines = [(row.pk, row.subject_id, row.modality) for row in newest]
    if not is_all:
        lines = list(rows.order_by("-pk").values_list("pk", "subject_id", "modality")[: SORTED + 1])
    by_subject: dict[int, list[int]] = defaultdict(list)
    for pk, subject_id, modality in lines[:SORTED]:
        if modality == Modality.ASSERTED:
            by_subject[subject_id].append(pk)
    known = {row.pk: row for row in newest}
    entities = {row.subject_id: row.subject for row in newest}
    entities |= EntityRecord.objects.in_bulk(by_subject.keys() - entities.keys())
    order = sorted(by_subject, key=lambda one: not (entities[one].is_speaker and entities[one].label in first))
    shown = {
        one: by_subject[one] if is_all else by_subject[one][: FIRST if at < OPEN else 0] for at, one in enumerate(order)
    }
    missing = {pk for ids in shown.values() for pk in ids} - known.keys()
    known |= {row.pk: row for row in with_parts(rows.filter(pk__in=missing))} if missing else {}
    return PanelFacts(
        [AboutOne(entities[one], len(by_subject[one]), [known[pk] for pk in shown[one]]) for one in order],
        [row for row in newest if row.modality not in (Modality.ASSERTED, Modality.UNSURE)],
        [row for row in newest if row.modality == Modality.UNSURE][:UNSURE_SHOWN],
        sum(len(ids) for ids in by_subject.values()),
        is_cut=len(lines) > SORTED,
    )


def facts_about(space: Space, entity_id: int, *, text: str = "", limit: int = FIRST) -> tuple[list[TripleRecord], int]:
    """Return the newest facts about a thing, as the margin shows them, and how many more there are among the `SORTED`."""
    rows = TripleRecord.objects.filter(space=space, subject=entity_id, superseded_at=None, modality=Modality.ASSERTED)
    if text:
        rows = rows.filter(pk__in=facts_worded(rows, text, space=space, order=NEWEST_FIRST, limit=SORTED))
    count = rows[:SORTED].count()
    shown = list(with_parts(rows).order_by("-pk")[:limit])
    return shown, count - len(shown)


def replaced_recent(space: Space) -> list[TripleRecord]:
    """Return the facts that were superseded last."""
    rows = with_parts(TripleRecord.objects.filter(space=space, superseded_at__isnull=False))
    return list(rows.order_by("-superseded_at", "-id")[:SUPERSEDED_SHOWN])


def held_recent(space: Space, limit: int = 20) -> list[HeldFragmentRecord]:
    """Return held-back fragments, newest first, with the triples that they clash with."""
    against = TripleRecord.objects.select_related("subject", "object")
    held = HeldFragmentRecord.objects.filter(space=space).select_related("sentence__turn")
    held = held.prefetch_related(Prefetch("against", queryset=against))
    return list(held.defer(*HEAVY).order_by("-id")[:limit])


def failed_rounds(space: Space, limit: int = 5) -> list[Round]:
    """Return the rounds whose maintenance failed, newest first."""
    failed = Round.objects.filter(space=space, maintenance=MaintenanceState.FAILED)
    return list(failed.order_by("-id")[:limit])
