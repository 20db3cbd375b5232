"""Runs a responder in a thread of its own, so that a reply can be stopped while the responder waits."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import suppress
from contextvars import copy_context
from types import TracebackType
from typing import Any

from django.db import connections

from conversations.core.types import Changed, Reasoning, ReplyPart
from memory.core.tracing import Together, TraceStep, recording

BACKLOG = 1_000


INTERRUPTION = object()
AnyPart = ReplyPart | Changed


class Production:
    """Yields a responder's parts as they come.

    Leaving the block abandons the responder: it is closed at its next part, and nobody waits for that, because a silent
    server or a model that is loading cannot be interrupted.
    """

    def __init__(self, parts: Iterator[AnyPart]) -> None:
        self._parts = parts
        self._queue: queue.Queue[Any] = queue.Queue(BACKLOG)
        self._abandoned = threading.Event()
        # Who goes first does so in the responder's thread too.
        self._thread = threading.Thread(target=copy_context().run, args=(self._produce,), name="responder", daemon=True)

    def __enter__(self) -> Production:
        self._thread.start()
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
        self._thread.join(within_s)
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
                connections.close_all()

    def _put(self, item: AnyPart | BaseException | None) -> None:
        if self._abandoned.is_set() and isinstance(item, Together):
            with suppress(queue.Full):
                self._queue.put_nowait(item)
        while not self._abandoned.is_set():
            try:
                return self._queue.put(item, timeout=1)
            except queue.Full:
                continue
