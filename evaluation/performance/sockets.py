"""`bench sockets`: many people at once, each on a WebSocket, and whether the events of their replies arrive.

The delay of an event is the time from its storing to its arrival at the browser's end. Each person posts a message and waits
for the end of the reply before the next; starts are spread over `--spread` seconds.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from conversations.models import ReplyEvent, ReplyState
from evaluation.adapters.progress import progress_bar
from evaluation.core.costs import percentile
from evaluation.core.delivery import Delivery, delivery_of
from evaluation.core.report import Row
from evaluation.performance.options import BenchOption
from evaluation.performance.served import Guest, ServedProduct, guests, served_product

HELP = "WebSockets that stream at once: lost and reordered events, delay of an event"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption("sockets", int, 100, "how many sockets (default: 100)"),
    BenchOption("rounds", int, 3, "how many messages each of them posts (default: 3)"),
    BenchOption("spread", float, 5.0, "over how many seconds they start (default: 5)"),
)
REPLY_TIMEOUT_S = 120.0
ENDINGS = {ReplyState.DONE.value, ReplyState.STOPPED.value, ReplyState.FAILED.value}
SAYINGS = ("I live in Lyon and I work for Airbus.", "Where do I live?", "Who do I work for?")

ReplyId = int


@dataclass
class Received:
    """What one socket received: the event numbers of each reply in order, and their arrival times (Unix time)."""

    numbers: dict[ReplyId, list[int]] = field(default_factory=lambda: defaultdict(list))
    arrivals: dict[tuple[ReplyId, int], float] = field(default_factory=dict)
    failure: str = ""


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return the rows of one run against a server of its own."""
    total = options["sockets"] * options["rounds"]
    with guests() as come:
        people = [come() for _ in range(options["sockets"])]
        with (
            served_product() as product,
            progress_bar(total, title="sockets", unit="replies", hidden=options["quiet"]) as bar,
        ):
            received = asyncio.run(
                all_talk(product, people, rounds=options["rounds"], spread=options["spread"], on_reply=bar.update)
            )
        return rows_of(received, sockets=len(people), expected=total)


async def all_talk(
    product: ServedProduct, guests: list[Guest], *, rounds: int, spread: float, on_reply: Callable[[int], object]
) -> list[Received]:
    async def later(number: int, guest: Guest) -> Received:
        await asyncio.sleep(spread * number / len(guests))
        return await talk(product, guest, rounds=rounds, on_reply=on_reply)

    return await asyncio.gather(*(later(number, guest) for number, guest in enumerate(guests)))


async def talk(product: ServedProduct, guest: Guest, *, rounds: int, on_reply: Callable[[int], object]) -> Received:
    """Post messages one after the other on one socket and record every event.

    An error of the socket is recorded, not raised.
    """
    got = Received()
    address = product.socket_address(guest.conversation)
    try:
        async with connect(
            address, origin=Origin(product.origin), additional_headers={"Cookie": guest.cookie}
        ) as socket:
            for number in range(rounds):
                text = SAYINGS[number % len(SAYINGS)]
                await socket.send(json.dumps({"type": "message", "text": text, "key": f"bench-{number}"}))
                async with asyncio.timeout(REPLY_TIMEOUT_S):
                    while not note(got, json.loads(await socket.recv())):
                        continue
                on_reply(1)
    except (WebSocketException, OSError, TimeoutError) as error:
        got.failure = f"{type(error).__name__}: {error}"
    return got


def note(got: Received, message: dict[str, Any]) -> bool:
    """Record a message of the server's and return whether it ends a reply."""
    if message["type"] == "refused":
        raise ConnectionError(message["message"])
    if message["type"] != "event":
        return False
    got.numbers[message["reply"]].append(message["number"])
    got.arrivals[message["reply"], message["number"]] = time.time()
    return message["kind"] == "state" and message["data"]["state"] in ENDINGS


def rows_of(received: list[Received], *, sockets: int, expected: int) -> list[Row]:
    arrivals = {key: moment for got in received for key, moment in got.arrivals.items()}
    numbers = {reply: order for got in received for reply, order in got.numbers.items()}
    stored: dict[ReplyId, int] = defaultdict(int)
    delays = []
    for event in ReplyEvent.objects.filter(reply_id__in=list(numbers)).only("reply_id", "number", "created_at"):
        stored[event.reply_id] = max(stored[event.reply_id], event.number)
        arrived = arrivals.get((event.reply_id, event.number))
        if arrived is not None:
            delays.append((arrived - event.created_at.timestamp()) * 1000)
    deliveries = [delivery_of(order, last=stored[reply]) for reply, order in numbers.items()]
    failures = [got.failure for got in received if got.failure]
    group = str(sockets)
    rows = [count_row(metric, deliveries, group) for metric in ("lost", "reordered", "repeated")]
    rows += [
        Row("sockets", f"delay_p{rank}_ms", percentile(delays, rank), unit="ms", n=len(delays), group=group)
        for rank in (50, 95, 99)
        if delays
    ]
    if not delays:
        rows.append(Row("sockets", "delay_p99_ms", None, unit="ms", group=group, why="no event arrived"))
    rows.append(Row("sockets", "replies", len(numbers), unit="replies", n=expected, group=group))
    rows.append(
        Row(
            "sockets",
            "sockets_broken",
            len(failures),
            unit="sockets",
            n=sockets,
            group=group,
            why="".join(failures[:1]),
        )
    )
    return rows


def count_row(metric: str, deliveries: list[Delivery], group: str) -> Row:
    total = sum(getattr(delivery, metric) for delivery in deliveries)
    return Row("sockets", f"events_{metric}", total, unit="events", n=len(deliveries), group=group)
