"""Passes steps from deep inside a computation to the recorder of the current context, in the order in which they happen.

Example:

    with recording(steps.extend):
        extractor.extract_many(sentences)      # its model was made by `as_role(model, "extraction")`

A context belongs to one thread: work in another thread is recorded only if that thread calls `recording` itself.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from memory.core.tracing.step import TraceStep

Sink = Callable[[Sequence[TraceStep]], None]
_SINK: ContextVar[Sink | None] = ContextVar("trace_sink", default=None)


@contextmanager
def recording(sink: Sink) -> Iterator[None]:
    """Pass every step that the block emits to `sink`; steps of one `emit` come in one call."""
    token = _SINK.set(sink)
    try:
        yield
    finally:
        _SINK.reset(token)


_WATCHERS: list[Callable[[Sequence[TraceStep]], object]] = []


def watch(watcher: Callable[[Sequence[TraceStep]], object]) -> None:
    """Let a function see every step of this process, recorded or not."""
    if watcher not in _WATCHERS:
        _WATCHERS.append(watcher)


def emit(*steps: TraceStep) -> None:
    """Pass steps to the recorder of this context, if it has one."""
    for watcher in _WATCHERS if steps else ():
        watcher(steps)
    sink = _SINK.get()
    if sink is not None and steps:
        sink(steps)
