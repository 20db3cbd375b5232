"""An evidence reader that does as it is told: what each message marks, and what each earlier piece suffers from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory.core.semantic_state.ports import Bearing, EvidencePair, Fate, FatePair, Marked, MarkedWords
from memory.core.types import MessageInContext, Span

SURE, REST = 0.9, 0.02


class ToldEvidenceReader:
    """`marks` are kinds by words, `bears` bearings by (earlier, new words), `fates` fates by (earlier, message)."""

    name = "told"

    def __init__(
        self,
        marks: Mapping[str, Marked],
        bears: Mapping[tuple[str, str], Bearing] | None = None,
        fates: Mapping[tuple[str, str], Fate] | None = None,
    ) -> None:
        self.marks, self.bears, self.fates = marks, bears or {}, fates or {}
        self.pairs = 0

    def mark_many(self, messages: Sequence[MessageInContext]) -> list[tuple[MarkedWords, ...]]:
        return [tuple(self._marked(message.text)) for message in messages]

    def _marked(self, text: str) -> list[MarkedWords]:
        found = [
            MarkedWords(words, Span(start, start + len(words)), kind, SURE)
            for words, kind in self.marks.items()
            if (start := text.find(words)) >= 0
        ]
        return sorted(found, key=lambda mark: mark.span.start)

    def link_many(self, pairs: Sequence[EvidencePair]) -> list[dict[Bearing, float]]:
        self.pairs += len(pairs)
        return [
            {
                bearing: SURE if self.bears.get((pair.earlier, pair.new.text), Bearing.NONE) is bearing else REST
                for bearing in Bearing
            }
            for pair in pairs
        ]

    def fates_many(self, pairs: Sequence[FatePair]) -> list[dict[Fate, float]]:
        self.pairs += len(pairs)
        return [
            {
                fate: SURE if self.fates.get((pair.earlier, pair.message.text), Fate.STANDS) is fate else REST
                for fate in Fate
            }
            for pair in pairs
        ]
