"""Times the steps of a round's maintenance.

A step's time excludes the steps inside it, so that all times add up to the whole.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar


class StepTimes:
    """Milliseconds by step of the maintenance that runs in this context. `known` are the times of earlier stages."""

    def __init__(self, known: Mapping[str, float]) -> None:
        self._ms = dict(known)
        self._since = time.perf_counter()
        self._in_steps = 0.0

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        began, before = time.perf_counter(), self._in_steps
        try:
            yield
        finally:
            took = time.perf_counter() - began
            self._add(name, took - (self._in_steps - before))
            self._in_steps = before + took

    def stage_ended(self, name: str) -> dict[str, float]:
        """Return all times; what passed since the last stage outside of any step counts under this stage's name."""
        now = time.perf_counter()
        self._add(name, now - self._since - self._in_steps)
        self._since, self._in_steps = now, 0.0
        return {step: round(took, 1) for step, took in self._ms.items()}

    def _add(self, name: str, seconds: float) -> None:
        self._ms[name] = self._ms.get(name, 0.0) + seconds * 1000


_running: ContextVar[StepTimes | None] = ContextVar("step times", default=None)


@contextmanager
def step_times(known: Mapping[str, float]) -> Iterator[StepTimes]:
    """Time every `step` inside the block."""
    times = StepTimes(known)
    token = _running.set(times)
    try:
        yield times
    finally:
        _running.reset(token)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Time a step, if this context times steps."""
    times = _running.get()
    if times is None:
        yield
        return
    with times.step(name):
        yield
