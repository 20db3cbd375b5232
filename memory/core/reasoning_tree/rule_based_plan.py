"""Matches a question against the graph: the question as a pattern of things and links, and the triples that fill it.

"Where does my sister's employer have its office?" is a chain of three links: from the speaker to a sister, from her to an
employer, from it to a place. A `Plan` is such a pattern. `solve` finds its fillers in a subgraph or, where there are none,
how far the subgraph leads and which link is missing. A `Vocabulary` knows what the words mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from memory.core.types import Entity, Triple

# More fillers than this say no more about a question.
_SOLUTIONS = 60
_ONWARD = 3


@dataclass(frozen=True)
class Thing:
    """Something a question speaks of: `words` as it says it, `noun` its kind, `known` the entities that a name means.

    A thing with a `value` is what the question gives in words ("vegetarian"), to be compared with.
    """

    words: str
    noun: str = ""
    known: tuple[Entity, ...] = ()
    value: str = ""

    @property
    def is_given(self) -> bool:
        return bool(self.known or self.value)


@dataclass(frozen=True)
class Link:
    """A relation that a question asserts between two things, by their places: a role of the source, or what it does.

    `words` are a noun ("sister") or a verb in base form with its preposition ("work for").
    """

    source: int
    target: int
    words: str
    is_role: bool = False


@dataclass(frozen=True)
class Plan:
    """Things and links. `apart` are pairs of things that are not the same one."""

    things: tuple[Thing, ...]
    links: tuple[Link, ...]
    apart: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class End:
    """An end of a triple: an entity, or a literal without an id."""

    id: int | None
    label: str
    kind: str = ""

    @property
    def key(self) -> str:
        return " ".join(self.label.casefold().split())

    def is_same(self, other: End) -> bool:
        return self.key == other.key if self.id is None or other.id is None else self.id == other.id


@dataclass(frozen=True)
class Fit:
    """How well a triple states a link, above 0. `is_turned` where the triple's object is the link's source.

    `is_whole` where the triple includes the target that the question gives: "drives a bus" is stated by "bus driver".
    """

    score: float
    is_turned: bool = False
    is_whole: bool = False


class Vocabulary(Protocol):
    """The knowledge of English that the search is given: what words and predicates mean."""

    def fit(self, link: Link, triple: Triple) -> Sequence[Fit]:
        """Return how a triple states a link, in either direction; nothing where it does not."""

    def suits(self, thing: Thing, end: End, triples: Sequence[Triple]) -> bool:
        """Return whether an entity may be of the kind that a thing is called ("city"), as far as is known."""

    def leads_on(self, triple: Triple) -> bool:
        """Return whether a triple states that its subject is part of its object, as a town is of a country."""

    def similarity(self, text: str, triples: Sequence[Triple]) -> list[float]:
        """Return the similarity of each triple to a text, in [0, 1]."""


@dataclass(frozen=True)
class Solution:
    """The filler of each thing, and the triples that state each link, both by index in the plan."""

    fillers: dict[int, End]
    said: dict[int, tuple[Triple, ...]]

    @property
    def triples(self) -> tuple[Triple, ...]:
        """The triples in the order of the links, each once."""
        return tuple({triple.id: triple for place in sorted(self.said) for triple in self.said[place]}.values())


@dataclass(frozen=True)
class PlanMatch:
    """How a subgraph matches a plan: its whole solutions, else the furthest partial one and its missing link.

    `frontier` are the entities from which the missing link would go on, over all equally far partial solutions.
    """

    solutions: tuple[Solution, ...]
    furthest: Solution
    missing: Link | None
    frontier: tuple[End, ...] = ()

    @property
    def is_solved(self) -> bool:
        return bool(self.solutions)

    def coverage(self, plan: Plan) -> float:
        """Return the share of the plan's links that the subgraph states."""
        if self.is_solved or not plan.links:
            return 1.0 if self.is_solved else 0.0
        return len(self.furthest.said) / len(plan.links)


def subject_end(triple: Triple) -> End:
    return End(triple.subject.id, triple.subject.label, triple.subject.kind)


def object_end(triple: Triple) -> End:
    return End(triple.object_id, triple.object, triple.object_kind)


def solve(plan: Plan, triples: Sequence[Triple], words: Vocabulary) -> PlanMatch:
    """Return the solutions of a plan in a subgraph, or how far it leads."""
    return _Solver(plan, triples, words).match()


