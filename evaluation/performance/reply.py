"""`bench reply`: first word and whole reply, from the moment a message is posted, in a space that holds many triples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conversations.models import Conversation, Reply, ReplyState
from conversations.services import conversation_create, message_post, reply_run
from evaluation.adapters.progress import progress_bar
from evaluation.core.costs import cost_rows
from evaluation.core.report import Row
from evaluation.performance.costs import BenchOption, sizes
from evaluation.services.population import name_of, space_populate
from evaluation.services.replay import space_maintain_fully
from evaluation.services.spaces import evaluation_account, temporary_space
from memory import bootstrap

HELP = "a reply's first word and whole reply, at a number of triples in the space"
OPTIONS: tuple[BenchOption, ...] = (
    sizes("triples", (10_000,)),
    BenchOption("messages", int, 60, "how many messages are measured (default: 60)"),
    BenchOption("responder", str, "graph", "who answers (default: graph)"),
    BenchOption("engine", str, "", "what plays the model's roles (default: DSMART_ENGINE)"),
)
WARM_UP_MESSAGES = 6

# A statement, questions that the graph answers, one that only sentences answer, and one that nothing answers.
MESSAGES = (
    "I live in Paris and I work for Airbus.",
    "Where do I live?",
    "Where does {name} live?",
    "Who does {name} work for?",
    "Did {name} ever visit a place by the sea?",
    "What is my brother's name?",
)


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return median and 95th percentile of both times for each size."""
    bootstrap.engine_warm(options["engine"])
    return [row for triples in options["triples"] for row in measure_at(triples, options)]


def measure_at(triples: int, options: Mapping[str, Any]) -> list[Row]:
    first: list[float] = []
    total: list[float] = []
    failures: list[str] = []
    count = options["messages"] + WARM_UP_MESSAGES
    with temporary_space(title="bench reply") as space:
        space_populate(space=space, triples=triples, quiet=options["quiet"])
        conversation = conversation_create(
            owner=evaluation_account(), space=space, engine=options["engine"], responder=options["responder"]
        )
        with progress_bar(count, title=f"replies at {triples}", unit="replies", hidden=options["quiet"]) as bar:
            for number in range(count):
                name = name_of(number * 7 % max(1, triples // 5))
                reply = replied(conversation, MESSAGES[number % len(MESSAGES)].format(name=name))
                space_maintain_fully(space)
                bar.update(1)
                if reply.state != ReplyState.DONE or reply.first_token_ms is None or reply.total_ms is None:
                    failures.append(reply.error or f"the reply ended as {reply.state}")
                elif number >= WARM_UP_MESSAGES:
                    first.append(float(reply.first_token_ms))
                    total.append(float(reply.total_ms))
        conversation.delete()
    group = str(triples)
    if not first:
        why = failures[0] if failures else "no message was measured"
        return [Row("reply", "first_token_p50_ms", None, unit="ms", group=group, why=why)]
    rows = [
        *cost_rows("reply", first, group=group, prefix="first_token_"),
        *cost_rows("reply", total, group=group, prefix="total_"),
    ]
    if failures:
        rows.append(Row("reply", "failed", len(failures), unit="replies", n=count, group=group, why=failures[0]))
    return rows


def replied(conversation: Conversation, text: str) -> Reply:
    """Post a message, generate the reply in this process, and return it as it was stored."""
    reply = message_post(conversation=conversation, text=text)
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    return reply
