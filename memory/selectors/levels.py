"""Which facts of a thing are shown one by one, and which are folded into groups that say how many they are. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
