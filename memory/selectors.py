"""Reads of memory for pages and the API. Whatever takes a user returns only what the user's spaces hold."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Case, Count, Exists, OuterRef, Prefetch, Q, QuerySet, Value, When

from memory.core.knowledge_graph.inflection import words_of_name
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.types import Modality
from memory.models import (
    AliasRecord,
    ConflictRecord,
    EditRecord,
    EntityRecord,
    HeldFragmentRecord,
    MaintenanceState,
    PredicateRecord,
    Round,
    SentenceRecord,
    Session,
    Space,
    TripleRecord,
    Turn,
)

TRIPLE_PARTS = ("subject", "object", "sentence__turn", "superseded_by__subject", "superseded_by__object")
HEAVY = ("sentence__embedding", "sentence__search", "sentence__turn__search")

SUPERSEDED_SHOWN = 20
PREDICATES_SHOWN = 200


@dataclass(frozen=True)
class SpaceCounts:
    triples: int
    superseded: int
    sentences: int
    entities: int
    rounds_pending: int
    rounds_failed: int


def spaces_of(user: User) -> QuerySet[Space]:
    return Space.objects.filter(memberships__user=user).order_by("id")


def space_of(user: User, space_id: int) -> Space:
    """Return one of the user's spaces; `Space.DoesNotExist` for any other."""
    return spaces_of(user).get(pk=space_id)


def sessions_of(user: User) -> QuerySet[Session]:
    return Session.objects.filter(space__memberships__user=user)


def turns_of(user: User) -> QuerySet[Turn]:
    return Turn.objects.filter(space__memberships__user=user).defer("search")


def rounds_of(user: User) -> QuerySet[Round]:
    return Round.objects.filter(space__memberships__user=user)


def triples_of(user: User) -> QuerySet[TripleRecord]:
    return TripleRecord.objects.filter(space__memberships__user=user).select_related(*TRIPLE_PARTS).defer(*HEAVY)


def triple_of(user: User, triple_id: int) -> TripleRecord:
    return triples_of(user).get(pk=triple_id)


def sentence_of(user: User, sentence_id: int) -> SentenceRecord:
    rows = SentenceRecord.objects.filter(space__memberships__user=user).select_related("turn__session")
    return rows.defer("embedding", "search", "turn__search").get(pk=sentence_id)


def conflicts_of(user: User) -> QuerySet[ConflictRecord]:
    return with_both_sides(ConflictRecord.objects.filter(space__memberships__user=user))


def conflicts_recent(space: Space, limit: int = 20) -> list[ConflictRecord]:
    return list(with_both_sides(ConflictRecord.objects.filter(space=space)).order_by("-id")[:limit])


def triples_panel(space: Space, limit: int = 50) -> list[TripleRecord]:
    """Return what the margin shows: the newest active triples, then those that were superseded last."""
    rows = TripleRecord.objects.filter(space=space).select_related(*TRIPLE_PARTS).defer(*HEAVY)
    active = rows.filter(superseded_at=None).order_by("-id")[:limit]
    superseded = rows.filter(superseded_at__isnull=False).order_by("-superseded_at", "-id")[:SUPERSEDED_SHOWN]
    return [*active, *superseded]


def held_recent(space: Space, limit: int = 20) -> list[HeldFragmentRecord]:
    """Return what was said and could not be taken into the graph, newest first, with what it clashes with."""
    against = TripleRecord.objects.select_related("subject", "object")
    held = HeldFragmentRecord.objects.filter(space=space).select_related("sentence__turn")
    held = held.prefetch_related(Prefetch("against", queryset=against))
    return list(held.defer(*HEAVY).order_by("-id")[:limit])


@dataclass(frozen=True)
class GraphDifference:
    """What the graph at one turn has and the graph at another has not. `changes` are both, with `change` telling which."""

    added: QuerySet[TripleRecord]
    superseded: QuerySet[TripleRecord]
    changes: QuerySet[TripleRecord]


def graph_as_of(space: Space, turn: Turn) -> QuerySet[TripleRecord]:
    """Return the triples that were believed when the turn's round had been remembered."""
    return with_parts(TripleRecord.objects.filter(believed_as_of(turn), space=space))


