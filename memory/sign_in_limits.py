"""Limits failed sign-ins: counts per quarter of an hour, kept in the cache.

An account is never locked, since anybody could then lock its owner out. Failures are counted by address, and by address and
name together.
"""

from __future__ import annotations

import hashlib

from django.core.cache import cache

WINDOW_S = 15 * 60
FAILURES_A_NAME = 10
FAILURES_AN_ADDRESS = 50
TOO_MANY = "Too many attempts failed. Wait a quarter of an hour, or sign in by a link from the terminal."


def attempt_allowed(*, address: str, username: str) -> bool:
    """Count an attempt as a failure and return whether it is allowed; `attempt_succeeded` takes the count back."""
    counts = [count(key) for key in keys_of(address, username)]
    return counts[0] <= FAILURES_A_NAME and counts[1] <= FAILURES_AN_ADDRESS


def attempt_succeeded(*, address: str, username: str) -> None:
    """Clear the failures of this name from this address, and take this attempt off those of the address."""
    name_key, address_key = keys_of(address, username)
    cache.delete(name_key)
    try:
        cache.decr(address_key)
    except ValueError:
        # The count ran out meanwhile; there is nothing left to take back.
        return


def count(key: str) -> int:
    cache.add(key, 0, timeout=WINDOW_S)
    try:
        return cache.incr(key)
    except ValueError:
        # It ran out between the two calls: a new window begins.
        cache.set(key, 1, timeout=WINDOW_S)
        return 1


def keys_of(address: str, username: str) -> tuple[str, str]:
    # The name is whatever was typed: hashed, it is a valid key, and no list of names lies in a shared cache.
    name = hashlib.sha256(username.casefold().encode("utf-8", "replace")).hexdigest()[:32]
    return f"sign-in:{address}:{name}", f"sign-in:{address}"
