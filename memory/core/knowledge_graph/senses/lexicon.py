"""What a lexicon of word senses offers to the disambiguation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Synset:
    """A WordNet 3.0 synset.

    `offset` is its place in the data file and, with `pos` (n, v, a, r), its identity. `number` is the sense number of its
    first lemma, counted from 1; `supersense` the name of its lexicographer file; `hypernyms` are offsets of the same
    part of speech, and so are `wholes`, what it is a part of, as a city is of a country.
    """

    offset: int
    pos: str
    lemmas: tuple[str, ...]
    number: int
    supersense: str
    gloss: str
    hypernyms: tuple[int, ...] = ()
    wholes: tuple[int, ...] = ()


class Lexicon(Protocol):
    def synsets(self, lemma: str, pos: str) -> list[Synset]:
        """Return the senses of a lemma, the most frequent first; none for a word that is not in the lexicon."""

    def synset(self, offset: int, pos: str) -> Synset:
        """Return the synset at an offset of a hypernym or of a whole."""
