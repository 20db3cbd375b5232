"""Word senses by the similarity of a sentence to glosses (D-SMART, Algorithm 1, lines 8 to 19).

Departures from the paper:
- EWISER, which is unmaintained and may not be used commercially, gives way to the sentence encoder that the product has
  anyway: the sense whose "lemmas (hypernym): gloss" is nearest to the sentence, less a little for each rank of
  frequency.
- Proper names are not disambiguated: WordNet knows no user's cat. A place takes the most frequent sense of its name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.core.knowledge_graph.senses.alignment import check_class_of, dul_class_of
from memory.core.knowledge_graph.senses.lexicon import Lexicon, Synset
from memory.core.ports import Embedder
from memory.core.types import WordInContext, WordSense

PARTS_OF_SPEECH = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r", "PROPN": "n"}
NAMES_OF_PARTS = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb"}
GLOSSES_KEPT = 20_000


@dataclass(frozen=True)
class GlossSimilarityConfig:
    """`rank_penalty` is taken off, times the logarithm of the sense's rank; 0.04 was best on 42 hand-labelled sentences.

    `senses` bounds how many senses of a word are weighed: "break" has 59.
    """

    rank_penalty: float = 0.04
    senses: int = 12


class GlossSimilaritySenseFinder:
    """Implements `SenseFinder` with a lexicon and the sentence encoder. The vector of a gloss is computed once."""

    def __init__(
        self, *, lexicon: Lexicon, embedder: Embedder, config: GlossSimilarityConfig = GlossSimilarityConfig()
    ) -> None:
        self._lexicon = lexicon
        self._embedder = embedder
        self._config = config
        self._gloss_vectors: dict[tuple[str, int], NDArray[np.float32]] = {}

    def find_many(self, words: Sequence[WordInContext]) -> list[WordSense | None]:
        senses = [self._senses(word) for word in words]
        ambiguous = [place for place, choices in enumerate(senses) if len(choices) > 1]
        self._embed_glosses([choice for place in ambiguous for choice in senses[place]])
        vectors = self._embedder.embed([words[place].sentence for place in ambiguous]) if ambiguous else ()
        for place, vector in zip(ambiguous, vectors, strict=True):
            senses[place] = [self._nearest(senses[place], vector)]
        return [self._described(choices[0]) if choices else None for choices in senses]

    def _senses(self, word: WordInContext) -> list[Synset]:
        pos = PARTS_OF_SPEECH.get(word.pos, "")
        if not pos or not word.lemma.strip():
            return []
        if word.pos == "PROPN":
            return [place for place in self._lexicon.synsets(word.lemma, pos) if _is_place_named(place, word.lemma)][:1]
        # A phrase that is no entry of its own means a kind of its last word: a racing bicycle is a bicycle.
        phrase = word.lemma.lower()
        found = self._lexicon.synsets(phrase, pos) or self._lexicon.synsets(phrase.split()[-1], pos)
        return found[: self._config.senses]

    def _nearest(self, choices: Sequence[Synset], sentence: NDArray[np.float32]) -> Synset:
        similarity = np.array([self._gloss_vectors[choice.pos, choice.offset] for choice in choices]) @ sentence
        penalty = self._config.rank_penalty * np.log(np.arange(1, len(choices) + 1))
        return choices[int(np.argmax(similarity - penalty))]

    def _embed_glosses(self, synsets: Sequence[Synset]) -> None:
        """Embed the glosses that are not cached yet, in one batch."""
        if len(self._gloss_vectors) > GLOSSES_KEPT:
            self._gloss_vectors.clear()
        unknown = {
            (synset.pos, synset.offset): self._gloss_text(synset)
            for synset in synsets
            if (synset.pos, synset.offset) not in self._gloss_vectors
        }
        if unknown:
            self._gloss_vectors.update(zip(unknown, self._embedder.embed(list(unknown.values())), strict=True))

    def _gloss_text(self, synset: Synset) -> str:
        lemmas = ", ".join(_plain(lemma) for lemma in synset.lemmas[:3])
        above = self._lexicon.synset(synset.hypernyms[0], synset.pos).lemmas[:2] if synset.hypernyms else ()
        return f"{lemmas} ({', '.join(_plain(lemma) for lemma in above)}): {synset.gloss}"

    def _described(self, synset: Synset) -> WordSense:
        return WordSense(
            synset=f"{synset.lemmas[0].lower()}-{NAMES_OF_PARTS[synset.pos]}-{synset.number}",
            supersense=synset.supersense,
            dul_class=dul_class_of(synset, self._lexicon),
            check_class=check_class_of(synset),
            gloss=re.split(r";\s*\"", synset.gloss)[0],
        )


def _is_place_named(synset: Synset, name: str) -> bool:
    return synset.supersense == "noun.location" and name.replace(" ", "_") in synset.lemmas


def _plain(lemma: str) -> str:
    return lemma.replace("_", " ")
