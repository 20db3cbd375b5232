"""Where steps go that happen deep inside of a computation: to whoever records, in the order in which they happen.

Example:

    with recording(steps.extend):
        extractor.extract_many(sentences)      # its model was made by `as_role(model, "extraction")`

A context is a thread's own: work that is handed to another thread records where that thread says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from memory.core.tracing.step import TraceStep

Sink = Callable[[Sequence[TraceStep]], None]
_SINK: ContextVar[Sink | None] = ContextVar("trace_sink", default=None)


@contextmanager
def recording(sink: Sink) -> Iterator[None]:
    """Give the steps that the block emits to the sink, steps that came about together at once."""
    token = _SINK.set(sink)
    try:
        yield
    finally:
        _SINK.reset(token)


def is_recorded() -> bool:
    return _SINK.get() is not None


def emit(*steps: TraceStep) -> None:
    """Hand steps that came about together to whoever records; nothing where nobody does."""
    sink = _SINK.get()
    if sink is not None and steps:
        sink(steps)
