"""The classes of the ontology: what a thing may be, and what excludes what.

After D-SMART, Section 3 (the memory is an OWL graph). Departures from the paper:
- A dozen everyday classes stand in for those that FRED takes from DOLCE at run time.
- Disjointness is stated at the top only, and what a predicate says of its ends is weakened before it is checked
  (`weak_class_of`): a museum is a place that employs people, so that an employer may be a place. A wrong kind must never
  become a conflict lightly; that Lyon is nobody's sister is all that the check insists on.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

LIVING_BEING = "LivingBeing"
LIFELESS = "Lifeless"
WEAK_CLASSES = frozenset({LIVING_BEING, LIFELESS})

# class: its superclasses
CLASSES: dict[str, tuple[str, ...]] = {
    "Agent": (),
    "Person": ("Agent", LIVING_BEING),
    "Organization": ("Agent",),
    "Animal": (LIVING_BEING,),
    "Place": (LIFELESS,),
    "Event": (LIFELESS,),
    "Object": (LIFELESS,),
    "Food": ("Object",),
    "TimeSpan": (LIFELESS,),
    "Occupation": (),
    "Language": (),
    LIVING_BEING: (),
    LIFELESS: (),
}
# The members of each group exclude one another. Food may be an animal's meat and a job a person's description, so that
# neither Occupation nor Language is in any.
DISJOINT_GROUPS: tuple[tuple[str, ...], ...] = (
    ("Agent", "Animal", "Place", "Event", "Object", "TimeSpan"),
    (LIVING_BEING, LIFELESS),
)
_WEAK = {"Person": LIVING_BEING, "Animal": LIVING_BEING, "Place": LIFELESS}


@cache
def superclasses(name: str) -> frozenset[str]:
    """Return the class with all classes above it; none for a name that is no class of the ontology."""
    if name not in CLASSES:
        return frozenset()
    return frozenset({name}).union(*(superclasses(above) for above in CLASSES[name]))


@cache
def are_disjoint(first: str, second: str) -> bool:
    """Return whether nothing can be of both classes."""
    over_first, over_second = superclasses(first), superclasses(second)
    return any(
        (one in over_first and other in over_second) or (other in over_first and one in over_second)
        for group in DISJOINT_GROUPS
        for one, other in combinations(group, 2)
    )


def weak_class_of(name: str) -> str:
    """Return what a check may conclude of the end of a predicate whose domain or range is `name`; often nothing.

    Dogs have mothers too, so that a person is any living being; people live in institutions, so that a place is anything
    lifeless; employers are persons, firms and places, so that an organization is nothing in particular.
    """
    return _WEAK.get(name, "")
