"""How near an utterance comes to forms that say it in full: exactly, but for case and marks, or by the words it shares."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

EXACT, TOKEN_F1, UNHARMED = "exact", "token_f1", "unharmed"
_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def is_exact(text: str, rewrites: Sequence[str]) -> bool:
    return words(text) in [words(rewrite) for rewrite in rewrites]


def nearest_f1(text: str, rewrites: Sequence[str]) -> float:
    """Return the largest F1 of the words that a text shares with one of the rewrites, in [0, 1]."""
    return max(_f1(words(text), words(rewrite)) for rewrite in rewrites)


def _f1(said: Sequence[str], wanted: Sequence[str]) -> float:
    shared = (Counter(said) & Counter(wanted)).total()
    return 2 * shared / (len(said) + len(wanted)) if shared else float(not said and not wanted)
