"""Word senses by gloss similarity, and their alignment to DUL."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memory.adapters.wordnet import WordNetFiles
from memory.core.knowledge_graph.senses.alignment import BY_SUPERSENSE, check_class_of, dul_class_of, hypernym_chain
from memory.core.knowledge_graph.senses.gloss_similarity import GlossSimilaritySenseFinder
from memory.core.knowledge_graph.senses.lexicon import Synset
from memory.core.types import WordInContext
from tests.fakes.wordnet import small_wordnet


class LetterlessEmbedder:
    """Vectors of which words occur; texts that share words are near."""

    name = "words"
    dimension = 256

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        self.texts += texts
        vectors = np.full((len(texts), self.dimension), 1e-6, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in "".join(char if char.isalpha() else " " for char in text.lower()).split():
                vectors[row, sum(map(ord, word)) % self.dimension] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def lexicon(tmp_path: Path) -> WordNetFiles:
    return WordNetFiles(small_wordnet(tmp_path))


@pytest.fixture
def finder(lexicon: WordNetFiles) -> GlossSimilaritySenseFinder:
    return GlossSimilaritySenseFinder(lexicon=lexicon, embedder=LetterlessEmbedder())


def word(lemma: str, sentence: str, pos: str = "NOUN") -> WordInContext:
    return WordInContext(lemma=lemma, pos=pos, sentence=sentence)


def test_sentence_decides_between_senses(finder: GlossSimilaritySenseFinder) -> None:
    river, money = finder.find_many(
        [
            word("bank", "We sat on the sloping land beside a river, on its bank."),
            word("bank", "The bank is where my money is kept."),
        ]
    )
    assert (river.synset, river.supersense, river.dul_class) == ("bank-noun-1", "noun.object", "d0:Location")
    assert (money.synset, money.supersense, money.check_class) == ("bank-noun-2", "noun.group", "dul:Collection")


def test_gloss_is_embedded_once(lexicon: WordNetFiles) -> None:
    embedder = LetterlessEmbedder()
    finder = GlossSimilaritySenseFinder(lexicon=lexicon, embedder=embedder)
    finder.find_many([word("bank", "one"), word("bank", "two")])
    finder.find_many([word("bank", "three")])
    assert len(embedder.texts) == 2 + 3


def test_name_takes_a_sense_only_as_a_place(finder: GlossSimilaritySenseFinder) -> None:
    place, lower, nobody = finder.find_many(
        [word("Oslo", "I live in Oslo.", "PROPN"), word("bank", "Bank said so.", "PROPN"), word("Zoe", "x", "PROPN")]
    )
    assert (place.synset, place.supersense) == ("oslo-noun-1", "noun.location")
    assert lower is None and nobody is None


def test_phrase_without_an_entry_is_a_kind_of_its_last_word(finder: GlossSimilaritySenseFinder) -> None:
    whole, part = finder.find_many([word("computer mouse", "x"), word("old racing bicycle", "x")])
    assert (whole.synset, part.synset) == ("mouse-noun-2", "bicycle-noun-1")


@pytest.mark.parametrize(
    ("lemma", "pos"), [("zebra", "NOUN"), ("", "NOUN"), ("  ", "NOUN"), ("run", "X"), ("\U0001f600", "NOUN"), ("بيت", "NOUN")]
)  # fmt: skip
def test_unknown_word_has_no_sense(finder: GlossSimilaritySenseFinder, lemma: str, pos: str) -> None:
    assert finder.find_many([word(lemma, "x", pos)]) == [None]


def test_verbs_and_adjectives_align_by_part_of_speech(finder: GlossSimilaritySenseFinder) -> None:
    run, red = finder.find_many([word("run", "I run", "VERB"), word("red", "a red door", "ADJ")])
    assert (run.dul_class, red.dul_class) == ("dul:Event", "dul:Quality")


class OneChain:
    """A lexicon of one chain of hypernyms, the n-th above the (n-1)-th."""

    def __init__(self, *offsets: int) -> None:
        self.offsets = offsets

    def synset(self, offset: int, pos: str) -> Synset:
        at = self.offsets.index(offset)
        above = self.offsets[at + 1 : at + 2]
        return Synset(offset, pos, ("x",), 1, "noun.state", "", above)


def test_nearest_listed_hypernym_decides_before_the_supersense() -> None:
    chain = OneChain(1, 13945919, 191142)
    assert dul_class_of(chain.synset(1, "n"), chain) == "dul:Role"
    assert dul_class_of(OneChain(1).synset(1, "n"), OneChain(1)) == "dul:Situation"
    assert check_class_of(chain.synset(1, "n")) == "dul:Situation"


def test_circle_of_hypernyms_ends() -> None:
    circle = OneChain(1, 2, 1)
    assert len(list(hypernym_chain(circle.synset(1, "n"), circle))) <= 30


def test_classes_for_checks_are_never_stronger_than_a_class_of_dul() -> None:
    assert {check for _, check in BY_SUPERSENSE.values()} <= {
        "dul:Entity", "dul:Action", "dul:Organism", "dul:PhysicalObject", "dul:Quality", "dul:InformationEntity",
        "dul:Event", "dul:Collection", "dul:Person", "dul:Description", "dul:Process", "dul:Amount", "dul:Situation",
        "dul:TimeInterval",
    }  # fmt: skip
