"""`bench people` compares what many wait for with what one waits for, and counts who got no reply."""

from __future__ import annotations

import asyncio
import json

from evaluation.core.report import Row
from evaluation.performance.people import QUESTIONS, Wait, rows_of, say, saying


class Socket:
    """Sends one reply's events for a message, or refuses it."""

    def __init__(self, *events: dict) -> None:
        self.sent: list[dict] = []
        self._events = list(events)

    async def send(self, text: str) -> None:
        self.sent.append(json.loads(text))

    async def recv(self) -> str:
        await asyncio.sleep(0.01)
        return json.dumps(self._events.pop(0))


def event(kind: str, **data: object) -> dict:
    return {"type": "event", "kind": kind, "data": data}


def said(socket: Socket, ended: list[int]) -> Wait | None:
    return asyncio.run(say(socket, "Where do I live?", on_reply=ended.append))


def test_first_word_and_end_of_a_reply_are_timed():
    ended: list[int] = []
    socket = Socket(event("state", state="running"), event("delta", text="Lyon."), event("state", state="done"))
    wait = said(socket, ended)
    assert wait is not None and wait.first_ms is not None and 20 <= wait.first_ms < wait.total_ms
    assert socket.sent[0]["text"] == "Where do I live?" and ended == [1]


def test_message_that_is_refused_is_not_taken_for_a_quick_one():
    assert said(Socket({"type": "refused", "text": "Too many wait."}), []) is None


def test_ratio_is_that_of_the_95th_percentiles_and_who_got_nothing_is_counted():
    together = [Wait(1_000.0, 1_100.0), Wait(3_000.0, 3_100.0), None]
    rows = {(row.metric, row.group): row for row in rows_of([Wait(500.0, 600.0)], together, people=3)}
    assert rows["first_token_p95_ms", "1"].value == 500.0
    assert rows["first_token_p50_ms", "3"].value == 2_000.0
    assert rows["unanswered", "3"] == Row("people", "unanswered", 1, unit="replies", n=3, group="3")
    assert rows["first_token_p95_ratio", "3"].value == 5.8
    nobody = {(row.metric, row.group): row for row in rows_of([None], [None], people=1)}
    assert nobody["first_token_p95_ratio", "1"].why == "nobody got a word of a reply"


def test_everybody_tells_something_first_and_asks_about_it_then():
    assert saying(0, 0) == "I live in Lyon and I work for Airbus."
    assert {saying(person, number) for person in range(4) for number in (1, 2)} == set(QUESTIONS)
