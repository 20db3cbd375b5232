"""Runs a responder in a thread of its own, so that a reply can be stopped while the responder waits."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from types import TracebackType
from typing import Any

from django.db import close_old_connections, connections

from conversations.core.types import Changed, Reasoning, ReplyPart
from memory.core.tracing import Together, TraceStep, recording

BACKLOG = 1_000


INTERRUPTION = object()
AnyPart = ReplyPart | Changed
# A thread that no responder has needed for so long ends, with its connection to the database.
IDLE_S = 10.0


class Threads:
    """Threads of responders, as many as run at once. A free one runs the next responder, on the connection that it has."""

    def __init__(self) -> None:
        self._free: list[queue.SimpleQueue[Callable[[], object] | None]] = []

    def run(self, work: Callable[[], object]) -> None:
        try:
            inbox = self._free.pop()
        except IndexError:
            inbox = queue.SimpleQueue()
            threading.Thread(target=self._serve, args=(inbox,), name="responder", daemon=True).start()
        inbox.put(work)

    def stop(self) -> None:
        """End the threads that are free."""
        while self._free:
            self._free.pop().put(None)

    def _serve(self, inbox: queue.SimpleQueue[Callable[[], object] | None]) -> None:
        within_s: float | None = None
        while True:
            try:
                work = inbox.get(timeout=within_s)
            except queue.Empty:
                try:
                    self._free.remove(inbox)
                except ValueError:  # it is given work at this moment
                    continue
                break
            if work is None:
                break
            work()
            del work  # what it holds of the reply goes with it
            close_old_connections()
            within_s = IDLE_S
            self._free.append(inbox)
        connections.close_all()


threads = Threads()


class Production:
    """Yields a responder's parts as they come.

    Leaving the block abandons the responder: it is closed at its next part, and nobody waits for that, because a silent
    server or a model that is loading cannot be interrupted.
    """

    def __init__(self, parts: Iterator[AnyPart]) -> None:
        self._parts = parts
        self._queue: queue.Queue[Any] = queue.Queue(BACKLOG)
        self._abandoned = threading.Event()
        self._ended = threading.Event()

    def __enter__(self) -> Production:
        # Who goes first does so in the responder's thread too.
        threads.run(partial(copy_context().run, self._produce))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._abandoned.set()

    def next(self, *, within_s: float) -> AnyPart | None:
        """Return the next part, or None after the last one.

        Raises `TimeoutError` where no part comes in time or `interrupt` is called, or whatever the responder raised.
        """
        try:
            item = self._queue.get(timeout=within_s)
        except queue.Empty:
            raise TimeoutError from None
        if item is INTERRUPTION:
            raise TimeoutError
        if isinstance(item, BaseException):
            raise item
        part: AnyPart | None = item
        return part

    def interrupt(self) -> None:
        """End the wait for the next part; without effect while parts are queued."""
        if self._queue.empty():
            self._queue.put(INTERRUPTION)

    def last_steps(self, *, within_s: float) -> list[TraceStep]:
        """Close the responder and return the steps that still come within the time: calls that were cut short."""
        self._abandoned.set()
        self._ended.wait(within_s)
        steps: list[TraceStep] = []
        while not self._queue.empty():
            item = self._queue.get()
            if isinstance(item, TraceStep | Together | Reasoning):
                steps += item.steps()
        return steps

    def _produce(self) -> None:
        outcome: BaseException | None = None
        with recording(lambda steps: self._put(Together(tuple(steps)))):
            try:
                for part in self._parts:
                    self._put(part)
                    if self._abandoned.is_set():
                        break
            except BaseException as error:  # raised again where the parts are taken
                outcome = error
            finally:
                close = getattr(self._parts, "close", None)
                if close is not None:
                    close()
                self._put(outcome)
                self._ended.set()

    def _put(self, item: AnyPart | BaseException | None) -> None:
        if self._abandoned.is_set() and isinstance(item, Together):
            with suppress(queue.Full):
                self._queue.put_nowait(item)
        while not self._abandoned.is_set():
            try:
                return self._queue.put(item, timeout=1)
            except queue.Full:
                continue
