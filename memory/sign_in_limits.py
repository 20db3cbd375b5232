"""How often signing in may fail: counts of a quarter of an hour, kept in the cache.

An account is never locked, or anybody could lock its owner out: what is counted is an address, alone and with one name.
"""

from __future__ import annotations

import hashlib

from django.core.cache import cache

WINDOW_S = 15 * 60
FAILURES_A_NAME = 10
FAILURES_AN_ADDRESS = 50
TOO_MANY = "Too many attempts failed. Wait a quarter of an hour, or sign in by a link from the terminal."


def attempt_allowed(*, address: str, username: str) -> bool:
    """Count an attempt as failed, until `attempt_succeeded` says otherwise, and return whether it may be made."""
    counts = [count(key) for key in keys_of(address, username)]
    return counts[0] <= FAILURES_A_NAME and counts[1] <= FAILURES_AN_ADDRESS


def attempt_succeeded(*, address: str, username: str) -> None:
    """Forget the failures of the name from this address. Those of the address stay, less this attempt."""
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
