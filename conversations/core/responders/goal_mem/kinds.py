"""What kind of thing a word names, and the wider place that a place is in, by a lexicon (WordNet)."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from memory.core.knowledge_graph.senses.lexicon import Lexicon, Synset

# Senses further down are rare, and a word has one of nearly every kind.
_SENSES = 4
_STEPS = 12
_PLACES = 4
_LIVING = ("noun.Tops", "noun.person", "noun.animal", "noun.group")
_PLACE = "noun.location"


@dataclass(frozen=True)
class Kinds:
    """Kinds of things. Without a lexicon, or for words that it does not have, nothing is known."""

    lexicon: Lexicon | None

    def may_be(self, value: str, kind: str) -> bool:
        """Return whether a value may be of a kind: names and unknown words may be anything."""
        kinds = self._offsets(kind)
        senses = self._senses(value) if value == value.lower() else []
        return not kinds or not senses or any(self._is_one(sense, kinds) for sense in senses)

    def wider(self, place: str, kind: str) -> str:
        """Return the place of a kind that a place is in: "Idaho" for Boise and "state"; "" where none is known."""
        kinds = self._offsets(kind)
        for sense in self._senses(place):
            if sense.supersense == _PLACE and not self._is_one(sense, kinds):
                found = next((whole for whole in self._wholes(sense) if self._is_one(whole, kinds)), None)
                if found is not None:
                    return found.lemmas[0].replace("_", " ")
        return ""

    def is_living(self, kind: str) -> bool:
        """Return whether a kind is one of people, animals or groups of them, as far as is known."""
        senses = self._senses(kind)[:2]
        return not senses or any(sense.supersense in _LIVING for sense in senses)

    def _senses(self, words: str) -> list[Synset]:
        """Return the usual senses of words, or of the last one: "a US state" is a state."""
        if self.lexicon is None:
            return []
        bare = unicodedata.normalize("NFKD", words)
        said = "".join(letter for letter in bare if not unicodedata.combining(letter)).split()
        for start in range(len(said)):
            if found := self.lexicon.synsets(" ".join(said[start:]).strip(".,!?'\""), "n"):
                return found[:_SENSES]
        return []

    def _offsets(self, kind: str) -> frozenset[int]:
        return frozenset(sense.offset for sense in self._senses(kind))

    def _is_one(self, sense: Synset, kinds: frozenset[int]) -> bool:
        assert self.lexicon is not None
        waiting, seen = {sense.offset}, set[int]()
        for _ in range(_STEPS):
            if waiting & kinds:
                return True
            seen |= waiting
            waiting = {up for one in waiting for up in self.lexicon.synset(one, "n").hypernyms} - seen
        return False

    def _wholes(self, sense: Synset) -> Iterator[Synset]:
        """Yield what a place is a part of, the nearest first."""
        assert self.lexicon is not None
        level = [sense]
        for _ in range(_PLACES):
            level = [self.lexicon.synset(whole, "n") for one in level for whole in one.wholes]
            yield from level
