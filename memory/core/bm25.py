"""BM25 over texts in memory (Robertson and Zaragoza, 2009: The Probabilistic Relevance Framework).

    score(q, d) = sum over the words w of q of  idf(w) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / average |d|))
    idf(w) = ln(1 + (N - df + 0.5) / (df + 0.5))

Departures from the paper:

- The idf is Lucene's, with one added inside the logarithm: a word that most texts have weighs little but never less than
  zero, so a match cannot lower a score.
- A word that a question repeats counts as often (the limit of the paper's k3).

The functions of a score are pure, so that the index in the database and the one in memory here give a text the same score.
"""

from __future__ import annotations

import heapq
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from memory.core.english.stop_words import STOP_WORDS

# "In reasonable collections 1.2 < k1 < 2 and 0.5 < b < 0.8" (section 3.5.1); these two are Lucene's, and the usual ones.
K1 = 1.2
B = 0.75

_MARKS = re.compile("[\u0300-\u036f]")
_APOSTROPHES = re.compile("['’‘]")
_POSSESSIVE = re.compile(r"['’]s\b")
_WORD = re.compile(r"[^\W_]+")
_VOWEL = re.compile("[aeiouy]")
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")
_HISSING = ("ss", "x", "z", "ch", "sh")


def words(text: str) -> list[str]:
    """Return the content words of a text as stems, in order and with repetitions."""
    folded = _MARKS.sub("", unicodedata.normalize("NFKD", text)).casefold()
    found = _WORD.findall(_APOSTROPHES.sub("", _POSSESSIVE.sub("", unicodedata.normalize("NFC", folded))))
    return [stem(word) for word in found if word not in STOP_WORDS]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of an English word: "paint", "paints", "painted" and "painting" share one.

    Only inflectional endings are removed, none that makes another word; irregular forms ("went", "go") do not share a stem.
    """
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    found = _without_plural(word)
    for ending in ("ing", "ed"):
        bare = found.removesuffix(ending)
        if bare != found and len(bare) >= 3 and _VOWEL.search(bare) and not found.endswith("eed"):
            found = _DOUBLED.sub(r"\1", bare)
            break
    found = found.removesuffix("e") if len(found) > 3 else found
    return found[:-1] + "i" if found.endswith("y") and len(found) > 2 and not _VOWEL.match(found[-2]) else found


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith(_HISSING):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def idf(df: int, n: int) -> float:
    """Return the inverse document frequency of a word that `df` of `n` texts have."""
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


def weight(tf: int, length: int, average: float) -> float:
    """Return the BM25 weight of a word that occurs `tf` times in a text of `length` words; `average` is the mean length."""
    return tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / average))


class Bm25Index:
    """A BM25 index of texts by id. After additions and removals it gives the same scores as an index built at once."""

    def __init__(self, texts: Mapping[int, str] | None = None) -> None:
        self._postings: dict[str, dict[int, int]] = {}
        self._counts: dict[int, Counter[str]] = {}
        self._lengths: dict[int, int] = {}
        self._total = 0
        self.add(texts or {})

    def __len__(self) -> int:
        return len(self._counts)

    def add(self, texts: Mapping[int, str]) -> None:
        """Add texts by id. Raises `ValueError`, before anything changes, for an id that is there already."""
        if present := sorted(self._counts.keys() & texts.keys()):
            raise ValueError(f"A text is added once; {present[:5]} are here already.")
        for text_id, text in texts.items():
            counts = Counter(words(text))
            self._counts[text_id], self._lengths[text_id] = counts, counts.total()
            self._total += counts.total()
            for word, tf in counts.items():
                self._postings.setdefault(word, {})[text_id] = tf

    def remove(self, ids: Iterable[int]) -> None:
        """Remove texts by id. Raises `KeyError` for an id that is not there."""
        for text_id in set(ids):
            self._total -= self._lengths.pop(text_id)
            for word in self._counts.pop(text_id):
                del self._postings[word][text_id]
                if not self._postings[word]:
                    del self._postings[word]

    def search(self, text: str, *, limit: int) -> list[tuple[int, float]]:
        """Return the ids and scores of the texts that share words with `text`, best first, ties by lower id."""
        scores: dict[int, float] = {}
        average = self._total / max(len(self._counts), 1)
        for word, times in Counter(words(text)).items():
            postings = self._postings.get(word, {})
            telling = times * idf(len(postings), len(self._counts))
            for text_id, tf in postings.items():
                scores[text_id] = scores.get(text_id, 0.0) + telling * weight(tf, self._lengths[text_id], average)
        return heapq.nsmallest(limit, scores.items(), key=lambda found: (-found[1], found[0]))
