"""`bench queue`: what a new person waits for a first word while another one's messages wait, and what a reply commits.

The product is served in a process of its own. New people come one after the other, each with a memory of their own, and say
one thing: some before the backlog, some while it is worked off, some after it. The backlog is one person's, in three
conversations. Commits are those of the whole database, from the first message of the backlog to its last round in memory: all
of them, of which a read outside a transaction is one, and those that wrote something, savepoints included. What this process
reads meanwhile is taken off.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection

from conversations.models import Conversation, Reply, ReplyState
from conversations.models.reply import UNFINISHED_STATES
from conversations.services import conversation_create, message_post
from evaluation.adapters.progress import progress_bar
from evaluation.core.costs import cost_rows, percentile
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.performance.costs import BenchOption
from evaluation.performance.served import Guest, ServedProduct, guests, served_product
from evaluation.performance.sockets import SAYINGS, talk
from memory.models import MaintenanceState, Round

HELP = "a new person's first word beside another one's waiting messages, and the commits of a reply"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption("waiting", int, 80, "how many messages of one person wait (default: 80)"),
    BenchOption("people", int, 20, "how many new people come, beside the backlog and without it each (default: 20)"),
)
CONVERSATIONS = 3
WARM_UP_PEOPLE = 3
GIVE_UP_S = 900.0
# Seldom, because it is a commit of its own.
LOOK_S = 1.0
# A connection that does nothing tells PostgreSQL of its commits after ten seconds at most.
COUNTED_AFTER_S = 11.0
OnReply = Callable[[int], object]


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return the rows of one run against a server of its own.

    Raises `EvaluationError` for more messages than may wait (`DSMART_WAITING_MESSAGES`).
    """
    if options["waiting"] > settings.DSMART_WAITING_MESSAGES:
        raise EvaluationError(
            f"{options['waiting']} messages of one person cannot wait. Set DSMART_WAITING_MESSAGES, "
            f"which is {settings.DSMART_WAITING_MESSAGES}, or give a lower --waiting."
        )
    people = options["people"]
    with (
        served_product() as product,
        guests() as come,
        progress_bar(2 * people + options["waiting"], title="queue", unit="replies", hidden=options["quiet"]) as bar,
    ):
        for _ in range(WARM_UP_PEOPLE):
            first_token(product, come())
        alone = [first_token(product, come(), on_reply=bar.update) for _ in range(people // 2)]
        newcomers = [come() for _ in range(people)]
        beside, backlog = backlog_worked_off(product, come(), newcomers, options["waiting"], on_reply=bar.update)
        alone += [first_token(product, come(), on_reply=bar.update) for _ in range(people - people // 2)]
    return [*person_rows(alone, beside), *backlog]


def first_token(product: ServedProduct, guest: Guest, *, on_reply: OnReply = lambda count: None) -> float | None:
    """Let a person say something and return the milliseconds to the first word; None where none came."""
    asyncio.run(talk(product, guest, rounds=1, on_reply=on_reply))
    reply = Reply.objects.filter(conversation=guest.conversation).order_by("pk").last()
    return None if reply is None or reply.first_token_ms is None else float(reply.first_token_ms)


def backlog_worked_off(
    product: ServedProduct, busy: Guest, newcomers: Sequence[Guest], waiting: int, *, on_reply: OnReply
) -> tuple[list[float | None], list[Row]]:
    """Let messages wait and new people come until the backlog is worked off and learnt."""
    mine = Reply.objects.filter(conversation__owner=busy.conversation.owner)
    began = transactions()
    backlog_post(busy, waiting)
    give_up = time.monotonic() + GIVE_UP_S
    beside: list[float | None] = []
    learning = Round.objects.filter(
        space=busy.conversation.space, maintenance__in=(MaintenanceState.PENDING, MaintenanceState.RUNNING)
    )
    with statements_counted() as own:
        while not mine.exclude(state=ReplyState.QUEUED).exists() and time.monotonic() < give_up:
            time.sleep(LOOK_S)
        while (mine.filter(state__in=UNFINISHED_STATES).exists() or learning.exists()) and time.monotonic() < give_up:
            if len(beside) < len(newcomers) and mine.filter(state=ReplyState.QUEUED).exists():
                beside.append(first_token(product, newcomers[len(beside)], on_reply=on_reply))
            else:
                time.sleep(LOOK_S)
        ended = mine.exclude(state__in=UNFINISHED_STATES)
        count = ended.count() + len(beside)
    over = transactions()
    # What this process read in between is a transaction of its own each.
    committed, written = over.committed - began.committed - len(own), over.writing - began.writing
    moments = sorted(reply.finished_at.timestamp() for reply in ended if reply.finished_at is not None)
    gaps = [(later - earlier) * 1000 for earlier, later in itertools.pairwise(moments)]
    on_reply(len(moments))
    rows = [
        Row("backlog", "commits_per_reply", committed / max(1, count), unit="commits", n=count),
        Row("backlog", "writing_commits_per_reply", written / max(1, count), unit="commits", n=count),
        *cost_rows("backlog", gaps, prefix="between_replies_"),
        Row("backlog", "unanswered", waiting - len(moments), unit="replies", n=waiting),
    ]
    return beside, rows


def backlog_post(busy: Guest, waiting: int) -> None:
    """Write the messages down. Nobody is told of them here: the server's sweep finds what waits, as after a crash."""
    person, space = busy.conversation.owner, busy.conversation.space
    conversations: list[Conversation] = [busy.conversation]
    conversations += [conversation_create(owner=person, space=space) for _ in range(CONVERSATIONS - 1)]
    for number in range(waiting):
        text = SAYINGS[number // CONVERSATIONS % len(SAYINGS)]
        message_post(conversation=conversations[number % CONVERSATIONS], text=text)


@contextmanager
def statements_counted() -> Iterator[list[str]]:
    """Give the statements that this process sends to the database inside the block."""
    sent: list[str] = []

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        sent.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield sent


@dataclass(frozen=True)
class Transactions:
    """How many transactions the database has committed, and how many of the whole server wrote something."""

    committed: int
    writing: int


def transactions() -> Transactions:
    time.sleep(COUNTED_AFTER_S)
    with connection.cursor() as cursor:
        cursor.execute(
            "select xact_commit, pg_snapshot_xmax(pg_current_snapshot())::text::bigint "
            "from pg_stat_database where datname = current_database()"
        )
        committed, writing = cursor.fetchone()
    return Transactions(int(committed), int(writing))


def person_rows(alone: list[float | None], beside: list[float | None]) -> list[Row]:
    """Return the times to the first word without the backlog and beside it, and their ratio."""
    without, with_backlog = ([value for value in values if value is not None] for values in (alone, beside))
    rows = [
        *(cost_rows("fresh_person", without, group="alone", prefix="first_token_") if without else ()),
        *(cost_rows("fresh_person", with_backlog, group="beside", prefix="first_token_") if with_backlog else ()),
    ]
    unanswered = len(alone) + len(beside) - len(without) - len(with_backlog)
    if unanswered:
        rows.append(Row("fresh_person", "unanswered", unanswered, unit="people", n=len(alone) + len(beside)))
    if not without or not with_backlog:
        why = "nobody came while the backlog was worked off" if without else "nobody was answered without the backlog"
        return [*rows, Row("fresh_person", "first_token_p95_ratio", None, unit="ratio", why=why)]
    ratio = percentile(with_backlog, 95) / percentile(without, 95)
    return [*rows, Row("fresh_person", "first_token_p95_ratio", ratio, unit="ratio", n=len(with_backlog))]
