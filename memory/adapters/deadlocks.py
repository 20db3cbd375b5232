"""Begins a transaction anew where PostgreSQL ended it for the sake of another one: a deadlock, or a failed serialisation.

Locks are taken in one order (ADR 5), so that this is seldom needed.
"""

from __future__ import annotations

import functools
import logging
import random
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import DatabaseError, connection, transaction

logger = logging.getLogger(__name__)

VICTIM_STATES = ("40P01", "40001")
# A row came that refers to what is deleted.
REFERRED_TO = "23503"
ATTEMPTS = 10
PAUSE_S = 0.05
P = ParamSpec("P")
R = TypeVar("R")


def is_victim(error: BaseException) -> bool:
    """Return whether PostgreSQL chose this transaction to end, so that it may be made again."""
    return state_of(error) in VICTIM_STATES


def state_of(error: BaseException) -> str:
    """Return the SQLSTATE of an error of PostgreSQL, which is empty for any other error."""
    return getattr(error.__cause__, "sqlstate", None) or "" if isinstance(error, DatabaseError) else ""


def made_again(work: Callable[P, R]) -> Callable[P, R]:
    """Let a function be one transaction, which is made again as a whole where PostgreSQL ends it for another one's sake.

    It is also made again where it deletes what another transaction just referred to (23503).

    Within a transaction of the caller's it is part of that one, which only the caller can make again.
    """

    @functools.wraps(work)
    def whole(*given: P.args, **named: P.kwargs) -> R:
        if connection.in_atomic_block:
            return work(*given, **named)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with transaction.atomic():
                    return work(*given, **named)
            except DatabaseError as error:
                if attempt == ATTEMPTS or state_of(error) not in (*VICTIM_STATES, REFERRED_TO):
                    raise
                logger.info("%s is made again, which another transaction ended.", work.__qualname__)
                time.sleep(random.uniform(0, attempt * PAUSE_S))
        raise AssertionError("unreachable")

    return whole