class _Solver:
    def __init__(self, plan: Plan, triples: Sequence[Triple], words: Vocabulary) -> None:
        self._plan = plan
        self._triples = triples
        self._words = words
        self._fits = [[(fit, triple) for triple in triples for fit in words.fit(link, triple)] for link in plan.links]
        self._furthest: Solution | None = None
        self._missing: Link | None = None
        self._frontier: dict[int, End] = {}

    def match(self) -> PlanMatch:
        solutions: list[Solution] = []
        for start in self._starts():
            for solution in self._extended(start):
                solutions.append(solution)
                if len(solutions) >= _SOLUTIONS:
                    break
        furthest = self._furthest or Solution({}, {})
        if solutions:
            return PlanMatch(tuple(solutions), furthest, None)
        missing = self._missing or next(iter(self._plan.links), None)
        return PlanMatch((), furthest, missing, tuple(self._frontier.values()))

    def _starts(self) -> Iterator[Solution]:
        """Yield one partial solution for each way to resolve the names in the question."""
        found = [Solution({}, {})]
        for place, thing in enumerate(self._plan.things):
            if thing.known:
                found = [
                    replace(one, fillers={**one.fillers, place: End(entity.id, entity.label, entity.kind)})
                    for one in found
                    for entity in thing.known
                ][:_SOLUTIONS]
            elif thing.value:
                found = [replace(one, fillers={**one.fillers, place: End(None, thing.value)}) for one in found]
        yield from found

    def _extended(self, solution: Solution) -> Iterator[Solution]:
        place = self._next(solution)
        if place is None:
            if len(solution.said) == len(self._plan.links):
                yield solution
            return
        found = self._matches(place, solution)
        if not found:
            self._note(solution, self._plan.links[place])
        for ends, triples in found:
            yield from self._extended(Solution({**solution.fillers, **ends}, {**solution.said, place: triples}))

    def _next(self, solution: Solution) -> int | None:
        """Return the next link to match: one with both ends filled, else the first with a filled entity at an end."""
        open_links = [place for place in range(len(self._plan.links)) if place not in solution.said]
        ranked = [(self._rank(place, solution), -place) for place in open_links]
        rank, place = max(ranked, default=(0, 0))
        if rank == 0:
            if open_links:
                self._note(solution, self._plan.links[open_links[0]])
            return None
        return -place

    def _rank(self, place: int, solution: Solution) -> int:
        link = self._plan.links[place]
        filled = [solution.fillers[end] for end in (link.source, link.target) if end in solution.fillers]
        if not any(end.id is not None for end in filled):
            # What the question gives in words only is no place to walk from while another can be reached.
            return 1 if filled else 0
        return 1 + len(filled)

    def _matches(self, place: int, solution: Solution) -> list[tuple[dict[int, End], tuple[Triple, ...]]]:
        """Return the fillers of a link's ends from the best fitting triples, with these triples."""
        link = self._plan.links[place]
        found: list[tuple[float, dict[int, End], tuple[Triple, ...]]] = []
        for fit, triple in self._fits[place]:
            ends = subject_end(triple), object_end(triple)
            source, target = reversed(ends) if fit.is_turned else ends
            if not self._may_fill(link.source, source, solution):
                continue
            if fit.is_whole and link.target in solution.fillers:
                found.append((fit.score, {link.source: source}, (triple,)))
                continue
            for end, onward in self._reached(link.target, target, solution):
                found.append((fit.score, {link.source: source, link.target: end}, (triple, *onward)))
        found = [one for one in found if self._are_apart({**solution.fillers, **one[1]})]
        best = max((score for score, _, _ in found), default=0.0)
        return [(ends, triples) for score, ends, triples in found if score > best - 0.01]

    def _reached(self, place: int, end: End, solution: Solution) -> Iterator[tuple[End, tuple[Triple, ...]]]:
        """Yield an end, and the larger place that it is part of where the question asks for that."""
        waiting: list[tuple[End, tuple[Triple, ...]]] = [(end, ())]
        for _ in range(_ONWARD):
            fitting = [(one, way) for one, way in waiting if self._may_fill(place, one, solution)]
            if fitting:
                yield from fitting
                return
            waiting = [
                (object_end(triple), (*way, triple))
                for one, way in waiting
                for triple in self._triples
                if subject_end(triple).is_same(one) and self._words.leads_on(triple)
            ]

    def _may_fill(self, place: int, end: End, solution: Solution) -> bool:
        filled = solution.fillers.get(place)
        if filled is not None:
            return filled.is_same(end) or (filled.id is None and _says(end, filled.label))
        return self._words.suits(self._plan.things[place], end, self._triples)

    def _are_apart(self, fillers: dict[int, End]) -> bool:
        pairs = [(fillers[one], fillers[other]) for one, other in self._plan.apart if {one, other} <= fillers.keys()]
        return not any(first.is_same(second) for first, second in pairs)

    def _note(self, solution: Solution, missing: Link) -> None:
        reached = len(self._furthest.said) if self._furthest is not None else -1
        if len(solution.said) > reached:
            self._furthest, self._missing, self._frontier = solution, missing, {}
        if len(solution.said) >= reached:
            for place in (missing.source, missing.target):
                end = solution.fillers.get(place)
                if end is not None and end.id is not None:
                    self._frontier.setdefault(end.id, end)


def _says(end: End, value: str) -> bool:
    """Return whether an end's label has all the words of a value: "a red Toyota Yaris" has "Toyota"."""
    return set(value.casefold().split()) <= set(end.label.casefold().split())
