"""How long hypothesis searches: `daily` in every run of the tests, `long` in `make test-long`."""

from __future__ import annotations

from hypothesis import settings

LONG = 100
settings.register_profile("long", max_examples=LONG, deadline=None)
settings.register_profile("daily", max_examples=LONG // 5, deadline=None)
settings.load_profile("daily")


def examples(of_a_long_search: int) -> int:
    """Return how many examples the chosen profile tries where a long search tries that many.

    >>> examples(400)  # in the daily profile
    80
    """
    return of_a_long_search * settings.default.max_examples // LONG
