"""Dialogue sense knowledge selection (equations 2 and 3): the triples that are most probably relevant to a dialogue.

BM25 and KAPING (the similarity of embeddings; Baek et al., 2023) are the paper's baselines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory.core.bm25 import Bm25Index
from memory.core.grounded_generation.knowledge import KnowledgeTriple
from memory.core.ports import Embedder

# So many triples are read with the dialogue by a selector; the rest stay in the order of their embeddings.
READ = 200


class TripleScorer(Protocol):
    """Scores triples by how well they fit a dialogue. `name` says how."""

    @property
    def name(self) -> str: ...

    def score(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        """Return a score a triple in words, larger for those that fit better, shape (len(triples),)."""


class TripleSelector(Protocol):
    """Judges how probably triples are relevant to a dialogue (f_sel). `name` identifies the weights."""

    name: str

    def relevant_many(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        """Return P(relevant | dialogue, triple) of each triple in words, in [0, 1]."""


def select(
    scorer: TripleScorer, dialogue: Sequence[str], triples: Sequence[KnowledgeTriple], *, limit: int
) -> list[KnowledgeTriple]:
    """Return the top N triples, best first, ties in the order in which they were given (equation 3)."""
    if not triples:
        return []
    order = np.argsort(-scorer.score(dialogue, [triple.text for triple in triples]), kind="stable")
    return [triples[place] for place in order[:limit]]


@dataclass(frozen=True)
class Bm25Scorer:
    """BM25 of the triples as documents, the dialogue as the query."""

    name: str = "bm25"

    def score(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        index = Bm25Index(dict(enumerate(triples)))
        scores = np.zeros(len(triples))
        for place, score in index.search(" ".join(dialogue), limit=len(triples)):
            scores[place] = score
        return scores


@dataclass(frozen=True)
class KapingScorer:
    """The cosine between the embeddings of the last utterance and of each triple (KAPING)."""

    embedder: Embedder
    name: str = "kaping"

    def score(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        vectors = self.embedder.embed([dialogue[-1], *triples])
        return np.asarray(vectors[1:] @ vectors[0], dtype=np.float64)


@dataclass(frozen=True)
class SelectorScorer:
    """A trained selector over the triples whose embeddings are nearest to the dialogue; the others come behind these."""

    selector: TripleSelector
    embedder: Embedder
    name: str = "selector"

    def score(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        if len(triples) <= READ:
            return self.selector.relevant_many(dialogue, triples)
        scores = KapingScorer(self.embedder).score([" ".join(dialogue)], triples) - 2
        read = np.argsort(-scores, kind="stable")[:READ]
        scores[read] = self.selector.relevant_many(dialogue, [triples[place] for place in read])
        return scores
