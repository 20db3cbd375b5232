"""Filling a space with as many triples as a bench needs, in rows, without reading them out of words.

What is written has the shape of a real memory: rounds of turns, a sentence with its vector for every triple, people and
things with their names. A vector is that of a sentence of the same kind, moved a little, so that neighbours crowd as
real ones do.
"""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from django.db import transaction
from django.utils import timezone

from evaluation.adapters.progress import progress_bar
from memory import bootstrap
from memory.core.naming import key_of
from memory.core.types import Role
from memory.models import (
    AliasRecord,
    EntityRecord,
    MaintenanceState,
    Round,
    SentenceRecord,
    Session,
    Space,
    TripleRecord,
    Turn,
)

SPEAKER = "Ana"
TRIPLES_A_ROUND = 5
CHUNK = 1000
NOISE = 0.5
FIRST_DAY = datetime(2020, 1, 1, 9, 0, tzinfo=UTC)

BEGINNINGS = (
    "Bel",
    "Cor",
    "Dan",
    "Fen",
    "Gal",
    "Hes",
    "Jor",
    "Kel",
    "Lor",
    "Mir",
    "Nol",
    "Per",
    "Ros",
    "Sel",
    "Tov",
    "Wen",
)
ENDINGS = ("a", "ia", "en", "ik", "or", "ina", "us", "eth", "ana", "ric")

# Predicate, kind of its object, the sentence that says it, how many different objects there are.
KINDS = (
    ("livesIn", "Place", "{subject} lives in {object}.", 400),
    ("worksFor", "Organization", "{subject} works for {object}.", 300),
    ("likes", "", "{subject} likes {object}.", 500),
    ("hasFriend", "Person", "{object} is a friend of {subject}.", 1000),
    ("visited", "Place", "{subject} visited {object} once.", 400),
)


@dataclass(frozen=True)
class PlannedTriple:
    subject: str
    predicate: str
    object: str
    object_kind: str
    sentence: str
    kind: int


def space_populate(*, space: Space, triples: int, seed: int = 0, quiet: bool = False) -> None:
    """Add the given number of triples to the space, each with its sentence, turn and round, all maintained."""
    space_fill(space=space, plan=list(planned(triples, seed)), seed=seed, quiet=quiet)


def space_fill(
    *,
    space: Space,
    plan: list[PlannedTriple],
    seed: int = 0,
    quiet: bool = False,
    triples_a_round: int = TRIPLES_A_ROUND,
    has_vectors: bool = True,
    reply: str = "",
) -> None:
    """Add planned triples to the space, so many a round, each with its sentence, turn and round, all maintained.

    Where there is a `reply`, every round is answered by it; it is one sentence.

    Without vectors it is many times faster, and as good for whatever does not look for what is near.
    """
    size = CHUNK // triples_a_round * triples_a_round or triples_a_round
    vectors = bootstrap.embedder().embed(
        [next(item.sentence for item in plan if item.kind == kind) for kind in kinds(plan)]
    )
    by_kind = dict(zip(kinds(plan), vectors, strict=True))
    random = np.random.default_rng(seed)

    def vector_of(item: PlannedTriple) -> np.ndarray | None:
        return near(by_kind[item.kind], random) if has_vectors else None

    entities = entities_add(space, plan)
    session = Session.objects.create(space=space, title="filling", started_at=FIRST_DAY)
    with progress_bar(len(plan), title="filling the space", unit="triples", hidden=quiet) as bar:
        for start in range(0, len(plan), size):
            chunk = plan[start : start + size]
            groups = [chunk[at : at + triples_a_round] for at in range(0, len(chunk), triples_a_round)]
            first = start // triples_a_round
            with transaction.atomic():
                rounds = chunk_add(space, session, groups, first_index=first, entities=entities, vector_of=vector_of)
                if reply:
                    replies_add(space, rounds, reply)
            bar.update(len(chunk))


