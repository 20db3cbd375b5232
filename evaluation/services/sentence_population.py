"""Fills a space with sentences for a bench, with everything that the sentence graph stores of them.

A turn has three sentences and 26 words; in LoCoMo it has three and 23. All sentences are embedded, and few are repeated, so
that a new one changes about as many neighbour lists as a real one: 3.9 of 8,400, compared with 3.3 of the 8,420 in LoCoMo.
Every other turn names a person who is rarely named. Vectors of turns, windows, rounds and sessions are means of their
sentences'; edges are those of the graph built at once.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from django.db import transaction
from django.utils import timezone
from numpy.typing import NDArray
from tqdm import tqdm

from evaluation.adapters.progress import progress_bar
from evaluation.services.population import name_of
from memory import bootstrap
from memory.core.sentence_graph.hierarchy import session_text, turn_text, window_text
from memory.core.sentence_graph.neighbours import all_neighbours
from memory.core.types import Neighbour, Role
from memory.models import (
    MaintenanceState,
    Round,
    RoundVector,
    SentenceEdge,
    SentenceRecord,
    Session,
    SessionVector,
    Space,
    Turn,
    TurnVector,
)
from memory.services import postings
from memory.services.chunk_index import counted
from memory.services.postings import TurnWords
from memory.stores.neighbour_graphs import NEIGHBOURS

SENTENCES_A_TURN = 3
TURNS_A_SESSION = 24
BATCH = 1000
RARE_NAMES = 4000
SPEAKERS = ("Nadia", "Theo")
FIRST_DAY = datetime(2020, 1, 1, 9, 0, tzinfo=UTC)
Vectors = NDArray[np.float32]

SAYINGS = (
    "I moved to {place} with {who} {when}",
    "{who} works for {company} in {place} now",
    "{who} had {food} for dinner {when}",
    "We went to {place} {when} to see {who}",
    "I left {company} {when} because of {who}",
    "{who} is afraid of the {thing} in {place}",
    "I learn Spanish with {who} in {place}",
    "Did {who} really sell the {thing} {when}",
    "I bought a {thing} for {who} {when}",
    "{who} cooked {food} for us in {place}",
    "The {thing} in {place} was closed {when}",
    "{who} wants to paint the {thing} {when}",
)
WORDS = {
    "place": (
        "Lyon Porto Ghent Turin Oslo Leeds Bergen Nantes Seville Graz Delft Basel Cork Lund Tartu Split Bari Brno Vigo Metz "
        "Kiel Pisa Nice Riga Bern Linz Ulm Gdansk Poznan Aarhus Bilbao Malaga Verona Dublin Tampere Utrecht"
    ).split(),
    "thing": (
        "library guitar bicycle painting tent lighthouse garden telescope harbour bakery castle museum piano bridge lantern "
        "sofa camera canoe violin clock market theatre stove ladder mirror statue fountain carpet"
    ).split(),
    "company": "Airbus Siemens Bosch Nokia Renault Philips Lidl Ericsson Fiat Bayer Ikea Lego Shell Volvo".split(),
    "food": (
        "sushi mushrooms pancakes olives lentils cheese oysters dumplings tofu bread curry apples soup noodles honey rice "
        "lasagne pumpkin salmon waffles paella beans"
    ).split(),
    "who": (
        "Omar Ines Pavel Greta Hugo Salma Bruno Aiko Leon Rosa Emil Vera Jonas Nura Felix Dora Mateo Signe Ravi Tomas Lucia "
        "Anton Freya Karim Elif Marta Oscar Petra Yusuf Clara"
    ).split()
    + [
        f"{whose} {who}"
        for whose in ("my", "her")
        for who in "sister brother cousin boss neighbour teacher aunt uncle doctor landlord".split()
    ],
    "when": (
        "yesterday,last week,in spring,on Monday,a year ago,at Easter,this morning,in July,two days ago,last winter,"
        "on my birthday,before the exam,after the storm,in the holidays,at midnight,last Sunday,in October,on Friday,"
        "after work,during the strike,in the rain,last month,at noon,before breakfast,on New Year"
    ).split(","),
}


@dataclass(frozen=True)
class Filled:
    """The rows written, and the seconds that finding all edges at once took."""

    sentences: int
    rebuild_seconds: float
    rebuild_cpu_seconds: float


def made_up_sentence(chooser: random.Random, *, rare: str = "") -> str:
    words = {kind: chooser.choice(choices) for kind, choices in WORDS.items()}
    return chooser.choice(SAYINGS).format(**words) + (f", said {rare}." if rare else ".")


def made_up_turn(chooser: random.Random) -> list[str]:
    """Return the sentences of a turn."""
    rare = name_of(chooser.randrange(RARE_NAMES)) if chooser.random() < 0.5 else ""
    return [made_up_sentence(chooser, rare=rare if place == 0 else "") for place in range(SENTENCES_A_TURN)]


def made_up_question(chooser: random.Random) -> str:
    """Return a question; every other one names a person who is rarely named."""
    places = {kind: chooser.choice(choices) for kind, choices in WORDS.items()}
    if chooser.random() < 0.5:
        return f"What did {name_of(chooser.randrange(RARE_NAMES))} say about {places['place']}?"
    return f"Who works for {places['company']} in {places['place']} and cooks {places['food']}?"


def sentences_fill(*, space: Space, sentences: int, seed: int = 0, quiet: bool = False) -> Filled:
    """Add the given number of sentences to an empty space, all indexed and linked."""
    chooser, embedder = random.Random(seed), bootstrap.embedder()
    with progress_bar(sentences, title="filling the space", unit="sentences", hidden=quiet) as bar:
        turns = -(-sentences // SENTENCES_A_TURN)
        for first in range(0, turns, TURNS_A_SESSION):
            said = [made_up_turn(chooser) for _ in range(min(TURNS_A_SESSION, turns - first))]
            vectors = embedder.embed([sentence for turn in said for sentence in turn])
            with transaction.atomic():
                session_fill(space, said, vectors, number=first // TURNS_A_SESSION)
            bar.update(SENTENCES_A_TURN * len(said))
    return sentences_link(space=space, quiet=quiet)


def sentences_link(*, space: Space, quiet: bool = False) -> Filled:
    """Compute and store all edges of a space that has none."""
    rows = list(SentenceRecord.objects.filter(space=space).order_by("pk").values_list("pk", "embedding"))
    ids, matrix = [pk for pk, _ in rows], np.array([vector for _, vector in rows], np.float32)
    del rows
    began, cpu_began = time.perf_counter(), time.process_time()
    lists = all_neighbours(ids, matrix, k=NEIGHBOURS)
    took, cpu_took = time.perf_counter() - began, time.process_time() - cpu_began
    with progress_bar(len(ids), title="writing edges", unit="sentences", hidden=quiet) as bar:
        edges_fill(space, lists, bar)
    Space.objects.filter(pk=space.pk).update(embedder=bootstrap.embedder().name, linked_until=ids[-1])
    return Filled(len(ids), took, cpu_took)


def session_fill(space: Space, said: Sequence[Sequence[str]], vectors: Vectors, *, number: int) -> None:
    """Write a session, one turn a round, with its sentences, vectors and words."""
    at = FIRST_DAY + timedelta(days=number)
    session = Session.objects.create(space=space, title=f"day {number + 1}", started_at=at)
    done = {"maintenance": MaintenanceState.DONE, "maintenance_stage": "digests", "maintained_at": timezone.now()}
    rounds = Round.objects.bulk_create(
        Round(session=session, space=space, index=index, **done) for index in range(len(said))
    )
    turns = Turn.objects.bulk_create(
        Turn(
            round=round,
            session=session,
            space=space,
            index=round.index,
            role=Role.USER.value,
            speaker=SPEAKERS[round.index % 2],
            text=" ".join(sentences),
            said_at=at + timedelta(minutes=round.index),
        )
        for round, sentences in zip(rounds, said, strict=True)
    )
    SentenceRecord.objects.bulk_create(sentence_rows(space, turns, said, vectors))
    texts = [turn_text(turn.speaker, turn.text) for turn in turns]
    windows = [window_text(before, text) for before, text in zip(["", *texts], texts, strict=False)]
    entries = [
        TurnWords(turn.pk, counted(text), counted(window), tuple(counted(sentence) for sentence in sentences))
        for turn, text, window, sentences in zip(turns, texts, windows, said, strict=True)
    ]
    postings.turns_add(space.pk, session.pk, entries, date_words=counted(session_text(at, [])))
    of_turns = directions(vectors.reshape(len(turns), -1, vectors.shape[1]).mean(axis=1))
    of_windows = directions(of_turns + np.roll(of_turns, 1, axis=0))
    TurnVector.objects.bulk_create(
        TurnVector(
            turn=turn,
            space=space,
            embedding=vector,
            window=window,
            words=entry.turn.total(),
            window_words=entry.window.total(),
            sentences=len(entry.sentences),
            sentence_words=entry.sentence_words,
        )
        for turn, vector, window, entry in zip(turns, of_turns, of_windows, entries, strict=True)
    )
    RoundVector.objects.bulk_create(
        RoundVector(round=round, space=space, embedding=vector) for round, vector in zip(rounds, of_turns, strict=True)
    )
    [of_session] = directions(of_turns[:8].mean(axis=0)[None])
    SessionVector.objects.filter(session=session).update(embedding=of_session, is_full=True)


def sentence_rows(
    space: Space, turns: Sequence[Turn], said: Sequence[Sequence[str]], vectors: Vectors
) -> list[SentenceRecord]:
    rows, place = [], 0
    for turn, sentences in zip(turns, said, strict=True):
        start = 0
        for index, text in enumerate(sentences):
            end = start + len(text)
            row = SentenceRecord(space=space, turn=turn, index=index, start=start, end=end, text=text)
            row.embedding = vectors[place]
            rows.append(row)
            start, place = end + 1, place + 1
    return rows


def edges_fill(space: Space, lists: dict[int, list[Neighbour]], bar: tqdm[None]) -> None:
    ids = list(lists)
    for start in range(0, len(ids), BATCH):
        part = ids[start : start + BATCH]
        SentenceEdge.objects.bulk_create(
            SentenceEdge(space=space, sentence_id=one, neighbour_id=near.id, rank=rank, similarity=near.similarity)
            for one in part
            for rank, near in enumerate(lists[one])
        )
        bar.update(len(part))


def directions(vectors: NDArray[np.floating]) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)
