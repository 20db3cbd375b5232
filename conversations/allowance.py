"""Limits how many messages one person may send a minute, counted in the cache."""

import time

from django.core.cache import cache

MESSAGES_A_MINUTE = 60
MINUTE_S = 60
TOO_FAST = f"That was more than {MESSAGES_A_MINUTE} messages in a minute. Wait a moment and send it again."


def message_allowed(user_id: int) -> bool:
    """Count one message of the user and return whether it is within the minute's allowance."""
    return within_allowance("messages", user_id, limit=MESSAGES_A_MINUTE)


def within_allowance(what: str, user_id: int, *, limit: int) -> bool:
    """Count one of what the user does and return whether it is within the minute's allowance."""
    key = f"{what}:{user_id}:{int(time.time() // MINUTE_S)}"
    cache.add(key, 0, timeout=2 * MINUTE_S)
    try:
        return cache.incr(key) <= limit
    except ValueError:
        # The count was evicted between the two calls: the cache is full, which is no fault of the user's.
        return True
