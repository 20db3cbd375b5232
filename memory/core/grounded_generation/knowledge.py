"""Triples of an external knowledge graph, and which of them speak of what a dialogue mentions (section 3.1, appendix F).

Departure from the paper: entities are linked by their names, the longest in a place first, not by ReFinED, whose weights are
not here. What a name within a longer one means is not looked for: "Queen" of "Queen Elizabeth".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from memory.core.english.stop_words import STOP_WORDS
from memory.core.naming import key_of

INVERSE = "~"
LONGEST_NAME = 10
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class KnowledgeTriple:
    """A triple (s, p, o) of a knowledge graph."""

    subject: str
    relation: str
    object: str

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


class KnowledgeIndex:
    """Triples by the names of their entities. Cycles, empty names and triples that are told twice do no harm."""

    def __init__(self, triples: Iterable[KnowledgeTriple]) -> None:
        self._about: dict[str, dict[KnowledgeTriple, None]] = defaultdict(dict)
        for triple in triples:
            for key in (name_key(triple.subject), name_key(triple.object)):
                if key and key not in STOP_WORDS:
                    self._about[key][triple] = None

    def linked(self, utterances: Sequence[str]) -> list[str]:
        """Return the keys of the entities that utterances name, those named last first."""
        return linked_names(utterances, self._about)

    def candidates(self, utterances: Sequence[str], *, limit: int) -> list[KnowledgeTriple]:
        """Return the triples of the entities that utterances name, those named last first, at most `limit`."""
        found: dict[KnowledgeTriple, None] = {}
        for key in self.linked(utterances):
            for triple in self._about[key]:
                found.setdefault(triple)
                if len(found) == limit:
                    return list(found)
        return list(found)
