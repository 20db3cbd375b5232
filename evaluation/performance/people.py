"""`bench people`: what many people wait for the first word of a reply who all send a message at the same moment.

The product is served in a process of its own, as `make run` serves it. Everybody has a memory and an open page of their
own. In each round all send one message; the next round begins once all replies of this one have ended, while what was said
may still be learnt. Before that, a few people come one after the other and have the product for themselves. Times are those
of the browser's end: from the sending of a message to the arrival of the first word of the reply. The first message tells
something, the others ask about it.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import WebSocketException

from evaluation.adapters.progress import progress_bar
from evaluation.core.costs import cost_rows, percentile
from evaluation.core.report import Row
from evaluation.performance.costs import BenchOption
from evaluation.performance.served import Guest, ServedProduct, guests, served_product
from evaluation.performance.sockets import ENDINGS, REPLY_TIMEOUT_S, socket_of

HELP = "people who all send a message at once: the wait for the first word, against that of a person alone"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption("people", int, 40, "how many people send a message at once (default: 40)"),
    BenchOption("rounds", int, 3, "how many messages each of them sends (default: 3)"),
)
ALONE = 5
TOWNS = ("Lyon", "Porto", "Bergen", "Utrecht", "Graz", "Turin", "Malmo", "Ghent")
WORKS = ("for Airbus", "as a nurse", "for Siemens", "as a baker", "for the post office")
QUESTIONS = ("Where do I live?", "What do you know about me?", "What is my job?", "Do I live in Lyon?")


@dataclass(frozen=True)
class Wait:
    """The times from the sending of a message to the first word of its reply, and to its end."""

    first_ms: float | None
    total_ms: float


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return the rows of one run against a server of its own."""
    people, rounds = options["people"], options["rounds"]
    with (
        guests() as come,
        served_product() as product,
        progress_bar((ALONE + people) * rounds, title="people", unit="replies", hidden=options["quiet"]) as bar,
    ):
        asyncio.run(rounds_at_once(product, [come()], rounds=rounds, on_reply=lambda count: None))
        alone = [
            wait
            for _ in range(ALONE)
            for wait in asyncio.run(rounds_at_once(product, [come()], rounds=rounds, on_reply=bar.update))
        ]
        crowd = [come() for _ in range(people)]
        together = asyncio.run(rounds_at_once(product, crowd, rounds=rounds, on_reply=bar.update))
    return rows_of(alone, together, people=people)


async def rounds_at_once(
    product: ServedProduct, people: list[Guest], *, rounds: int, on_reply: Callable[[int], object]
) -> list[Wait | None]:
    """Let everybody send a message at once in each round, and return what each of them waited; None where a socket broke."""
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(socket_of(product, guest)) for guest in people]
        return [
            wait
            for number in range(rounds)
            for wait in await asyncio.gather(
                *(say(socket, saying(person, number), on_reply=on_reply) for person, socket in enumerate(sockets))
            )
        ]


def saying(person: int, number: int) -> str:
    """Return what a person says in a round."""
    if number == 0:
        return f"I live in {TOWNS[person % len(TOWNS)]} and I work {WORKS[person % len(WORKS)]}."
    return QUESTIONS[(person + number) % len(QUESTIONS)]


async def say(socket: ClientConnection, text: str, *, on_reply: Callable[[int], object]) -> Wait | None:
    """Send a message and wait for the end of its reply."""
    began, first_ms = time.monotonic(), None
    try:
        await socket.send(json.dumps({"type": "message", "text": text, "key": uuid.uuid4().hex}))
        async with asyncio.timeout(REPLY_TIMEOUT_S):
            while True:
                message = json.loads(await socket.recv())
                if message["type"] == "refused":
                    return None
                passed_ms = (time.monotonic() - began) * 1000
                match message:
                    case {"type": "event", "kind": "delta"} if first_ms is None:
                        first_ms = passed_ms
                    case {"type": "event", "kind": "state", "data": {"state": state}} if state in ENDINGS:
                        on_reply(1)
                        return Wait(first_ms, passed_ms)
    except (WebSocketException, OSError, TimeoutError):
        return None


def rows_of(alone: list[Wait | None], together: list[Wait | None], *, people: int) -> list[Row]:
    """Return the waits for the first word and for the whole reply, and the ratio of the first words' 95th percentiles."""
    rows, p95 = [], {}
    for group, waits in (("1", alone), (str(people), together)):
        first = [wait.first_ms for wait in waits if wait is not None and wait.first_ms is not None]
        if first:
            rows += cost_rows("people", first, group=group, prefix="first_token_")
            rows += cost_rows(
                "people", [wait.total_ms for wait in waits if wait is not None], group=group, prefix="reply_"
            )
            p95[group] = percentile(first, 95)
        rows.append(Row("people", "unanswered", len(waits) - len(first), unit="replies", n=len(waits), group=group))
    if len(p95) < 2:
        why = "nobody got a word of a reply"
        return [*rows, Row("people", "first_token_p95_ratio", None, unit="ratio", group=str(people), why=why)]
    ratio = p95[str(people)] / p95["1"]
    return [*rows, Row("people", "first_token_p95_ratio", ratio, unit="ratio", n=len(together), group=str(people))]
