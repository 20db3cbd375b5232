"""Passages as evidence: those whose titles a fact or its dialogue names, then those that share its words (section 3.4)."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

from memory.core.bm25 import Bm25Index
from memory.core.grounded_generation.knowledge import linked_names, name_key
from memory.core.grounded_generation.verification import Ground

_WHICH = re.compile(r"\s*\([^()]*\)\s*$")


class PassageSource(Protocol):
    """Passages from outside a conversation. Bound to what may be read when made."""

    def evidence_for(self, fact: str, dialogue: Sequence[str], *, limit: int) -> list[Ground]:
        """Return the passages for a fact: under the titles that it names, that its dialogue names, and by its words.

        Within each kind those that share the most words with the fact come first. At most half are of titles that the
        dialogue alone names.
        """


def title_key(title: str) -> str:
    """Return the key of a title without its note: "Mercury (planet)" has that of "Mercury"."""
    return name_key(_WHICH.sub("", title))


def evidence_order(own: Sequence[int], others: Sequence[int], by_words: Sequence[int], *, limit: int) -> list[int]:
    """Return the first `limit` passages of a fact's titles, of its dialogue's (half at most) and by words, each once."""
    return list(dict.fromkeys([*own, *others[: limit // 2], *by_words]))[:limit]


class PassageIndex:
    """Implements `PassageSource` in memory."""

    def __init__(self, passages: Sequence[Ground]) -> None:
        self._passages = list(passages)
        self._words = Bm25Index({place: f"{one.title} {one.text}" for place, one in enumerate(self._passages)})
        self._titled: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(self._passages):
            if key := title_key(one.title):
                self._titled[key].append(place)

    def evidence_for(self, fact: str, dialogue: Sequence[str], *, limit: int) -> list[Ground]:
        by_words = [place for place, _ in self._words.search(fact, limit=len(self._passages))]
        rank = {place: number for number, place in enumerate(by_words)}

        def best(names: Sequence[str]) -> list[int]:
            found = {place for name in names for place in self._titled[name]}
            return sorted(found, key=lambda place: rank.get(place, len(rank)))

        own, others = best(linked_names([fact], self._titled)), best(linked_names(dialogue, self._titled))
        return [self._passages[place] for place in evidence_order(own, others, by_words, limit=limit)]
