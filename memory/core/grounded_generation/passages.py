"""Passages as evidence: those whose titles a fact or its dialogue names, then those that share its words (section 3.4)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from memory.core.bm25 import Bm25Index
from memory.core.grounded_generation.knowledge import linked_names, name_key
from memory.core.grounded_generation.verification import Ground

# "Mercury (planet)" is named by "Mercury".
_WHICH = re.compile(r"\s*\([^()]*\)\s*$")


class PassageIndex:
    """Passages by their titles and words."""

    def __init__(self, passages: Sequence[Ground]) -> None:
        self._passages = list(passages)
        self._words = Bm25Index({place: f"{one.title} {one.text}" for place, one in enumerate(self._passages)})
        self._titled: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(self._passages):
            if key := name_key(_WHICH.sub("", one.title)):
                self._titled[key].append(place)

    def evidence_for(self, fact: str, dialogue: Sequence[str], *, limit: int) -> list[Ground]:
        """Return the passages for a fact: under the titles that it names, that its dialogue names, and by its words.

        Within each kind those that share the most words with the fact come first. At most half are of titles that the
        dialogue alone names.
        """
        by_words = [place for place, _ in self._words.search(fact, limit=len(self._passages))]
        rank = {place: number for number, place in enumerate(by_words)}

        def best(names: Sequence[str]) -> list[int]:
            found = {place for name in names for place in self._titled[name]}
            return sorted(found, key=lambda place: rank.get(place, len(rank)))

        own, others = best(linked_names([fact], self._titled)), best(linked_names(dialogue, self._titled))
        order = dict.fromkeys([*own, *others[: limit // 2], *by_words])
        return [self._passages[place] for place in list(order)[:limit]]
