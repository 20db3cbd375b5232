"""Walks over one space's current graph, step by step in SQL, so that no step costs more in a larger graph.

The graph actions of D-SMART's Reasoning Tree (EXPAND ENTITY, FIND PATH) stand on this.

What is walked: triples that are asserted and active. What was so and is over is walked, because questions about the past
are asked too; it is told apart by its `valid_to`. A literal, and a denial of everything, ends a walk. A denial of
something in particular is an edge, told apart by its polarity: it may be the very answer.

Departures from the paper, which walks a graph in memory and gives no bounds:
- Every node gives a walk its newest triples only, up to a number, and every walk stops at a number. What was left out
  because of that is said in the result.
- After the first hop a node gives an expansion a quarter of the limit at most, so that a place where thousands live does
  not take the room of everything else.
- Of the shortest paths, those come first that are all true now, then those that pass through no hub, then the newest.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connection

from memory.core.types import Expansion, GraphPath, Modality, PathSearch, Triple
from memory.models import TripleRecord
from memory.stores.paths import HUB_MOST, Ball, Edge, PathFinder, Step, merged
from memory.stores.rows import triples_of

# The conditions are those of the indexes that give these orders. The space is asked for outside of them: a planner that knows
# nothing yet of a new space would rather go through all of it. No step costs more than its limits, whoever's the node is.
STEPS = """
    select step.node, triple.id, triple.subject_id, triple.object_id, triple.is_weak
    from unnest(%(nodes)s::bigint[], %(most)s::int[]) as step(node, most)
    cross join lateral (
        (select id, space_id, subject_id, object_id, polarity = 'negative' or coalesce(valid_to <= now(), false) as is_weak
        from memory_triplerecord
        where subject_id = step.node and superseded_at is null and modality = 'asserted'
        order by id desc limit step.most + 1)
        union all
        (select id, space_id, subject_id, object_id, polarity = 'negative' or coalesce(valid_to <= now(), false)
        from memory_triplerecord
        where object_id = step.node and superseded_at is null and modality = 'asserted'
        order by id desc limit step.most + 1)
    ) as triple
    where triple.space_id = %(space)s
"""
BRIDGES = """
    select triple.id, triple.subject_id, triple.object_id, triple.is_weak
    from unnest(%(subjects)s::bigint[], %(objects)s::bigint[]) as bridge(subject, object)
    cross join lateral (
        select id, space_id, subject_id, object_id, polarity = 'negative' or coalesce(valid_to <= now(), false) as is_weak
        from memory_triplerecord
        where subject_id = bridge.subject and object_id = bridge.object and superseded_at is null and modality = 'asserted'
        order by id desc limit %(most)s
    ) as triple
    where triple.space_id = %(space)s
"""
HUBS = """
    select node from unnest(%(nodes)s::bigint[]) as node where exists (
        select from memory_triplerecord
        where subject_id = node and superseded_at is null and modality = 'asserted'
        offset %(most)s
    ) or exists (
        select from memory_triplerecord
        where object_id = node and superseded_at is null and modality = 'asserted'
        offset %(most)s
    )
"""
FROM_SENTENCES = """
    select triple.id from unnest(%(sentences)s::bigint[]) with ordinality as source(sentence, place)
    cross join lateral (
        select id, space_id from memory_triplerecord
        where sentence_id = source.sentence and superseded_at is null and modality = 'asserted'
        order by id limit %(most)s
    ) as triple
    where triple.space_id = %(space)s
    order by source.place, triple.id limit %(most)s
