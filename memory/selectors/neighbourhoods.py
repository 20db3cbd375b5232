"""The part of the graph around some entities, as believed at a turn, with the difference from another turn.

What is read is bounded for any size of space: the newest few facts of each entity, from indexes in that order.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Case, F, OuterRef, Q, QuerySet, Value, When

from memory.core.naming import key_of
from memory.core.types import Modality
from memory.models import AliasRecord, EntityRecord, Space, TripleRecord, Turn
from memory.selectors.as_of import believed_as_of
from memory.selectors.rows import HEAVY

# So many facts of an entity are shown at first, and so many more each time that it is opened again.
STEP = 20
OPENED = 20
EDGES = 250
# Without an entity to begin from, every fact may bring two things of its own.
RECENT = 60
CHANGES = 140
# Beyond what is shown it is counted to here: "20+ more".
COUNTED = 20
FOUND = 8


class EdgeState(StrEnum):
    """The state of a fact at the shown turn, or compared with another turn."""

    HOLDS = "holds"
    ADDED = "added"
    GONE = "superseded"
    PAST = "past"


@dataclass(frozen=True)
class Sight:
    """Which triples are shown: those believed at a turn or now, those superseded by then too, or the difference to a turn."""

    at: Turn | None = None
    against: Turn | None = None
    with_past: bool = False

    @property
    def holds(self) -> Q:
        return believed(self.at)

    @property
    def shown(self) -> Q:
        """The condition on triples that are shown. Triples that were never believed are left out."""
        if self.against is not None:
            either = believed(self.at) | believed(self.against)
            # Says nothing new, and is what an index can begin at.
            return (
                either & Q(round__lte=max(self.at.round_id, self.against.round_id)) if self.at is not None else either
            )
        if not self.with_past:
            return believed(self.at)
        once = Q(superseded_at=None) | Q(superseded_at__gt=F("recorded_at"))
        said = Q(round__lte=self.at.round_id) if self.at is not None else Q()
        return Q(once, said, modality=Modality.ASSERTED)

    @property
    def state(self) -> Case:
        if self.against is None:
            return Case(When(self.holds, then=Value(EdgeState.HOLDS)), default=Value(EdgeState.PAST))
        before = believed(self.against)
        return Case(
            When(self.holds & before, then=Value(EdgeState.HOLDS)),
            When(self.holds, then=Value(EdgeState.ADDED)),
            default=Value(EdgeState.GONE),
        )

    @property
    def order(self) -> tuple[str, ...]:
        """Newest first, in the order of the index that answers the query."""
        is_current = self.at is None and self.against is None and not self.with_past
        return ("-pk",) if is_current else ("-round_id", "-pk")


@dataclass(frozen=True)
class GraphEdge:
    triple: TripleRecord
    state: EdgeState


@dataclass(frozen=True)
class GraphNode:
    """An entity of the picture. `more` is the number of its facts that are not shown, a lower bound unless `is_counted`."""

    entity: EntityRecord
    more: int
    is_counted: bool
    is_opened: bool


@dataclass(frozen=True)
class ShownGraph:
    """A part of the graph. Literals are no nodes here, only ends of edges; `is_cut` where the limit left something out."""

    nodes: tuple[GraphNode, ...] = ()
    edges: tuple[GraphEdge, ...] = ()
    is_cut: bool = False


def believed(turn: Turn | None) -> Q:
    """Return the condition on triples that are believed at a turn, or now for None."""
    return Q(superseded_at=None, modality=Modality.ASSERTED) if turn is None else believed_as_of(turn)


def neighbourhood(space: Space, opened: Sequence[int], sight: Sight, *, worded: bool = True) -> ShownGraph:
    """Return the newest facts of the opened entities; an entity that is named twice gets twice as many.

    With `worded`, each fact has the sentence that it was extracted from and its speaker.
    """
    times = Counter(opened[:OPENED])
    limit = STEP * max(times.values(), default=0)
    rows = facts_of(space, times, sight, limit + COUNTED)
    wanted, room = set[int](), EDGES
    for entity_id in times:
        facts = [pk for pk in rows.get(entity_id, [])[: STEP * times[entity_id]] if pk not in wanted]
        wanted.update(facts[:room])
        room = EDGES - len(wanted)
    edges = edges_of(space, wanted, sight, worded)
    return ShownGraph(nodes_of(space, edges, opened=times, sight=sight), tuple(edges), is_cut=room == 0)


def recent_facts(space: Space, sight: Sight, *, worded: bool = True) -> ShownGraph:
    """Return the newest facts of a space, or the newest differences where two turns are compared."""
    if sight.against is not None:
        limit, wanted = CHANGES, changed(space, sight, sight.against, CHANGES)
    else:
        rows = TripleRecord.objects.filter(sight.shown, space=space).order_by(*sight.order)
        limit, wanted = RECENT, list(rows.values_list("pk", flat=True)[: RECENT + 1])
    edges = edges_of(space, wanted[:limit], sight, worded)
    return ShownGraph(nodes_of(space, edges, opened=(), sight=sight), tuple(edges), is_cut=len(wanted) > limit)


def changed(space: Space, sight: Sight, against: Turn, limit: int) -> list[int]:
    """Return the ids of the newest facts that differ between two turns; `limit` + 1 of them where there are more."""
    before, after = believed(against), sight.holds
    differs = (after & ~before) | (before & ~after)
    if sight.at is None:
        first, between = against.round_id, Q(round__gt=against.round_id)
    else:
        first, last = sorted((against.round_id, sight.at.round_id))
        between = Q(round__gt=first, round__lte=last)
    # What was said between the turns, and what was said before both and replaced between them, each by its own index.
    rows = TripleRecord.objects.filter(differs, space=space)
    came = rows.filter(between).order_by("-round_id", "-pk")
    went = rows.filter(round__lte=first, superseded_at__isnull=False).order_by("-superseded_at")
    found = [pair for those in (came, went) for pair in those.values_list("round_id", "pk")[: limit + 1]]
    return [pk for _, pk in sorted(found, reverse=True)[: limit + 1]]


def facts_of(space: Space, entity_ids: Iterable[int], sight: Sight, limit: int) -> dict[int, list[int]]:
    """Return the ids of each entity's newest facts, newest first, at most `limit` as subject and `limit` as object."""

    def newest(end: str) -> ArraySubquery:
        rows = TripleRecord.objects.filter(sight.shown, space=space, **{end: OuterRef("pk")})
        return ArraySubquery(rows.order_by(*sight.order).values("pk")[:limit])

    entities = EntityRecord.objects.filter(space=space, pk__in=list(entity_ids))
    rows = entities.annotate(outward=newest("subject"), inward=newest("object")).values_list("pk", "outward", "inward")
    return {pk: sorted({*outward, *inward}, reverse=True) for pk, outward, inward in rows}


