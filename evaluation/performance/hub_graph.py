"""A made-up graph with hubs, and the true distances in it, computed from the whole graph."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping

from django.utils import timezone

from evaluation.services.population import PlannedTriple, name_of, planned
from memory.models import Space, TripleRecord

PERSON = "Ana"
PLACE = "Berlin"
CHAIN = 12
SUPERSEDED_EVERY = 10
TOO_FAR = "too far"
# The kinds of the population whose sentences these are.
HOME, LIKING, FRIEND = 0, 2, 3
# Numbers of names that the ordinary people of the population do not reach.
RESIDENTS_FROM = 1_000_000
CHAINS_FROM = 2_000_000

Graph = Mapping[int, set[int]]


def planned_with_hubs(count: int, seed: int = 0) -> Iterator[PlannedTriple]:
    """Yield triples of which half have one subject, a fifth one object, and a twentieth form chains."""
    of_person, to_place, in_chains = count // 2, count // 5, count // 20
    ordinary = list(planned(count - of_person - to_place - in_chains, seed))
    people = list(dict.fromkeys(item.subject for item in ordinary))
    hubs: list[PlannedTriple] = []
    for number in range(of_person):
        if number % SUPERSEDED_EVERY == 1 and number // SUPERSEDED_EVERY < len(people):
            hubs.append(friendship(PERSON, people[number // SUPERSEDED_EVERY]))
        else:
            thing = name_of(number, suffix="y")
            hubs.append(PlannedTriple(PERSON, "likes", thing, "", f"{PERSON} likes {thing}.", LIKING))
    for number in range(to_place):
        person = name_of(RESIDENTS_FROM + number)
        hubs.append(PlannedTriple(person, "livesIn", PLACE, "Place", f"{person} lives in {PLACE}.", HOME))
    chains = [
        friendship(name_of(CHAINS_FROM + number), name_of(CHAINS_FROM + number + 1))
        for number in range(in_chains)
        if number % CHAIN != CHAIN - 1
    ]
    every = ordinary + hubs + chains
    random.Random(seed).shuffle(every)
    yield from every


def friendship(person: str, friend: str) -> PlannedTriple:
    return PlannedTriple(person, "hasFriend", friend, "Person", f"{friend} is a friend of {person}.", FRIEND)


def some_supersede(space: Space) -> None:
    """Supersede one triple in ten."""
    ids = TripleRecord.objects.filter(space=space).order_by("id").values_list("id", flat=True)
    TripleRecord.objects.filter(pk__in=list(ids)[::SUPERSEDED_EVERY]).update(superseded_at=timezone.now())


def graph_read(space: Space) -> Graph:
    """Return the neighbours of every entity in the whole current graph."""
    graph: dict[int, set[int]] = defaultdict(set)
    rows = TripleRecord.objects.filter(space=space, superseded_at=None).exclude(object=None)
    for subject, target in rows.order_by("id").values_list("subject_id", "object_id"):
        graph[subject].add(target)
        graph[target].add(subject)
    return graph


def distances_from(graph: Graph, start: int, *, most: int) -> dict[int, int]:
    """Return the distance of every entity that is at most `most` edges away."""
    far, queue = {start: 0}, deque([start])
    while queue:
        node = queue.popleft()
        if far[node] < most:
            for other in graph[node]:
                if other not in far:
                    far[other] = far[node] + 1
                    queue.append(other)
    return far


def starts(graph: Graph, count: int, *, seed: int = 1) -> list[int]:
    """Return entities to start from: the two hubs in turn with others, half of which have several neighbours."""
    chooser = random.Random(seed)
    entities = sorted(graph)
    hubs = sorted(entities, key=lambda entity: -len(graph[entity]))[:2]
    linked = [entity for entity in entities if len(graph[entity]) > 1]
    pools = (hubs, linked, entities, linked)
    return [chooser.choice(pools[number % len(pools)]) for number in range(count)]


def pairs_by_distance(graph: Graph, count: int, *, most: int, seed: int = 2) -> dict[int | str, list[tuple[int, int]]]:
    """Return `count` pairs of entities for each distance from 2 to `most`, and as many that are farther apart."""
    chooser = random.Random(seed)
    entities = sorted(graph)
    pairs: dict[int | str, list[tuple[int, int]]] = {apart: [] for apart in (*range(2, most + 1), TOO_FAR)}
    for start in starts(graph, 5 * count, seed=seed):
        if all(len(found) >= count for found in pairs.values()):
            break
        far = distances_from(graph, start, most=most)
        by_distance: dict[int | str, list[int]] = defaultdict(list)
        for entity, apart in sorted(far.items()):
            by_distance[apart].append(entity)
        by_distance[TOO_FAR] = [
            entity for entity in chooser.sample(entities, min(50, len(entities))) if entity not in far
        ]
        for distance, found in pairs.items():
            if by_distance[distance] and len(found) < count:
                found.append((start, chooser.choice(by_distance[distance])))
    return pairs
