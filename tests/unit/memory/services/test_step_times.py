"""Times of steps: exclusive, so that they add up to the whole."""

from __future__ import annotations

from contextlib import suppress

import pytest

from memory.services import step_times as timing
from memory.services.step_times import step, step_times


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(timing, "time", clock)
    return clock


def test_a_step_is_without_the_steps_inside_it_and_a_stage_without_any(clock: Clock) -> None:
    with step_times({}) as times:
        clock.now += 0.001
        with step("update"):
            clock.now += 0.010
            with step("check"):
                clock.now += 0.005
            clock.now += 0.020
        with step("check"):
            clock.now += 0.002
        assert times.stage_ended("graph") == {"update": 30.0, "check": 7.0, "graph": 1.0}
        clock.now += 0.004
        assert times.stage_ended("digests") == {"update": 30.0, "check": 7.0, "graph": 1.0, "digests": 4.0}


def test_times_of_stages_that_were_done_before_stay(clock: Clock) -> None:
    with step_times({"words": 12.5, "graph": 3.0}) as times:
        clock.now += 0.002
        assert times.stage_ended("graph") == {"words": 12.5, "graph": 5.0}


def test_a_step_that_fails_is_timed_and_one_that_nobody_asks_for_is_not(clock: Clock) -> None:
    with step("alone"):
        clock.now += 1
    with step_times({}) as times:
        with suppress(ZeroDivisionError), step("update"):
            clock.now += 0.003
            clock.now /= 0
        assert times.stage_ended("graph") == {"update": 3.0, "graph": 0.0}