"""


class SpaceGraph:
    """Walks the current graph of one space (`GraphWalker`)."""

    def __init__(self, space_id: int) -> None:
        self._space_id = space_id

    def expand_many(self, groups: Sequence[Sequence[int]], *, hops: int = 1, limit: int = 40) -> list[Expansion]:
        """Return the neighbourhood of each group of entities, its triples nearest first, then newest first.

        One query a hop and one for the triples, however many groups there are.
        """
        balls = [Ball(group, limit=limit) for group in groups]
        for _ in range(hops):
            steps = self._steps(merged(ball.wanted for ball in balls))
            for ball in balls:
                ball.grow(steps)
        triples = self._triples(triple_id for ball in balls for triple_id in ball.nearest)
        return [
            Expansion(tuple(triples[one] for one in ball.nearest if one in triples), is_capped=ball.is_capped)
            for ball in balls
        ]

    def find_paths_many(
        self, pairs: Sequence[tuple[int, int]], *, max_edges: int = 4, limit: int = 5
    ) -> list[PathSearch]:
        """Return the shortest paths of each pair of entities, in at most two queries for each edge of `max_edges`."""
        finders = [PathFinder(start, end, max_edges=max_edges) for start, end in pairs]
        while searching := [finder for finder in finders if not finder.is_done]:
            steps = self._steps(merged(finder.wanted for finder in searching))
            for finder in searching:
                finder.grow(steps)
            bridges = self._bridges((gap for finder in searching for gap in finder.gaps), most=limit + 1)
            for finder in searching:
                finder.join(bridges)
        hubs = self._hubs(node for finder in finders for node in finder.doubtful())
        found = [finder.best(hubs, most=limit + 1) for finder in finders]
        triples = self._triples(edge.id for paths in found for path in paths[:limit] for edge in path)
        return [
            PathSearch(
                tuple(
                    GraphPath(tuple(triples[edge.id] for edge in path))
                    for path in paths[:limit]
                    if all(edge.id in triples for edge in path)
                ),
                is_capped=finder.is_capped or len(paths) > limit,
            )
            for finder, paths in zip(finders, found, strict=True)
        ]

    def triples_from(self, sentence_ids: Sequence[int], *, limit: int = 40) -> list[Triple]:
        """Return the active triples that were extracted from the sentences, in the order of the given sentences."""
        ids = [row[0] for row in self._rows(FROM_SENTENCES, sentences=list(dict.fromkeys(sentence_ids)), most=limit)]
        triples = self._triples(ids)
        return [triples[triple_id] for triple_id in ids if triple_id in triples]

    def _steps(self, most: Mapping[int, int]) -> dict[int, Step]:
        """Return the newest triples of each node, in either direction, at most as many as `most` says."""
        found: dict[int, dict[int, Edge]] = defaultdict(dict)
        if most:
            for node, *edge in self._rows(STEPS, nodes=list(most), most=list(most.values())):
                found[node][edge[0]] = Edge._make(edge)
        whole = {node: [edges[one] for one in sorted(edges, reverse=True)] for node, edges in found.items()}
        return {node: Step(edges, is_cut=False).first(most[node]) for node, edges in whole.items()}

    def _bridges(self, gaps: Iterable[tuple[int, int]], *, most: int) -> dict[tuple[int, int], list[Edge]]:
        """Return the newest triples between each pair of nodes, at most `most` a pair, by subject and object."""
        ends = list(dict.fromkeys(pair for one, other in gaps for pair in ((one, other), (other, one))))
        found: dict[tuple[int, int], list[Edge]] = defaultdict(list)
        if ends:
            subjects, objects = zip(*ends, strict=True)
            for row in self._rows(BRIDGES, subjects=list(subjects), objects=list(objects), most=most):
                edge = Edge._make(row)
                found[row[1], row[2]].append(edge)
        return found

    def _hubs(self, nodes: Iterable[int]) -> set[int]:
        asked = list(dict.fromkeys(nodes))
        return {row[0] for row in self._rows(HUBS, nodes=asked, most=HUB_MOST)} if asked else set()

    def _triples(self, ids: Iterable[int]) -> dict[int, Triple]:
        """Return triples by id, without those that were superseded since the walk."""
        wanted = set(ids)
        rows = TripleRecord.objects.filter(pk__in=wanted, superseded_at=None, modality=Modality.ASSERTED)
        return {triple.id: triple for triple in triples_of(rows)} if wanted else {}

    def _rows(self, statement: str, **parameters: list[int] | int) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(statement, {"space": self._space_id, **parameters})
            return cursor.fetchall()
