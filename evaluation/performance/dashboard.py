"""`bench dashboard`: the server time and the queries of each page of a large memory's dashboard.

Half of the memory is about one person, a fifth lives in one place, and each superseded triple has a conflict, a tenth of them
decided by hand; every round is answered and the answer scored. A signed-in person requests the pages in turn and warm,
through the whole middleware; network and browser are left out. A page that the product lacks is reported as such.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from statistics import fmean
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, reverse

from evaluation.adapters.progress import progress_bar
from evaluation.core.costs import cost_rows
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.models import ScoreState, TurnScore
from evaluation.performance.costs import BenchOption, sizes
from evaluation.services.population import PERSON, PLACE, planned_with_hubs, some_supersede, space_fill
from evaluation.services.spaces import temporary_space
from memory.core.types import ConflictRule, EntailmentVerdict, Role
from memory.models import (
    AliasRecord,
    ConflictRecord,
    DigestRecord,
    EntityRecord,
    Membership,
    Round,
    SentenceEdge,
    SentenceRecord,
    Space,
    TripleRecord,
    Turn,
)

HELP = "server time and queries of every page of the dashboard, at a number of triples and turns"
OPTIONS: tuple[BenchOption, ...] = (
    sizes("triples", (100_000,)),
    BenchOption("turns", int, 2_000, "in how many turns they were said (default: 2000)"),
    BenchOption("requests", int, 40, "how often each page is measured (default: 40)"),
)
WARM_UP = 3
BATCH = 1000
BY_HAND_EVERY = 10
FILLED = (
    Round, Turn, SentenceRecord, EntityRecord, AliasRecord, TripleRecord, ConflictRecord, TurnScore, SentenceEdge,
    DigestRecord,
)  # fmt: skip
# Three neighbours for each sentence, as the product has them: those that were said before it.
NEIGHBOURS = """
insert into memory_sentenceedge (space_id, sentence_id, neighbour_id, rank, similarity)
select %(space)s, id, neighbour_id, back - 1, 1 - back * 0.1
from (
    select id, back, lag(id, back) over (partition by back order by id) as neighbour_id
    from memory_sentencerecord, generate_series(1, 3) as back where space_id = %(space)s
) said
where neighbour_id is not null
"""
TABLES = tuple(model._meta.db_table for model in FILLED)
REPLY = "So it is, as you say."
LONGEST_DIGEST = 120
VERDICTS = (
    EntailmentVerdict(0.9, 0.08, 0.02),
    EntailmentVerdict(0.2, 0.7, 0.1),
    EntailmentVerdict(0.04, 0.06, 0.9),
)


@dataclass(frozen=True)
class PageAsked:
    """A page under the name that the table has for it; `query` is what its address asks."""

    title: str
    view: str
    arguments: tuple[int, ...]
    query: Mapping[str, str | int] = field(default_factory=dict)


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return median, 95th percentile and queries of each page, for each size."""
    # Pages name the files that they ask for by their contents, as the served product does.
    call_command("collectstatic", verbosity=0, interactive=False)
    return [row for triples in options["triples"] for row in measure_at(triples, options)]


def measure_at(triples: int, options: Mapping[str, Any]) -> list[Row]:
    with temporary_space(title="bench dashboard") as space, signed_in(space) as reader:
        memory_fill(space, by=reader.user, triples=triples, turns=options["turns"], quiet=options["quiet"])
        with connection.cursor() as cursor:
            for table in TABLES:
                cursor.execute(f"vacuum analyze {table}")
        return pages_measure(reader, list(pages_of(space)), count=options["requests"], quiet=options["quiet"])


