"""Which triples are selected for a dialogue, by words, by embeddings and by a selector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from memory.core.grounded_generation.knowledge import KnowledgeTriple
from memory.core.grounded_generation.selection import READ, Bm25Scorer, KapingScorer, SelectorScorer, select

TRIPLES = [
    KnowledgeTriple("Blinky Bill", "illustrator", "Dorothy Wall"),
    KnowledgeTriple("Blinky Bill", "author", "Dorothy Wall"),
    KnowledgeTriple("Blinky Bill", "species", "Koala"),
]
ASKED = ("Do you know Blinky Bill?", "Who is the author?")


class LetterCounts:
    """An `Embedder` whose vectors count letters."""

    name, dimension = "letters", 26

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        counts = np.array(
            [[text.casefold().count(chr(97 + letter)) for letter in range(26)] for text in texts], np.float32
        )
        return counts / np.maximum(1e-6, np.linalg.norm(counts, axis=1, keepdims=True))


@dataclass
class AuthorsFirst:
    """A `TripleSelector` that takes an author for relevant."""

    name: str = "authors"
    read: list[int] = field(default_factory=list)

    def relevant_many(self, dialogue: Sequence[str], triples: Sequence[str]) -> np.ndarray:
        self.read.append(len(triples))
        return np.array([0.9 if "author" in triple else 0.1 for triple in triples])


@pytest.mark.parametrize(
    "scorer", [Bm25Scorer(), KapingScorer(LetterCounts()), SelectorScorer(AuthorsFirst(), LetterCounts())]
)
def test_the_triple_that_was_asked_for_comes_first(scorer):
    assert select(scorer, ASKED, TRIPLES, limit=2)[0] == TRIPLES[1]
    assert select(scorer, ASKED, [], limit=2) == []
    assert select(scorer, ("",), TRIPLES, limit=9) != []


def test_of_many_triples_only_the_nearest_are_read_and_stand_before_the_rest():
    many = [KnowledgeTriple(f"Thing {number}", "has part", f"zzz {number}") for number in range(2 * READ)]
    selector = AuthorsFirst()
    ranked = select(SelectorScorer(selector, LetterCounts()), ASKED, [*many, *TRIPLES], limit=1_000)
    assert selector.read == [READ]
    assert ranked[0] == TRIPLES[1] and len(ranked) == len(many) + 3


def test_equal_scores_keep_the_order():
    same = [KnowledgeTriple("Ana", "likes", str(number)) for number in range(5)]
    assert select(SelectorScorer(AuthorsFirst(), LetterCounts()), ASKED, same, limit=3) == same[:3]
