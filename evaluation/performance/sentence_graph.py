"""`bench sentence-graph`: what the sentence graph costs in a space that holds many sentences.

`add a turn` is a turn of three sentences from its first write to the last commit of the graph: sentences, vectors of these
and of the turn, its window and its round, words, edges, and the session where its words have doubled. `after a restart` is
the first turn in a process that has no graph in memory yet. Retrieval embeds its question and reads the database, as a reply
does. `rebuild` finds all edges from nothing but the vectors, as the paper does. `p95_ratio` is a 95th percentile over that at
the smallest size, `cpu_ms` the processor time of this process and of its database session for one, and `load` how many wanted
a core meanwhile: then all takes longer.
"""

from __future__ import annotations

import os
import random
import resource
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.db import connection

from evaluation.adapters.progress import progress_bar
from evaluation.core.costs import percentile
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.performance.costs import ActionCosts, BenchOption, sizes
from evaluation.services.sentence_population import (
    FIRST_DAY,
    SPEAKERS,
    TURNS_A_SESSION,
    made_up_question,
    made_up_turn,
    sentences_fill,
)
from evaluation.services.spaces import temporary_space
from memory import bootstrap
from memory.core.ports import Retriever
from memory.core.sentence_graph.catalogue import make_retriever
from memory.core.types import RetrievalQuery, Role
from memory.models import MaintenanceState, Round, Session, Space
from memory.services import round_open, session_create
from memory.services.maintenance import space_lease_take
from memory.services.round_words import RoundReading, space_state
from memory.services.sentence_graph import graphs, link_words
from memory.services.stages import store_words

HELP = "adding a turn to the sentence graph and retrieving from it, at a number of sentences in the space"
OPTIONS: tuple[BenchOption, ...] = (
    sizes("sentences", (1_000, 10_000)),
    BenchOption("additions", int, 100, "how many turns are added and measured (default: 100)"),
    BenchOption("questions", int, 100, "how many questions each retriever is measured with (default: 100)"),
)
RETRIEVERS = ("sgmem_s", "fused")
WARM_UP = 10
LIMIT = 10
MEGABYTE = 1024
TABLES = (
    "turn",
    "sentencerecord",
    "sentenceedge",
    "turnvector",
    "roundvector",
    "sessionvector",
    "wordrecord",
    "wordposting",
)


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return times of additions, retrievals and the rebuild for each size, and how they compare with the smallest."""
    bootstrap.engine_warm()
    rows: list[Row] = []
    first: dict[str, float] = {}
    for sentences in sorted(options["sentences"]):
        measured, costs = measure_at(sentences, options)
        rows += measured
        for one in costs:
            p95 = percentile(one.measured, 95)
            first.setdefault(one.name, p95)
            rows.append(Row(one.name, "p95_ratio", p95 / first[one.name], unit="times", group=str(sentences)))
    return rows


def measure_at(sentences: int, options: Mapping[str, Any]) -> tuple[list[Row], list[ActionCosts]]:
    group, quiet = str(sentences), options["quiet"]
    chooser = random.Random(sentences)
    with temporary_space(title="bench sentence-graph") as space:
        filled = sentences_fill(space=space, sentences=sentences, quiet=quiet)
        with connection.cursor() as cursor:
            for table in TABLES:
                cursor.execute(f"vacuum analyze memory_{table}")
        restart, additions = ActionCosts("after a restart", 0), ActionCosts("add a turn", WARM_UP)
        graphs.cache_clear()
        wanted = WARM_UP + options["additions"]
        with progress_bar(wanted, title=f"adding at {sentences}", unit="turns", hidden=quiet) as bar:
            for number, session in zip(range(wanted), sessions_of(space), strict=False):
                turn_add(session, made_up_turn(chooser), costs=additions if number else restart)
                bar.update(1)
        retrievals = [
            retrievals_measure(name, space, chooser, count=options["questions"], quiet=quiet) for name in RETRIEVERS
        ]
        held = graphs().nbytes / 2**20
    costs = [additions, *retrievals]
    rows = [row for one in costs for row in one.rows(group)]
    rows += [
        Row("after a restart", "first_ms", restart.milliseconds[0], unit="ms", n=1, group=group),
        Row("rebuild", "seconds", filled.rebuild_seconds, unit="s", n=filled.sentences, group=group),
        Row("rebuild", "cpu_seconds", filled.rebuild_cpu_seconds, unit="s", n=filled.sentences, group=group),
        Row("memory", "graph_mb", held, unit="MB", group=group),
        Row("memory", "peak_mb", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE, unit="MB", group=group),
        Row("machine", "load", os.getloadavg()[0], unit="processes", group=group),
    ]
    return rows, costs


def sessions_of(space: Space) -> Iterator[Session]:
    """Yield a session for each turn, a new one after so many."""
    while True:
        number = Session.objects.filter(space=space).count()
        session = session_create(space=space, started_at=FIRST_DAY + timedelta(days=number))
        for _ in range(TURNS_A_SESSION):
            yield session


def turn_add(session: Session, sentences: list[str], *, costs: ActionCosts) -> None:
    """Say a turn and do for it what the sentence graph needs, in the way of a round's maintenance."""
    lease = space_lease_take(session.space_id)
    if lease is None:
        raise EvaluationError("Another worker is at the measured space.")
    text = " ".join(sentences)
    said_at = session.started_at + timedelta(minutes=session.turns.count())
    with costs.one():
        round = round_open(session=session, speaker=SPEAKERS[0], role=Role.USER, text=text, said_at=said_at).round
        Round.objects.filter(pk=round.pk).update(maintenance=MaintenanceState.RUNNING)
        reading = RoundReading(round, space_state(session.space_id))
        for stage in (store_words, link_words):
            write = stage(reading)
            with lease.committing() as space:
                write(space)
            reading = reading.as_of(space)
    Round.objects.filter(pk=round.pk).update(maintenance=MaintenanceState.DONE, maintenance_stage="links")
    lease.release()


def retrievals_measure(name: str, space: Space, chooser: random.Random, *, count: int, quiet: bool) -> ActionCosts:
    costs = ActionCosts(name, WARM_UP)
    asked_at = FIRST_DAY + timedelta(days=10_000)
    with progress_bar(WARM_UP + count, title=f"asking {name}", unit="questions", hidden=quiet) as bar:
        for _ in range(WARM_UP + count):
            query = RetrievalQuery(made_up_question(chooser), asked_at, asked_by=SPEAKERS[0])
            with costs.one():
                retriever: Retriever = make_retriever(name, bootstrap.dialogue_index(space.pk))
                retriever.retrieve(query, limit=LIMIT)
            bar.update(1)
    return costs
