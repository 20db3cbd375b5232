"""An index of a graph's assertions by the groups in which an axiom can be broken.

Adding or removing an assertion touches only its own groups, and only those are checked again: the cost of an update does not
grow with the graph. `violations` depends on the contents of the index, never on the order of additions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import cast

from memory.core.knowledge_graph.classes import WEAK_CLASSES, are_disjoint
from memory.core.knowledge_graph.consistency.assertions import Assertion, Identity
from memory.core.knowledge_graph.consistency.consequences import (
    DATATYPE,
    DENIED,
    DISJOINT_CLASSES,
    IRREFLEXIVE,
    NEGATIVE_ASSERTION,
    POSITIVE,
    Group,
    Reading,
    denial_group,
    is_chained,
    predicates_leading_to,
)
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.types import Axiom, Violation

# Of one value in a group: the assertions that give it, by their order.
Supporters = dict[tuple[int, int], Assertion]

_BROKEN_BY_ONE = frozenset({IRREFLEXIVE, DATATYPE})


class ConsistencyIndex:
    """Holds assertions and returns the axioms that they break."""

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._reading = Reading(ontology)
        self._held: dict[str, Supporters] = {}
        self._denied: set[str] = set()
        self._groups: dict[Group, dict[Hashable, Supporters]] = {}
        self._unchecked: set[Group] = set()
        self._broken: dict[Group, tuple[tuple[str, ...], tuple[Assertion, ...]]] = {}
        self._chains: dict[str, dict[Identity, dict[Identity, Supporters]]] = {}
        self._denials: dict[str, set[Group]] = {}

    def add(self, assertions: Iterable[Assertion]) -> None:
        """Add assertions."""
        taken = list(assertions)
        self._expect_denials({assertion.predicate for assertion in taken if assertion.is_denial})
        for assertion in taken:
            self._held.setdefault(assertion.predicate, {})[assertion.order] = assertion
            self._place(assertion)
            self._follow_chains(assertion, is_added=True)

    def remove(self, assertions: Iterable[Assertion]) -> None:
        """Remove assertions; unknown ones are ignored."""
        for assertion in assertions:
            self._held.get(assertion.predicate, {}).pop(assertion.order, None)
            for group, value in self._reading.touched_groups(assertion, denied=self._denied):
                values = self._groups.get(group, {})
                supporters = values.get(value, {})
                supporters.pop(assertion.order, None)
                if not supporters:
                    values.pop(value, None)
                if not values:
                    self._groups.pop(group, None)
                self._unchecked.add(group)
            self._follow_chains(assertion, is_added=False)

    def violations(self) -> list[Violation]:
        """Return the violations, each with the fewest assertions that cause it, oldest first.

        Where two assertions break an axiom of a predicate and of a broader one, the narrower predicate is named.
        """
        self._check_changed()
        named: dict[tuple[str, tuple[tuple[int, int], ...]], tuple[tuple[int, tuple[str, ...]], Violation]] = {}
        for (axiom, _, _), (terms, assertions) in self._broken.items():
            orders = tuple(assertion.order for assertion in assertions)
            said = {assertion.predicate for assertion in assertions}
            rank = (sum(term not in said for term in terms), terms)
            if (axiom, orders) not in named or rank < named[axiom, orders][0]:
                violation = Violation(Axiom(axiom), terms, tuple(assertion.origin for assertion in assertions))
                named[axiom, orders] = (rank, violation)
        return [named[key][1] for key in sorted(named, key=lambda key: (key[1], key[0]))]

    @property
    def is_broken(self) -> bool:
        """Whether there are violations."""
        self._check_changed()
        return bool(self._broken)

    def _check_changed(self) -> None:
        for group in self._unchecked:
            self._broken.pop(group, None)
            if (found := self._check(group)) is not None:
                self._broken[group] = found
        self._unchecked.clear()

    def _expect_denials(self, names: set[str]) -> None:
        """Index the assertions of predicates that are denied for the first time; most predicates never are."""
        new = names - self._denied
        self._denied |= new
        for predicate in {other for name in new for other in (name, *predicates_leading_to(name))}:
            for assertion in self._held.get(predicate, {}).values():
                self._place(assertion)

    def _place(self, assertion: Assertion) -> None:
        for group, value in self._reading.touched_groups(assertion, denied=self._denied):
            values = self._groups.get(group)
            if values is None:
                self._groups[group] = {value: {assertion.order: assertion}}
                if value is DENIED or group[0] in _BROKEN_BY_ONE:
                    self._unchecked.add(group)
                continue
            supporters = values.get(value)
            if supporters is None:
                values[value] = {assertion.order: assertion}
            else:
                supporters[assertion.order] = assertion
            if len(values) > 1 or group in self._broken:
                self._unchecked.add(group)

    def _check(self, group: Group) -> tuple[tuple[str, ...], tuple[Assertion, ...]] | None:
        axiom, terms, key = group
        values = self._groups.get(group, {})
        if axiom == DISJOINT_CLASSES:
            return _class_clash(values)
        if axiom == NEGATIVE_ASSERTION and DENIED in values and POSITIVE not in values:
            return self._chain_clash(terms, key, values)
        if len(values) < (1 if axiom in _BROKEN_BY_ONE else 2):
            return None
        return terms, _in_order(_first(supporters) for supporters in values.values())

    def _follow_chains(self, assertion: Assertion, *, is_added: bool) -> None:
        """Update the links of a transitive predicate, and check its denials again."""
        name = assertion.predicate
        if not is_chained(self._ontology.predicate_named(name)) or assertion.object is None:
            return
        denials = self._denials.setdefault(name, set())
        if assertion.is_denial:
            denials.add(denial_group(name, assertion.subject, assertion.object))
            return
        links = self._chains.setdefault(name, {}).setdefault(assertion.subject, {})
        supporters = links.setdefault(assertion.object, {})
        if is_added:
            supporters[assertion.order] = assertion
        else:
            supporters.pop(assertion.order, None)
            if not supporters:
                del links[assertion.object]
        self._unchecked |= denials

    def _chain_clash(
        self, terms: tuple[str, ...], key: tuple[Hashable, ...], values: dict[Hashable, Supporters]
    ) -> tuple[tuple[str, ...], tuple[Assertion, ...]] | None:
        start, end = key
        path = None
        if end is not None:
            path = _path(self._chains.get(terms[0], {}), cast("Identity", start), cast("Identity", end))
        return (terms, _in_order([*path, _first(values[DENIED])])) if path is not None else None


def _class_clash(values: dict[Hashable, Supporters]) -> tuple[tuple[str, ...], tuple[Assertion, ...]] | None:
    """Return two disjoint classes of one thing and the assertions that imply them, or None."""
    # A stated kind says more than what a predicate lets one conclude of its ends.
    for one, other in combinations(sorted(map(str, values), key=lambda name: (name in WEAK_CLASSES, name)), 2):
        if are_disjoint(one, other):
            return (one, other), _in_order([_first(values[one]), _first(values[other])])
    return None


def _path(
    links: dict[Identity, dict[Identity, Supporters]], start: Identity, end: Identity
) -> Sequence[Assertion] | None:
    """Return the shortest chain of links from one thing to another, or None where there is none."""
    waiting: deque[tuple[Identity, tuple[Assertion, ...]]] = deque([(start, ())])
    seen = set()
    while waiting:
        place, path = waiting.popleft()
        for following, supporters in sorted(links.get(place, {}).items(), key=lambda link: min(link[1])):
            longer = (*path, _first(supporters))
            if following == end:
                return longer
            if following not in seen:
                seen.add(following)
                waiting.append((following, longer))
    return None


def _first(supporters: Supporters) -> Assertion:
    return supporters[min(supporters)]


def _in_order(assertions: Iterable[Assertion]) -> tuple[Assertion, ...]:
    """Return the assertions, each once, by `order`; one assertion may break an axiom alone."""
    return tuple(sorted({assertion.order: assertion for assertion in assertions}.values(), key=lambda one: one.order))