def edges_of(space: Space, those: Iterable[int], sight: Sight, worded: bool) -> list[GraphEdge]:
    rows = TripleRecord.objects.filter(pk__in=those, space=space).annotate(edge_state=sight.state)
    if worded:
        rows = rows.select_related("subject", "object", "sentence__turn").defer(*HEAVY, "sentence__turn__text")
    else:
        rows = rows.select_related("subject", "object")
    return [GraphEdge(row, EdgeState(row.edge_state)) for row in rows.order_by("-round_id", "-pk")]


def nodes_of(space: Space, edges: Sequence[GraphEdge], *, opened: Iterable[int], sight: Sight) -> tuple[GraphNode, ...]:
    """Return the entities at the ends of edges and the opened ones, each with the number of its facts that are not shown."""
    ends = {end.pk: end for edge in edges for end in (edge.triple.subject, edge.triple.object) if end is not None}
    opened = set(opened)
    bare = EntityRecord.objects.filter(space=space, pk__in=opened - ends.keys()) if opened - ends.keys() else ()
    entities = ends | {entity.pk: entity for entity in bare}
    shown = Counter(end for edge in edges for end in {edge.triple.subject_id, edge.triple.object_id} - {None})
    known = {edge.triple.pk for edge in edges}
    facts = facts_of(space, entities, sight, max(shown.values(), default=0) + COUNTED + 1) if entities else {}
    nodes = []
    for pk, entity in entities.items():
        more = len([fact for fact in facts.get(pk, []) if fact not in known])
        nodes.append(GraphNode(entity, min(more, COUNTED), is_counted=more <= COUNTED, is_opened=pk in opened))
    return tuple(nodes)


def entities_starting(space: Space, words: str, limit: int = FOUND) -> QuerySet[EntityRecord]:
    """Return the entities one of whose names starts with the words, the shortest names first."""
    key = key_of(words)
    if not key:
        return EntityRecord.objects.none()
    names = AliasRecord.objects.filter(space=space, key__startswith=key).order_by("key").values("entity")[: 4 * limit]
    return EntityRecord.objects.filter(space=space, pk__in=list(names.values_list("entity", flat=True)))[:limit]


def speaker_in(space: Space, name: str) -> EntityRecord | None:
    """Return the entity of the person who speaks under a name."""
    named = EntityRecord.objects.filter(space=space, is_speaker=True, aliases__key=key_of(name))
    return named.order_by("pk").first()
