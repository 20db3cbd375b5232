"""Who waits for whom to compute first."""

from __future__ import annotations

import threading
import time
from contextvars import copy_context

import pytest

from memory.adapters import precedence as module
from memory.adapters.precedence import Precedence

LONG_S = 30.0


@pytest.fixture(autouse=True)
def long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing but what a test is about end a wait."""
    monkeypatch.setattr(module, "GIVE_WAY_S", LONG_S)


def test_nobody_waits_where_nobody_goes_first() -> None:
    began = time.monotonic()
    Precedence().give_way(within_s=LONG_S)
    assert time.monotonic() - began < LONG_S / 2


def test_others_wait_until_who_goes_first_has_ended() -> None:
    precedence, order, waits = Precedence(), [], threading.Event()

    def other() -> None:
        waits.set()
        precedence.give_way(within_s=LONG_S)
        order.append("other")

    thread = threading.Thread(target=other)
    with precedence.going_first():
        thread.start()
        waits.wait()
        time.sleep(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "other"]


def test_others_wait_no_longer_than_they_may() -> None:
    precedence = Precedence()
    began, ended = threading.Event(), threading.Event()

    def first() -> None:
        with precedence.going_first():
            began.set()
            ended.wait()

    thread = threading.Thread(target=first)
    thread.start()
    began.wait()
    asked = time.monotonic()
    precedence.give_way(within_s=0.05)
    assert 0.05 <= time.monotonic() - asked < LONG_S / 2
    ended.set()
    thread.join()


def test_who_goes_first_gives_way_to_nobody() -> None:
    precedence = Precedence()
    began = time.monotonic()
    with precedence.going_first():
        precedence.give_way(within_s=LONG_S)
    assert time.monotonic() - began < LONG_S / 2


def test_thread_in_a_copy_of_the_context_goes_first_too() -> None:
    precedence = Precedence()
    with precedence.going_first():
        thread = threading.Thread(target=copy_context().run, args=(lambda: precedence.give_way(within_s=LONG_S),))
        thread.start()
        thread.join(LONG_S / 2)
        assert not thread.is_alive()


def test_who_goes_first_for_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GIVE_WAY_S", 0.05)
    precedence = Precedence()
    thread = threading.Thread(target=precedence.give_way, kwargs={"within_s": LONG_S})
    with precedence.going_first():
        thread.start()
        thread.join(LONG_S / 2)
        assert not thread.is_alive()


def test_nobody_gives_way_to_who_waits_itself() -> None:
    precedence, gone = Precedence(), threading.Event()

    def other() -> None:
        precedence.give_way(within_s=LONG_S)
        gone.set()

    thread = threading.Thread(target=other)
    with precedence.going_first():
        thread.start()
        assert not gone.wait(0.05)
        with precedence.standing_back():
            assert gone.wait(LONG_S / 2)
        late = threading.Thread(target=precedence.give_way, kwargs={"within_s": 0.05})
        began = time.monotonic()
        late.start()
        late.join()
        assert time.monotonic() - began >= 0.05
    thread.join()