def graph_difference(space: Space, earlier: Turn, later: Turn) -> GraphDifference:
    """Return what was believed as of the later turn and not as of the earlier one, and the other way round."""
    before, after = believed_as_of(earlier), believed_as_of(later)
    is_either = (after & ~before) | (before & ~after)
    change = Case(When(after, then=Value("added")), default=Value("superseded"))
    between = changed_between(earlier, later)

    def those(condition: Q) -> QuerySet[TripleRecord]:
        rows = TripleRecord.objects.filter(between, condition, space=space)
        return with_parts(rows).annotate(change=change)

    return GraphDifference(added=those(after & ~before), superseded=those(before & ~after), changes=those(is_either))


def changed_between(earlier: Turn, later: Turn) -> Q:
    """Return a condition that whatever changed between two turns meets, and that indexes answer."""
    first, last = sorted((earlier.round_id, later.round_id))
    said, replaced = Q(round__gt=first, round__lte=last), Q(superseded_in__gt=first, superseded_in__lte=last)
    return said | replaced | Q(superseded_in=None, superseded_at__isnull=False)


def believed_as_of(turn: Turn) -> Q:
    """Return the condition on triples of the turn's space. The numbers of rounds grow in the order of remembering.

    What was only reported, asked or supposed was never believed. Where no round is known in which a triple was replaced, the
    time decides at which the turn's round was remembered.
    """
    still = Q(superseded_at=None) | Q(superseded_in__gt=turn.round_id)
    if turn.round.maintained_at is not None:
        still |= Q(superseded_in=None, superseded_at__gt=turn.round.maintained_at)
    return Q(round__lte=turn.round_id, modality=Modality.ASSERTED) & still


def with_parts(rows: QuerySet[TripleRecord]) -> QuerySet[TripleRecord]:
    return rows.select_related(*TRIPLE_PARTS).defer(*HEAVY)


def failed_rounds(space: Space, limit: int = 5) -> list[Round]:
    """Return the rounds whose maintenance failed, newest first."""
    failed = Round.objects.filter(space=space, maintenance=MaintenanceState.FAILED)
    return list(failed.order_by("-id")[:limit])


def space_counts(space: Space) -> SpaceCounts:
    triples = TripleRecord.objects.filter(space=space).aggregate(
        active=Count("id", filter=Q(superseded_at=None)), superseded=Count("id", filter=Q(superseded_at__isnull=False))
    )
    rounds = Round.objects.filter(space=space).aggregate(
        pending=Count("id", filter=Q(maintenance__in=[MaintenanceState.PENDING, MaintenanceState.RUNNING])),
        failed=Count("id", filter=Q(maintenance=MaintenanceState.FAILED)),
    )
    return SpaceCounts(
        triples=triples["active"],
        superseded=triples["superseded"],
        sentences=SentenceRecord.objects.filter(space=space).count(),
        entities=EntityRecord.objects.filter(space=space).count(),
        rounds_pending=rounds["pending"],
        rounds_failed=rounds["failed"],
    )


@dataclass(frozen=True)
class PredicateUse:
    """A predicate as a space knows it, and how many active triples have it."""

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


def entities_of(user: User) -> QuerySet[EntityRecord]:
    names = Prefetch("aliases", queryset=AliasRecord.objects.order_by("id"))
    return EntityRecord.objects.filter(space__memberships__user=user).prefetch_related(names)


def entity_of(user: User, entity_id: int) -> EntityRecord:
    return entities_of(user).select_related("space").get(pk=entity_id)


def entities_called(user: User, space: Space, name: str) -> QuerySet[EntityRecord]:
    """Return the entities of a space that have a name with these letters in it; all of them for no letters."""
    entities = entities_of(user).filter(space=space)
    if not key_of(name):
        return entities
    so_called = AliasRecord.objects.filter(space=space, entity=OuterRef("pk"), key__contains=key_of(name))
    return entities.filter(Exists(so_called))


def edits_of(user: User) -> QuerySet[EditRecord]:
    """Return what was changed by hand in the user's spaces, with whether it may be undone."""
    undoable = Q(undo__has_key="changes", undone_at=None) & ~Q(kind=EditRecord.Kind.FORGET)
    edits = EditRecord.objects.filter(space__memberships__user=user).select_related("actor", "undone_by").defer("undo")
    return edits.annotate(can_undo=Case(When(undoable, then=Value(True)), default=Value(False)))


def with_both_sides(rows: QuerySet[ConflictRecord]) -> QuerySet[ConflictRecord]:
    sides = [f"{side}__{part}" for side in ("old", "new") for part in ("subject", "object", "sentence__turn")]
    heavy = [f"{side}__{part}" for side in ("old", "new") for part in HEAVY]
    return rows.select_related(*sides, "decided_by").defer(*heavy)
