"""A listener to whom every message teaches the same."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory.core.types import Learnt, LearntTriple, Triple


@dataclass
class Teaching:
    """Implements `MessageListener`; `heard` are the rounds that it was told of. Where `learnt` is None nothing is stored."""

    learnt: Learnt | None = field(default_factory=Learnt)
    heard: list[int] = field(default_factory=list)

    def hear(self, round_id: int) -> Learnt | None:
        self.heard.append(round_id)
        return self.learnt


def taught(*triples: Triple, replaced: Triple | None = None) -> Learnt:
    """Return what stored these triples, each in place of the same one if any."""
    before = () if replaced is None else (replaced,)
    return Learnt(tuple(LearntTriple(triple, before) for triple in triples))
