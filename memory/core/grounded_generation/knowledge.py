"""Triples of an external knowledge graph, and which of them speak of what a dialogue mentions (section 3.1, appendix F).

Departure from the paper: entities are linked by their names, the longest in a place first, not by ReFinED, whose weights are
not here. What a name within a longer one means is not looked for: "Queen" of "Queen Elizabeth".

`KnowledgeIndex` holds a base in memory; `SpaceKnowledge` of the stores finds the same in the database, and misspelt names.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from memory.core.bm25 import Bm25Index
from memory.core.english.stop_words import STOP_WORDS
from memory.core.grounded_generation.verification import Ground
from memory.core.naming import key_of

INVERSE = "~"
LONGEST_NAME = 10
# Letters of the beginning and of the end that a misspelt name shares with the right one, whichever was not mistyped.
BLOCK = 5
SHORTEST_MISSPELT, LONGEST_MISSPELT = 6, 60
LONGEST_GUESS = 5
# A single word that may be misspelt has so many letters; of a name one letter in so many may be wrong.
SHORTEST_WORD = 7
LETTERS_A_SLIP = 8
_SENTENCE_END = re.compile(r"[.?!]\s")
_ARTICLES = ("the ", "a ", "an ")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class KnowledgeTriple:
    """A triple (s, p, o) of a knowledge graph. Where it is stored, `base_id` and `source` tell in which base."""

    subject: str
    relation: str
    object: str
    source: str = field(default="", compare=False)
    base_id: int | None = field(default=None, compare=False)

    @property
    def text(self) -> str:
        return f"{self.subject} {self.relation} {self.object}"


def knowledge_triple(subject: str, relation: str, object_: str) -> KnowledgeTriple:
    """Return a triple whose relation is no inverse: (o, "~written by", s) is (s, "written by", o)."""
    subject, relation, object_ = (" ".join(part.split()) for part in (subject, relation, object_))
    if relation.startswith(INVERSE):
        return KnowledgeTriple(object_, relation.removeprefix(INVERSE), subject)
    return KnowledgeTriple(subject, relation, object_)


def name_key(name: str) -> str:
    """Return the words of a name, folded: names that differ in marks, case or accents have one key."""
    return " ".join(_WORD.findall(key_of(name)))


def linked_names(utterances: Sequence[str], known: Container[str]) -> list[str]:
    """Return the known keys of names that utterances have, the longest in a place, those named last first."""
    found: dict[str, None] = {}
    for text in reversed(utterances):
        words, place = _WORD.findall(key_of(text)), 0
        named: dict[str, None] = {}
        while place < len(words):
            reach = range(min(LONGEST_NAME, len(words) - place), 0, -1)
            length = next((n for n in reach if " ".join(words[place : place + n]) in known), 0)
            if length:
                named[" ".join(words[place : place + length])] = None
            place += length or 1
        for key in reversed(named):
            found.setdefault(key)
    return list(found)


def letters_of(key: str) -> str:
    """Return what spellings of a name are compared by: its key without an article and without blanks."""
    article = next((one for one in _ARTICLES if key.startswith(one)), "")
    return key.removeprefix(article).replace(" ", "")


def blocks_of(key: str, *, longer: int = 0) -> tuple[str, str]:
    """Return the two blocks of names that a name is in, by its length (`longer` added) with its first and its last letters.

    One slip of the pen cannot change both ends of a name. Empty for a name too short or too long to be guessed.
    """
    letters = letters_of(key)
    if not SHORTEST_MISSPELT <= len(letters) <= LONGEST_MISSPELT:
        return "", ""
    return f"{len(letters) + longer}{letters[:BLOCK]}", f"{len(letters) + longer}{letters[-BLOCK:]}"


def slips_allowed(run: str, key: str) -> int:
    """Return how many letters of a run of words may differ from a name that it is then taken for; -1 where none is.

    One word of an utterance is taken for a name of one word only, and not for one that merely ends otherwise: "Serbian".
    """
    if " " not in run and (" " in key or len(run) < SHORTEST_WORD or run[:-2] == key[: len(run) - 2]):
        return -1
    return max(1, len(letters_of(run)) // LETTERS_A_SLIP)


def possible_names(utterances: Sequence[str], *, most: int) -> set[str]:
    """Return the keys of all runs of words that could be names, of the last `most` words; no stop words alone."""
    found: set[str] = set()
    for text in reversed(utterances):
        words = _WORD.findall(key_of(text))
        words = words[max(len(words) - most, 0) :]
        most -= len(words)
        for place in range(len(words)):
            found.update(
                " ".join(words[place : place + n]) for n in range(1, min(LONGEST_NAME, len(words) - place) + 1)
            )
    return found - STOP_WORDS


def possible_misspellings(utterances: Sequence[str], known: Container[str], *, most: int) -> list[str]:
    """Return the keys of runs of words that may be misspelt names: those of the last utterance first, longer ones first.

    They begin and end with words that are no stop words, and have one that is part of no known name. In an utterance with
    capitals all these words are capitalised; in one without there are several of them.
    """
    found: dict[str, None] = {}
    for text in reversed(utterances):
        is_lower = text == text.lower()
        for sentence in _SENTENCE_END.split(text):
            words = [(word, key) for word in _WORD.findall(sentence) if (key := name_key(word))]
            keys, covered = [key for _, key in words], _covered([key for _, key in words], known)
            # What begins a sentence is capitalised whatever it is.
            is_telling = [word[0].isupper() and place > 0 for place, (word, _) in enumerate(words)]
            for length in range(min(LONGEST_GUESS, len(words)), 0, -1):
                for place in range(len(words) - length + 1):
                    reach = range(place, place + length)
                    content = [at for at in reach if keys[at] not in STOP_WORDS and len(keys[at]) > 1]
                    is_name = length > 1 if is_lower else any(is_telling[at] for at in content)
                    if (
                        content
                        and is_name
                        and content[0] == place
                        and content[-1] == place + length - 1
                        and (is_lower or all(words[at][0][0].isupper() for at in content))
                        and not all(covered[at] for at in content)
                        and blocks_of(run := " ".join(keys[at] for at in reach))[0]
                        and run not in known
                    ):
                        found.setdefault(run)
                        if len(found) == most:
                            return list(found)
    return list(found)


def _covered(words: Sequence[str], known: Container[str]) -> list[bool]:
    """Return of each word whether a known name has it."""
    covered = [False] * len(words)
    for place in range(len(words)):
        reach = range(min(LONGEST_NAME, len(words) - place), 0, -1)
        length = next((n for n in reach if " ".join(words[place : place + n]) in known), 0)
        covered[place : place + length] = [True] * length
    return covered


class KnowledgeSource(Protocol):
    """Triples from outside a conversation. Bound to what may be read when made."""

    def candidates(self, dialogue: Sequence[str], *, limit: int) -> list[KnowledgeTriple]:
        """Return the triples of the entities that a dialogue names, those named last first, at most `limit`."""


class KnowledgeIndex:
    """Implements `KnowledgeSource` in memory, by the names of entities.

    Cycles, empty names and triples that are told twice do no harm.
    """

    def __init__(self, triples: Iterable[KnowledgeTriple]) -> None:
        self._about: dict[str, dict[KnowledgeTriple, None]] = defaultdict(dict)
        for triple in triples:
            for key in (name_key(triple.subject), name_key(triple.object)):
                if key and key not in STOP_WORDS:
                    self._about[key][triple] = None

    def linked(self, utterances: Sequence[str]) -> list[str]:
        """Return the keys of the entities that utterances name, those named last first."""
        return linked_names(utterances, self._about)

    def candidates(self, dialogue: Sequence[str], *, limit: int) -> list[KnowledgeTriple]:
        found: dict[KnowledgeTriple, None] = {}
        for key in self.linked(dialogue):
            for triple in self._about[key]:
                found.setdefault(triple)
                if len(found) == limit:
                    return list(found)
        return list(found)


_WHICH = re.compile(r"\s*\([^()]*\)\s*$")


class PassageSource(Protocol):
    """Passages from outside a conversation. Bound to what may be read when made."""

    def evidence_for(self, fact: str, dialogue: Sequence[str], *, limit: int) -> list[Ground]:
        """Return the passages for a fact: under the titles that it names, that its dialogue names, and by its words.

        Within each kind those that share the most words with the fact come first. At most half are of titles that the
        dialogue alone names.
        """


def title_key(title: str) -> str:
    """Return the key of a title without its note: "Mercury (planet)" has that of "Mercury"."""
    return name_key(_WHICH.sub("", title))


def evidence_order(own: Sequence[int], others: Sequence[int], by_words: Sequence[int], *, limit: int) -> list[int]:
    """Return the first `limit` passages of a fact's titles, of its dialogue's (half at most) and by words, each once."""
    return list(dict.fromkeys([*own, *others[: limit // 2], *by_words]))[:limit]


class PassageIndex:
    """Implements `PassageSource` in memory."""

    def __init__(self, passages: Sequence[Ground]) -> None:
        self._passages = list(passages)
        self._words = Bm25Index({place: f"{one.title} {one.text}" for place, one in enumerate(self._passages)})
        self._titled: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(self._passages):
            if key := title_key(one.title):
                self._titled[key].append(place)

    def evidence_for(self, fact: str, dialogue: Sequence[str], *, limit: int) -> list[Ground]:
        by_words = [place for place, _ in self._words.search(fact, limit=len(self._passages))]
        rank = {place: number for number, place in enumerate(by_words)}

        def best(names: Sequence[str]) -> list[int]:
            found = {place for name in names for place in self._titled[name]}
            return sorted(found, key=lambda place: rank.get(place, len(rank)))

        own, others = best(linked_names([fact], self._titled)), best(linked_names(dialogue, self._titled))
        return [self._passages[place] for place in evidence_order(own, others, by_words, limit=limit)]
