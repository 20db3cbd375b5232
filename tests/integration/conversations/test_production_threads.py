"""Responders run in threads that are used again."""

from __future__ import annotations

import threading
import time

from conversations.services.production import Threads


def ran_in(threads: Threads) -> threading.Thread:
    found, ended = list[threading.Thread](), threading.Event()

    def work() -> None:
        found.append(threading.current_thread())
        ended.set()

    threads.run(work)
    assert ended.wait(10)
    time.sleep(0.1)  # it is free a moment after its work
    return found[0]


def test_a_free_thread_takes_the_next_responder_and_a_busy_one_does_not() -> None:
    threads, held = Threads(), threading.Event()
    first = ran_in(threads)
    assert ran_in(threads) is first
    threads.run(lambda: held.wait(10))
    other = ran_in(threads)
    assert other is not first
    held.set()
    time.sleep(0.1)
    threads.stop()
    for thread in (first, other):
        thread.join(10)
        assert not thread.is_alive()