def planned(count: int, seed: int) -> Iterator[PlannedTriple]:
    random = np.random.default_rng(seed)
    for number in range(count):
        kind = number % len(KINDS)
        predicate, object_kind, sentence, variety = KINDS[kind]
        subject = name_of(number // len(KINDS))
        target = name_of(int(random.integers(variety)), suffix=object_kind[:1].lower() or "x")
        words = sentence.format(subject=subject, object=target)
        yield PlannedTriple(subject, predicate, target, object_kind, words, kind)


def name_of(number: int, *, suffix: str = "") -> str:
    """Return a made-up name that no other number has."""
    parts: list[str] = []
    while True:
        number, part = divmod(number, len(BEGINNINGS))
        parts.append(BEGINNINGS[part].lower() if parts else BEGINNINGS[part])
        if not number:
            break
    return "".join(parts) + ENDINGS[len(parts) % len(ENDINGS)] + suffix


def kinds(plan: list[PlannedTriple]) -> list[int]:
    return sorted({item.kind for item in plan})


def entities_add(space: Space, plan: list[PlannedTriple]) -> dict[str, EntityRecord]:
    named = {item.subject: "Person" for item in plan} | {item.object: item.object_kind for item in plan}
    rows = EntityRecord.objects.bulk_create(
        [EntityRecord(space=space, label=label, kind=kind) for label, kind in named.items()], batch_size=CHUNK
    )
    AliasRecord.objects.bulk_create(
        [AliasRecord(space=space, entity=row, text=row.label, key=key_of(row.label)) for row in rows], batch_size=CHUNK
    )
    return {row.label: row for row in rows}


def chunk_add(
    space: Space,
    session: Session,
    groups: list[list[PlannedTriple]],
    *,
    first_index: int,
    entities: dict[str, EntityRecord],
    vector_of: Callable[[PlannedTriple], np.ndarray | None],
) -> list[Round]:
    now = timezone.now()
    rounds = Round.objects.bulk_create(
        Round(
            session=session,
            space=space,
            index=first_index + number,
            maintenance=MaintenanceState.DONE,
            maintenance_stage="graph",
            maintained_at=now,
        )
        for number in range(len(groups))
    )
    turns = Turn.objects.bulk_create(
        Turn(
            round=round,
            session=session,
            space=space,
            index=2 * round.index,
            role=Role.USER.value,
            speaker=SPEAKER,
            text=" ".join(item.sentence for item in group),
            said_at=FIRST_DAY + timedelta(minutes=round.index),
        )
        for round, group in zip(rounds, groups, strict=True)
    )
    sentences = SentenceRecord.objects.bulk_create(
        sentence_row(space, turn, group, index, vector_of(group[index]))
        for turn, group in zip(turns, groups, strict=True)
        for index in range(len(group))
    )
    TripleRecord.objects.bulk_create(
        triple_row(space, item, sentence, entities, now)
        for item, sentence in zip([item for group in groups for item in group], sentences, strict=True)
    )
    return rounds


def replies_add(space: Space, rounds: list[Round], reply: str) -> None:
    turns = Turn.objects.bulk_create(
        Turn(
            round=round,
            session_id=round.session_id,
            space=space,
            index=2 * round.index + 1,
            role=Role.ASSISTANT.value,
            speaker=Role.ASSISTANT.value,
            text=reply,
            said_at=FIRST_DAY + timedelta(minutes=round.index),
            is_generated=True,
        )
        for round in rounds
    )
    SentenceRecord.objects.bulk_create(
        SentenceRecord(space=space, turn=turn, index=0, start=0, end=len(reply), text=reply, is_evidence=False)
        for turn in turns
    )


def near(vector: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return a unit vector in the neighbourhood of another."""
    moved = vector + NOISE * random.standard_normal(len(vector)) / np.sqrt(len(vector))
    return np.asarray(moved / np.linalg.norm(moved), dtype=np.float32)


def sentence_row(
    space: Space, turn: Turn, group: list[PlannedTriple], index: int, vector: np.ndarray | None
) -> SentenceRecord:
    before = sum(len(item.sentence) + 1 for item in group[:index])
    text = group[index].sentence
    return SentenceRecord(
        space=space, turn=turn, index=index, start=before, end=before + len(text), text=text, embedding=vector
    )


def triple_row(
    space: Space,
    item: PlannedTriple,
    sentence: SentenceRecord,
    entities: dict[str, EntityRecord],
    recorded_at: datetime,
) -> TripleRecord:
    return TripleRecord(
        space=space,
        subject=entities[item.subject],
        predicate=item.predicate,
        object=entities[item.object],
        value=item.object,
        value_key=key_of(item.object),
        recorded_at=recorded_at,
        round=sentence.turn.round,
        sentence=sentence,
        span_start=0,
        span_end=len(item.sentence),
        said_by=SPEAKER,
        said_at=sentence.turn.said_at,
    )


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
