"""`bench sockets`: many people at once, each on a WebSocket, and whether the events of their replies arrive.

The delay of an event is the time from its storing to its arrival at the browser's end, the latency of a reply that from its
message to its end. Each person posts a message and waits for the end of the reply before the next; starts are spread over
`--spread` seconds. With `--webs` of 2 or more, web processes and a worker stand behind one Redis server, and each person has
a second page of the same conversation open at another web process: what is lost or repeated there counts as well.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from conversations.models import ReplyEvent, ReplyState
from evaluation.adapters.progress import progress_bar
from evaluation.core.costs import Delivery, delivery_of, percentile
from evaluation.core.report import Row
from evaluation.performance.costs import BenchOption
from evaluation.performance.served import Guest, ServedProduct, guests, served_product, served_team

HELP = "WebSockets that stream at once: lost and reordered events, messages a second, delay of an event"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption("sockets", int, 100, "how many sockets (default: 100)"),
    BenchOption("rounds", int, 3, "how many messages each of them posts (default: 3)"),
    BenchOption("spread", float, 5.0, "over how many seconds they start (default: 5)"),
    BenchOption("webs", int, 1, "how many web processes; several stand behind one Redis server (default: 1)"),
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
    latencies_ms: list[float] = field(default_factory=list)
    failure: str = ""


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return the rows of one run against a server, or several, of its own."""
    total, webs = options["sockets"] * options["rounds"], options["webs"]
    with guests() as come:
        people = [come() for _ in range(options["sockets"])]
        with (
            served_team(webs) if webs > 1 else alone() as products,
            progress_bar(total, title="sockets", unit="replies", hidden=options["quiet"]) as bar,
        ):
            began = time.monotonic()
            received = asyncio.run(
                all_talk(products, people, rounds=options["rounds"], spread=options["spread"], on_reply=bar.update)
            )
            seconds = time.monotonic() - began
        return rows_of(received, sockets=len(people), webs=webs, expected=total, seconds=seconds)


@contextmanager
def alone() -> Iterator[list[ServedProduct]]:
    with served_product() as product:
        yield [product]


async def all_talk(
    products: list[ServedProduct], guests: list[Guest], *, rounds: int, spread: float, on_reply: Callable[[int], object]
) -> list[Received]:
    """Let everybody talk, each at one of the products, and return what each socket received."""

    async def later(number: int, guest: Guest) -> list[Received]:
        await asyncio.sleep(spread * number / len(guests))
        here, elsewhere = (products[(number + place) % len(products)] for place in (0, 1))
        if here is elsewhere:
            return [await talk(here, guest, rounds=rounds, on_reply=on_reply)]
        listening = asyncio.create_task(listen(elsewhere, guest, rounds=rounds, opened=(opened := asyncio.Event())))
        await opened.wait()
        return [await talk(here, guest, rounds=rounds, on_reply=on_reply), await listening]

    sockets = await asyncio.gather(*(later(number, guest) for number, guest in enumerate(guests)))
    return [got for of_guest in sockets for got in of_guest]


def socket_of(product: ServedProduct, guest: Guest) -> connect:
    address = product.socket_address(guest.conversation)
    return connect(address, origin=Origin(product.origin), additional_headers={"Cookie": guest.cookie})


async def talk(product: ServedProduct, guest: Guest, *, rounds: int, on_reply: Callable[[int], object]) -> Received:
    """Post messages one after the other on one socket and record every event.

    An error of the socket is recorded, not raised.
    """
    got = Received()
    try:
        async with socket_of(product, guest) as socket:
            for number in range(rounds):
                text, began = SAYINGS[number % len(SAYINGS)], time.monotonic()
                await socket.send(json.dumps({"type": "message", "text": text, "key": f"bench-{number}"}))
                async with asyncio.timeout(REPLY_TIMEOUT_S):
                    while not note(got, json.loads(await socket.recv())):
                        continue
                got.latencies_ms.append((time.monotonic() - began) * 1000)
                on_reply(1)
    except (WebSocketException, OSError, TimeoutError) as error:
        got.failure = f"{type(error).__name__}: {error}"
    return got


async def listen(product: ServedProduct, guest: Guest, *, rounds: int, opened: asyncio.Event) -> Received:
    """Record what a second page of a conversation is told, until it has seen the end of every reply."""
    got = Received()
    try:
        async with socket_of(product, guest) as socket:
            opened.set()
            for _ in range(rounds):
                async with asyncio.timeout(REPLY_TIMEOUT_S):
                    while not note(got, json.loads(await socket.recv())):
                        continue
    except (WebSocketException, OSError, TimeoutError) as error:
        got.failure = f"{type(error).__name__}: {error}"
    finally:
        opened.set()
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


def rows_of(received: list[Received], *, sockets: int, webs: int, expected: int, seconds: float) -> list[Row]:
    replies = {reply for got in received for reply in got.numbers}
    stored: dict[ReplyId, int] = defaultdict(int)
    delays = []
    for event in ReplyEvent.objects.filter(reply_id__in=replies).only("reply_id", "number", "created_at"):
        stored[event.reply_id] = max(stored[event.reply_id], event.number)
        arrived = [got.arrivals.get((event.reply_id, event.number)) for got in received]
        delays += [(moment - event.created_at.timestamp()) * 1000 for moment in arrived if moment is not None]
    deliveries = [delivery_of(order, last=stored[reply]) for got in received for reply, order in got.numbers.items()]
    failures = [got.failure for got in received if got.failure]
    latencies = [took for got in received for took in got.latencies_ms]
    group = str(sockets) if webs == 1 else f"{sockets} at {webs} webs"
    rows = [count_row(metric, deliveries, group) for metric in ("lost", "reordered", "repeated")]
    rows += [
        Row("sockets", f"delay_p{rank}_ms", percentile(delays, rank), unit="ms", n=len(delays), group=group)
        for rank in (50, 95, 99)
        if delays
    ]
    if not delays:
        rows.append(Row("sockets", "delay_p99_ms", None, unit="ms", group=group, why="no event arrived"))
    rows += [
        Row("sockets", f"reply_p{rank}_ms", percentile(latencies, rank), unit="ms", n=len(latencies), group=group)
        for rank in (50, 95)
        if latencies
    ]
    rows.append(Row("sockets", "messages_a_second", len(latencies) / seconds, unit="1/s", n=expected, group=group))
    rows.append(Row("sockets", "replies", len(replies), unit="replies", n=expected, group=group))
    rows.append(
        Row(
            "sockets",
            "sockets_broken",
            len(failures),
            unit="sockets",
            n=len(received),
            group=group,
            why="".join(failures[:1]),
        )
    )
    return rows


def count_row(metric: str, deliveries: list[Delivery], group: str) -> Row:
    total = sum(getattr(delivery, metric) for delivery in deliveries)
    return Row("sockets", f"events_{metric}", total, unit="events", n=len(deliveries), group=group)
