"""The classes of the ontology: their hierarchy, and which exclude each other.

After D-SMART, Section 3 (the memory is an OWL graph). Departures from the paper:

- A dozen everyday classes stand in for those that FRED takes from DOLCE at run time.
- Disjointness is stated at the top only, and domains and ranges are weakened before they are checked (`weak_class_of`): a
  museum is a place that employs people, so an employer may be a place. The check only insists on what is certain, such as
  that Lyon is nobody's sister; a wrong class should rarely become a conflict.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

LIVING_BEING = "LivingBeing"
# The classes of living beings: whom a pronoun may mean, who may have relatives.
LIVING = frozenset({"Person", "Animal"})
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
    """Return the class and all its superclasses; empty for a name that is not a class of the ontology."""
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
    """Return the class that a check may conclude from a domain or range `name`; often "", which concludes nothing.

    Dogs have mothers too, so a person is any living being; people live in institutions, so a place is anything lifeless;
    employers are persons, firms and places, so an organization is anything.
    """
    return _WEAK.get(name, "")
