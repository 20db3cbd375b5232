"""`bench graph-check`: what the OWL consistency check costs in this process, of a whole graph and of one update to it.

The graph has the shape of a real memory: homes, employers, tastes, friends and parents of many people, some denials, no
contradiction. An update is what one sentence adds; its neighbourhood is gathered beforehand, because a store reads that by
its indexes, so that what is measured is the check alone.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from evaluation.core.costs import cost_rows
from evaluation.core.report import Row
from evaluation.performance.costs import BenchOption, sizes
from evaluation.performance.dialogue import plain_triple
from memory.core.knowledge_graph.consistency.checker import find_violations, neighbourhood_of, would_break
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.types import Entity, Fact, Node, Polarity, SourceSentence, Span, Triple

HELP = "the OWL consistency check of a graph from scratch, and of one update"
OPTIONS: tuple[BenchOption, ...] = (sizes("triples", (20_000,), what="the graph has"),)
REPETITIONS = 5
UPDATES = 300
SAID = datetime(2024, 1, 1, tzinfo=UTC)
NOW = datetime(2024, 6, 1, tzinfo=UTC)
SOURCE = SourceSentence(1, "", "Ana", SAID, 1)
# Predicate, kind of its object, and how many different objects there are.
SAYINGS = (
    ("livesIn", "Place", 400),
    ("worksFor", "Organization", 300),
    ("likes", "", 500),
    ("hasFriend", "Person", 1000),
    ("hasMother", "Person", 0),
)
DENIAL_EVERY = 50
OBJECTS_FROM = 1_000_000


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return the time of a check from scratch, and median and 95th percentile of an update's, for each size."""
    return [row for count in options["triples"] for row in measure_at(count)]


def measure_at(count: int) -> list[Row]:
    ontology, group = Ontology(), str(count)
    triples = made_up_graph(count)
    whole: list[float] = []
    for _ in range(REPETITIONS):
        began = time.perf_counter()
        found = find_violations(triples, ontology=ontology, now=NOW)
        whole.append((time.perf_counter() - began) * 1000)
    rows = [Row("graph_check", "from_scratch_ms", sorted(whole)[len(whole) // 2], unit="ms", n=len(whole), group=group)]
    rows.append(Row("graph_check", "violations", len(found), unit="violations", group=group))
    return rows + cost_rows("graph_check", update_costs(triples, ontology), group=group, prefix="update_")


def update_costs(triples: Sequence[Triple], ontology: Ontology) -> list[float]:
    """Return the milliseconds of the check of each made-up update."""
    by_subject: dict[int, list[Triple]] = defaultdict(list)
    by_object: dict[int, list[Triple]] = defaultdict(list)
    for triple in triples:
        by_subject[triple.subject.id].append(triple)
        if triple.object_id is not None:
            by_object[triple.object_id].append(triple)
    chooser = random.Random(1)
    costs = []
    for _ in range(UPDATES):
        chosen = chooser.choice(triples)
        predicate, kind, _ = chooser.choice(SAYINGS)
        met = chooser.choice(triples).subject
        entities = {chosen.subject.label: chosen.subject, met.label: met}
        fact = Fact(Node(chosen.subject.label, "Person"), predicate, Node(met.label, kind), Span(0, 1))
        needed = neighbourhood_of([fact], ontology=ontology)
        around = [
            *(one for end in (chosen.subject.id, met.id) for one in by_subject[end] if one.predicate in needed.pairs),
            *(one for end in (chosen.subject.id, met.id) for one in by_object[end] if one.predicate in needed.reverse),
        ]
        began = time.perf_counter()
        would_break(around, [fact], entity_of=lookup(entities), ontology=ontology, now=NOW)
        costs.append((time.perf_counter() - began) * 1000)
    return costs


def lookup(entities: Mapping[str, Entity]) -> Callable[[Node], Entity]:
    return lambda node: entities[node.label]


def made_up_graph(count: int) -> list[Triple]:
    """Return a consistent graph of the given number of triples."""
    chooser = random.Random(0)
    return [made_up_triple(number, chooser) for number in range(count)]


def made_up_triple(number: int, chooser: random.Random) -> Triple:
    person = number // len(SAYINGS)
    place = number % len(SAYINGS)
    predicate, kind, variety = SAYINGS[place]
    # Everybody has a mother of their own, who is nobody else of the graph.
    thing = place * OBJECTS_FROM + (chooser.randrange(variety) if variety else person) + OBJECTS_FROM
    is_denial = predicate == "likes" and person % DENIAL_EVERY == 0
    return plain_triple(
        number + 1,
        Entity(person, f"Person {person}", "Person"),
        predicate,
        Entity(thing, f"{predicate} {thing}", kind),
        SOURCE,
        polarity=Polarity.NEGATIVE if is_denial else Polarity.POSITIVE,
    )