def memory_fill(space: Space, *, by: User, triples: int, turns: int, quiet: bool) -> None:
    """Fill the space with triples in rounds, each round answered and scored; `by` decided some of the conflicts."""
    plan = list(planned_with_hubs(triples))
    a_round = max(triples // turns, 1)
    space_fill(space=space, plan=plan, quiet=quiet, triples_a_round=a_round, has_vectors=False, reply=REPLY)
    scores_add(space)
    some_supersede(space)
    conflicts_add(space, by=by)
    neighbours_and_digests_add(space)


def neighbours_and_digests_add(space: Space) -> None:
    """Give every sentence neighbours, and every round a fact."""
    with connection.cursor() as cursor:
        cursor.execute(NEIGHBOURS, {"space": space.pk})
    turns = list(Turn.objects.filter(space=space, role=Role.USER.value).defer("search").order_by("pk"))
    digests = DigestRecord.objects.bulk_create(
        (
            DigestRecord(
                space=space,
                kind=DigestRecord.Kind.FACT,
                session_id=turn.session_id,
                round_id=turn.round_id,
                text=turn.text[:LONGEST_DIGEST],
                said_at=turn.said_at,
            )
            for turn in turns
        ),
        batch_size=BATCH,
    )
    sources = DigestRecord.sentences.through
    first = dict(SentenceRecord.objects.filter(space=space, index=0).values_list("turn_id", "pk"))
    sources.objects.bulk_create(
        (
            sources(digestrecord_id=digest.pk, sentencerecord_id=first[turn.pk])
            for turn, digest in zip(turns, digests, strict=True)
        ),
        batch_size=BATCH,
    )


def scores_add(space: Space) -> None:
    """Give every reply a score against its user's message."""
    asked = {turn.round_id: turn for turn in Turn.objects.filter(space=space, role=Role.USER.value)}
    replies = Turn.objects.filter(space=space, role=Role.ASSISTANT.value).order_by("pk")
    TurnScore.objects.bulk_create(
        (
            TurnScore(
                space=space,
                session_id=turn.session_id,
                turn=turn,
                model="bench",
                strategy=settings.DSMART_SCORE_STRATEGY,
                state=ScoreState.SCORED,
                label=verdict.label.value,
                entailment=verdict.entailment,
                neutral=verdict.neutral,
                contradiction=verdict.contradiction,
                premise_turn=asked[turn.round_id],
                premise_start=0,
                premise_end=len(asked[turn.round_id].text),
                hypothesis_start=0,
                hypothesis_end=len(REPLY),
                scored_at=turn.said_at,
            )
            for turn, verdict in zip(replies, cycle(VERDICTS), strict=False)
        ),
        batch_size=BATCH,
    )


@dataclass(frozen=True)
class Reader:
    user: User
    client: Client


@contextmanager
def signed_in(space: Space) -> Iterator[Reader]:
    """Give a person who may read the space, signed in, and remove the account afterwards."""
    user = User.objects.create_user(username=f"bench-{uuid.uuid4().hex[:8]}")
    try:
        Membership.objects.create(space=space, user=user, role=Membership.Role.MEMBER)
        client = Client(SERVER_NAME="localhost")
        client.force_login(user)
        yield Reader(user, client)
    finally:
        user.delete()


def conflicts_add(space: Space, *, by: User) -> None:
    """Record a conflict for every superseded triple with the one after it."""
    rows = list(TripleRecord.objects.filter(space=space).order_by("pk").values_list("pk", "superseded_at"))
    later = dict(zip((pk for pk, _ in rows), (pk for pk, _ in rows[1:]), strict=False))
    clashes = [(pk, later[pk]) for pk, superseded_at in rows if superseded_at is not None and pk in later]
    ConflictRecord.objects.bulk_create(
        (
            ConflictRecord(
                space=space,
                old_id=old,
                new_id=new,
                rule=ConflictRule.FUNCTIONAL_VALUE,
                decided_by=None if number % BY_HAND_EVERY else by,
            )
            for number, (old, new) in enumerate(clashes)
        ),
        batch_size=BATCH,
    )
    replaced = TripleRecord.objects.filter(space=space, superseded_at__isnull=False)
    replaced.update(superseded_by=F("pk") + 1)


def pages_of(space: Space) -> Iterator[PageAsked]:
    """Yield every page, unfiltered and filtered, now and as of the middle of the timeline."""
    here = (space.pk,)
    turns = Turn.objects.filter(space=space, role=Role.USER.value).order_by("pk")
    middle = turns[turns.count() // 2].pk
    person = EntityRecord.objects.get(space=space, label=PERSON)
    conflict = ConflictRecord.objects.filter(space=space).latest("pk")
    place = EntityRecord.objects.get(space=space, label=PLACE)
    for title, view in (
        ("graph", "space-graph"),
        ("graph data", "space-graph-data"),
        ("timeline", "space-timeline"),
        ("conflicts", "space-conflicts"),
        ("facts", "space-triples"),
        ("sentences", "space-sentences"),
        ("neighbours", "space-sentence-graph"),
        ("neighbours' data", "space-sentence-graph-data"),
        ("digests", "space-digests"),
        ("entities", "space-entities"),
        ("reasoning", "space-reasoning"),
    ):
        yield PageAsked(title, view, here)
        yield PageAsked(f"{title}, as of the middle", view, here, {"as_of": middle})
    yield PageAsked("graph, of the largest hub", "space-graph", here, {"entity": person.pk})
    yield PageAsked("graph data, of the largest hub", "space-graph-data", here, {"entity": person.pk})
    filters: tuple[tuple[str, Mapping[str, str | int]], ...] = (
        ("replaced", {"standing": "replaced"}),
        ("planned", {"standing": "planned"}),
        ("denied, as of the middle", {"standing": "denied", "as_of": middle}),
        ("with common words", {"q": "friend"}),
        ("with rare words", {"q": "Bela"}),
        ("with words of a hub", {"q": PLACE}),
        ("saying", {"predicate": "visited"}),
        ("of a hub", {"entity": place.pk}),
        ("of nobody", {"speaker": "Nobody"}),
        ("of a conversation", {"session": turns[0].session_id}),
        (
            "of everything",
            {"q": PERSON, "predicate": "likes", "speaker": PERSON, "entity": person.pk, "as_of": middle},
        ),
    )
    for title, query in filters:
        yield PageAsked(f"facts, {title}", "space-triples", here, query)
    yield PageAsked("sentences, with common words", "space-sentences", here, {"q": "friend"})
    yield PageAsked("sentences, of nobody", "space-sentences", here, {"speaker": "Nobody"})
    yield PageAsked("neighbours, with common words", "space-sentence-graph", here, {"q": "friend", "by": "words"})
    yield PageAsked("digests, with common words", "space-digests", here, {"q": "friend"})
    yield PageAsked("digests, of a kind", "space-digests", here, {"kind": "summary"})
    yield PageAsked("entities, called so", "space-entities", here, {"q": "bel"})
    yield PageAsked("entities, of a kind", "space-entities", here, {"kind": "Place"})
    yield PageAsked("conflicts, decided by hand", "space-conflicts", here, {"by": "people"})
    yield PageAsked("conflicts, of no rule", "space-conflicts", here, {"rule": "polarity"})
    yield PageAsked(
        "facts, replaced as of the middle", "space-triples", here, {"standing": "replaced", "as_of": middle}
    )
    yield PageAsked("one conflict", "conflict", (conflict.pk,))
    yield PageAsked("one entity, the largest hub", "entity", (person.pk,))


def pages_measure(reader: Reader, pages: list[PageAsked], *, count: int, quiet: bool) -> list[Row]:
    rows: list[Row] = []
    with progress_bar(len(pages), title="asking for pages", unit="pages", hidden=quiet) as bar:
        for page in pages:
            rows += page_rows(reader, page, count=count)
            bar.update(1)
    return rows


def page_rows(reader: Reader, page: PageAsked, *, count: int) -> list[Row]:
    try:
        path = reverse(page.view, args=page.arguments)
    except NoReverseMatch:
        return [Row(page.title, "p95_ms", None, unit="ms", why=f"the product has no page {page.view}")]
    times, queries = [], []
    for number in range(WARM_UP + count):
        began = time.perf_counter()
        answer = reader.client.get(path, page.query)
        took = (time.perf_counter() - began) * 1000
        if answer.status_code != 200:
            raise EvaluationError(f"{path} answered {answer.status_code} to {dict(page.query)}.")
        if number >= WARM_UP:
            times.append(took)
    for _ in range(WARM_UP):
        with CaptureQueriesContext(connection) as seen:
            reader.client.get(path, page.query)
        queries.append(len(seen))
    return [*cost_rows(page.title, times), Row(page.title, "queries", fmean(queries), unit="queries", n=len(queries))]
