"""The part of the graph around some entities, as believed at a turn, with the difference from another turn.

What is read is bounded for any size of space: the newest facts of each entity, from indexes in that order. What is shown is
what can be seen at once: what was replaced where that is asked for, then what leads to things of which much is known, then
the newest. The rest is counted.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, Q, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.functions import JSONObject

from memory.core.naming import key_of
from memory.models import AliasRecord, EntityRecord, Space, TripleRecord, Turn
from memory.selectors.as_of import EdgeState, Sight, believed
from memory.selectors.owned import HEAVY

# So many more facts of a group are shown each time that it is opened.
STEP = 20


@dataclass(frozen=True)
class Group:
    """The facts of a thing with one predicate in one direction; without a predicate, all that were left over."""

    entity_id: int
    predicate: str
    is_outward: bool = True


@dataclass(frozen=True)
class SeenFact:
    pk: int
    predicate: str
    subject_id: int
    object_id: int | None
    state: str

    def group_of(self, entity_id: int) -> Group:
        return Group(entity_id, self.predicate, is_outward=self.subject_id == entity_id)

    def other_end(self, entity_id: int) -> int | None:
        return self.object_id if self.subject_id == entity_id else self.subject_id


@dataclass(frozen=True)
class Folded:
    """The ids of the facts that are shown, and of those that each group holds back."""

    shown: tuple[int, ...]
    held_back: Mapping[Group, Sequence[int]]


def level(sizes: Iterable[int], room: int) -> int:
    """Return the number to which each size is cut so that the sum fits into the room; at least 1.

    >>> level([1, 2, 9], 8)
    5
    """
    sizes = sorted(sizes)
    for at, size in enumerate(sizes):
        if size * (len(sizes) - at) >= room:
            return max(room // (len(sizes) - at), 1)
        room -= size
    return max(sizes, default=1)


def folded(entity_id: int, facts: Sequence[SeenFact], *, room: int, opened: Mapping[Group, int]) -> Folded:
    """Return what is shown of a thing's facts, the most important of them first, where there is room for so many.

    Every group shows as many as any other; a group is not folded for the sake of one fact. `opened` tells how often a
    group was opened: it shows `STEP` more each time.
    """
    groups: dict[Group, list[int]] = defaultdict(list)
    for fact in facts:
        groups[fact.group_of(entity_id)].append(fact.pk)
    several = sorted(groups, key=lambda group: -opened.get(group, 0))[:room]
    most = level([len(groups[group]) for group in several], room)
    shown: list[int] = []
    held_back: dict[Group, list[int]] = defaultdict(list)
    for group, ids in groups.items():
        limit = most + STEP * opened.get(group, 0) if group in several else 0
        limit = len(ids) if limit and len(ids) == limit + 1 else limit
        shown += ids[:limit]
        if len(ids) > limit:
            held_back[group if limit else Group(entity_id, "")] += ids[limit:]
    return Folded(tuple(shown), held_back)


# So many facts can be read at once in a picture. An entity shows so many, and so many more each time that it is opened again.
ROOM = 30
OPENED = 20
EDGES = 250
# So many facts of an entity are read in each direction, in order to count them by what they say.
READ = 250
# A thing with more facts than this is a hub: what leads to it is shown first.
HUB = 3
HUBS = 4
RECENT = 300
CHANGES = 140
# Beyond what is shown it is counted to here: "20+ more".
COUNTED = 20
FOUND = 8


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
class GraphGroup:
    """Facts of an entity that are not shown one by one; `count` is a lower bound unless `is_counted`."""

    entity: EntityRecord
    group: Group
    count: int
    is_counted: bool


@dataclass(frozen=True)
class ShownGraph:
    """A part of the graph. Literals are no nodes here, only ends of edges; `is_cut` where the limit left something out."""

    nodes: tuple[GraphNode, ...] = ()
    edges: tuple[GraphEdge, ...] = ()
    groups: tuple[GraphGroup, ...] = ()
    is_cut: bool = False


def neighbourhood(
    space: Space,
    opened: Sequence[int],
    sight: Sight,
    *,
    groups: Mapping[Group, int] | None = None,
    wide_from: Collection[int] | None = None,
    worded: bool = True,
) -> ShownGraph:
    """Return facts of the opened entities, as many as can be read at once, with the rest folded into groups.

    An entity that is named twice has room for twice as many; `groups` tells how often a group was opened. Room that the
    entities of `wide_from` leave goes to what is farther away: the entities around them, those of which most is known first,
    then anything else that the space knows. With `worded`, each fact has the sentence that it was extracted from and its
    speaker.
    """
    times = Counter(opened[:OPENED])
    read = seen_facts(space, times, sight)
    facts = {pk: fact for those in read.values() for pk, fact in those.items()}
    ends = {
        end for fact in facts.values() for end in (fact.subject_id, fact.object_id) if end is not None
    } - times.keys()
    around = facts_of(space, ends, sight, COUNTED + 1) if wide_from is not None or len(facts) > ROOM else {}
    room_each = max(ROOM // max(len(wide_from or ()), 1), HUB)

    def importance(entity_id: int, fact: SeenFact) -> tuple[bool, int, int]:
        known = len(around.get(fact.other_end(entity_id) or 0, ()))
        return fact.state == EdgeState.HOLDS, -known if known >= HUB else 0, -fact.pk

    wanted: dict[int, None] = {}
    held_back: dict[Group, Sequence[int]] = {}
    for entity_id in times:
        mine = [fact for pk, fact in read.get(entity_id, {}).items() if pk not in wanted]
        mine.sort(key=lambda fact: importance(entity_id, fact))
        result = folded(entity_id, mine, room=room_each * times[entity_id], opened=groups or {})
        wanted |= dict.fromkeys(result.shown)
        held_back |= result.held_back
    if wide_from is not None:
        begun = {pk for entity_id in wide_from for pk in read[entity_id]}
        near = {fact.other_end(one) for one in wide_from for fact in facts.values() if fact.pk in begun}
        left = ROOM - len(begun & wanted.keys())
        around = {entity_id: ids for entity_id, ids in around.items() if entity_id in near}
        wanted |= dict.fromkeys(farther(space, sight, around, known=begun, room=max(left, 0)))
    if sight.with_past and all(fact.state == EdgeState.HOLDS for fact in facts.values()):
        wanted |= dict.fromkeys(replaced_last(space, sight))
    edges = edges_of(space, list(wanted)[:EDGES], sight, worded)
    nodes = nodes_of(space, edges, opened=times, sight=sight)
    return ShownGraph(nodes, tuple(edges), groups_of(nodes, held_back, edges, read), is_cut=len(wanted) > EDGES)


def farther(
    space: Space, sight: Sight, around: Mapping[int, Sequence[int]], *, known: Collection[int], room: int
) -> list[int]:
    """Return ids of facts of the entities around, those with most facts first, then of the newest others."""
    new = [[pk for pk in ids if pk not in known] for _, ids in sorted(around.items(), key=lambda one: -len(one[1]))]
    each = level([len(ids) for ids in new if ids], room)
    near = list(dict.fromkeys(pk for ids in new for pk in ids[:each]))[:room]
    told = {*known, *(pk for ids in new for pk in ids)}
    others = TripleRecord.objects.filter(sight.shown, space=space).exclude(pk__in=told).order_by(*sight.order)
    return near + list(others.values_list("pk", flat=True)[: room - len(near)])


def replaced_last(space: Space, sight: Sight) -> list[int]:
    """Return the ids of the facts that were replaced last in a space."""
    rows = TripleRecord.objects.filter(sight.shown & ~sight.holds, space=space, superseded_at__isnull=False)
    return list(rows.order_by("-superseded_at").values_list("pk", flat=True)[:COUNTED])


def groups_of(
    nodes: Iterable[GraphNode],
    held_back: Mapping[Group, Sequence[int]],
    edges: Iterable[GraphEdge],
    read: Mapping[int, Mapping[int, SeenFact]],
) -> tuple[GraphGroup, ...]:
    """Return the groups of facts that are not shown by any other way."""
    entities = {node.entity.pk: node.entity for node in nodes}
    shown = {edge.triple.pk for edge in edges}
    left = {group: len([pk for pk in ids if pk not in shown]) for group, ids in held_back.items()}
    return tuple(
        GraphGroup(entities[group.entity_id], group, count, is_counted=len(read[group.entity_id]) < READ)
        for group, count in left.items()
        if count
    )


def recent_facts(
    space: Space,
    sight: Sight,
    *,
    opened: Sequence[int] = (),
    groups: Mapping[Group, int] | None = None,
    worded: bool = True,
) -> ShownGraph:
    """Return a space from the entities of which most was said lately, or the newest differences of two turns."""
    if sight.against is not None:
        wanted = changed(space, sight, sight.against, CHANGES)
        edges = edges_of(space, wanted[:CHANGES], sight, worded)
        nodes = nodes_of(space, edges, opened=(), sight=sight)
        return ShownGraph(nodes, tuple(edges), is_cut=len(wanted) > CHANGES)
    rows = TripleRecord.objects.filter(sight.shown, space=space).order_by(*sight.order)
    ends = Counter(end for pair in rows.values_list("subject_id", "object_id")[:RECENT] for end in {*pair} - {None})
    hubs = [entity_id for entity_id, count in ends.most_common(HUBS) if count >= HUB]
    return neighbourhood(space, [*hubs, *opened], sight, groups=groups, wide_from=hubs, worded=worded)


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
    read = newest_of(space, entity_ids, sight, limit, F("pk"))
    return {pk: sorted({*ids}, reverse=True) for pk, ids in read.items()}


def seen_facts(space: Space, entity_ids: Iterable[int], sight: Sight) -> dict[int, dict[int, SeenFact]]:
    """Return by their ids what each entity's newest facts say, newest first, at most `READ` in each direction."""
    fields = ("pk", "predicate", "subject_id", "object_id")
    read = newest_of(space, entity_ids, sight, READ, JSONObject(**{name: name for name in fields}, state=sight.state))
    seen = {entity_id: {one["pk"]: SeenFact(**one) for one in rows} for entity_id, rows in read.items()}
    return {entity_id: dict(sorted(facts.items(), reverse=True)) for entity_id, facts in seen.items()}


def newest_of(
    space: Space, entity_ids: Iterable[int], sight: Sight, limit: int, shown: Combinable
) -> dict[int, list[Any]]:
    if not (wanted := list(entity_ids)):
        return {}

    def newest(end: str) -> ArraySubquery:
        rows = TripleRecord.objects.filter(sight.shown, space=space, **{end: OuterRef("pk")})
        return ArraySubquery(rows.order_by(*sight.order).values(shown=shown)[:limit])

    entities = EntityRecord.objects.filter(space=space, pk__in=wanted)
    rows = entities.annotate(outward=newest("subject"), inward=newest("object")).values_list("pk", "outward", "inward")
    return {pk: [*outward, *inward] for pk, outward, inward in rows}


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
    facts = facts_of(space, entities, sight, max(shown.values(), default=0) + COUNTED + 1)
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


def speaker_in(space: Space, names: Collection[str]) -> EntityRecord | None:
    """Return the entity of the person who speaks under one of the names."""
    keys = [key_of(name) for name in names]
    return EntityRecord.objects.filter(space=space, is_speaker=True, aliases__key__in=keys).order_by("pk").first()
