"""Whom the words of a subject mean: the speaker, "my sister", a name, or the last person whom a pronoun fits."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.core.english.grammatical_person import FIRST_PERSON_WORDS
from memory.core.knowledge_graph.classes import LIVING
from memory.core.knowledge_graph.extraction.people import (
    TELLING,
    THEY,
    Focus,
    Person,
    name_case,
    person_of,
    pronoun_gender,
)
from memory.core.knowledge_graph.ontology import FAVORITE, relation_of
from memory.core.types import Node

# Of "she told me she" the last word says who is meant; of "a friend of his" it does not.
_CLAUSE_SUBJECTS = frozenset({"he", "she", "they"})
_DETERMINERS = re.compile(
    r"^(?:(?:a|an|the|this|that|these|those|some|my|our|your|his|her|their|its)\s+)+", re.IGNORECASE
)
_OWNED = re.compile(
    rf"\b(?P<owner>my|our|his|her|their|[A-Z][\w-]+['’]s)\s+(?:(?:{'|'.join(sorted(TELLING))})\s+)?"
    r"(?:[a-z-]+\s+)??(?P<noun>[a-z-]+)(?:,?\s+[A-Z][\w-]+)?"
)
_FAVORITE = re.compile(r"\b(?P<owner>my|our|his|her|their|[A-Z][\w-]+['’]s)\s+favou?rite\b")
_OWNER_BEFORE = re.compile(r"\b(my|our|his|her|their|[A-Z][\w-]+['’]s)\s+(?:[\w-]+\s+){0,2}$")
_SOMEBODYS = re.compile(r"(?P<owner>.+)['’]s (?P<noun>[\w -]+)")
_OF_SOMEBODY = re.compile(r"(?:[Tt]he )?(?P<noun>[a-z-]+(?: [a-z-]+)?) of (?P<owner>.+)")
_OWN = re.compile(r"(my|our|his|her|their)\b", re.IGNORECASE)


class SubjectReader:
    """Reads the subjects of one sentence said by `speaker`, with the people that were spoken of so far in focus.

    `relatives` are the unnamed ones that it met, by their labels, each with whose they are and by which predicate.
    """

    def __init__(self, speaker: Node, focus: Focus) -> None:
        self._speaker = speaker
        self._focus = focus
        self.relatives: dict[str, tuple[Node, str]] = {}

    def meet(self, person: Person) -> None:
        self._focus = self._focus.with_person(person)

    def met(self, node: Node) -> Node:
        """Return somebody by the name that they were spoken of before: Philippa is Philippa Drew."""
        known = self._focus.called(node.label) if node.pos == "PROPN" and node.kind in LIVING else None
        return node if known is None else replace(node, label=known.label, aliases=(*known.aliases, *node.aliases))

    def node_of(self, words: str, text: str, at: int) -> Node | None:
        """Return the node that words mean, which stand at a place of a text; None where nobody is known to be meant."""
        low = words.lower()
        if low in FIRST_PERSON_WORDS:
            return self._speaker
        last = low.split()[-1]
        if low in THEY or pronoun_gender(low) or last in _CLAUSE_SUBJECTS:
            return self._meant(last)
        owned = _SOMEBODYS.fullmatch(words) or _OF_SOMEBODY.fullmatch(words)
        if owned is not None and relation_of(owned["noun"].split()[-1]):
            owner = self.node_of(owned["owner"], text, at)
            return None if owner is None else self._relative(owner, owned["noun"])
        bare = _DETERMINERS.sub("", words).strip()
        if not bare:
            return None
        noun, _, name = bare.partition(" ")
        if relation_of(noun) and name[:1].isupper():
            bare = name
        kind = bare.split()[-1]
        owner = (
            self._owner_before(text[:at], words) if relation_of(kind.removesuffix("s")) or relation_of(kind) else None
        )
        if owner is not None:
            return (
                self._relative(owner, bare)
                if relation_of(kind)
                else Node(f"{owner.label}'s {bare}", "Person", pos="NOUN")
            )
        is_name = any(word[:1].isupper() for word in bare.split())
        return self._bearer(bare) if is_name else self._focus.called(bare) or Node(bare, pos="NOUN")

    def _relative(self, owner: Node, words: str) -> Node:
        """Return somebody's relative: "older sister" of Ana's."""
        *before, noun = words.split()
        telling = next((word.lower() for word in before if word.lower() in TELLING), "")
        person = person_of(owner.label, noun.lower(), telling=telling)
        named = self._focus.called(person.node.label)
        self.meet(Person(named, person.gender) if named else person)
        if named is None:
            self.relatives[person.node.label] = owner, relation_of(noun)
        return named or person.node

    def owner_of(self, relation: str, text: str, at: int) -> Node | None:
        """Return whose relative a value is by the last such relation before it: "her boss is called Ana"; None for none."""
        if relation == FAVORITE:
            nouns = list(_FAVORITE.finditer(text, 0, at))
        else:
            nouns = [match for match in _OWNED.finditer(text, 0, at) if relation_of(match["noun"].lower()) == relation]
        return self._owner(nouns[-1]["owner"]) if nouns else self._speaker

    def _meant(self, pronoun: str) -> Node | None:
        """Return whom a pronoun means; "they" is whoever was spoken of last."""
        if pronoun in THEY:
            return next((person.node for person in self._focus.people), None)
        return self._focus.person(pronoun_gender(pronoun))

    def _owner_before(self, before: str, words: str) -> Node | None:
        """Return whose relation is meant: by the words themselves ("my sister") or the possessive before them."""
        found = _OWNER_BEFORE.search(f"{before} ")
        own = _OWN.match(words)
        return self._owner(own[1] if own is not None else found[1] if found is not None else "")

    def _owner(self, possessive: str) -> Node | None:
        low = possessive.lower()
        if low in ("my", "our", ""):
            return self._speaker
        if low in ("his", "her", "their"):
            return self._meant(low)
        return self._bearer(re.sub(r"['’]s$", "", possessive))

    def _bearer(self, name: str) -> Node:
        """Return who bears a name: the speaker, somebody in focus, or somebody new."""
        if name_case(name) == self._speaker.label:
            return self._speaker
        return self._focus.called(name) or Node(name_case(name), pos="PROPN")


def bare_value(words: str) -> str:
    """Return the words of a value without articles and owners before it and marks around it."""
    stripped = " ".join(words.split()).strip("\"'“”‘’.,;:!?()[]")
    return _DETERMINERS.sub("", stripped) or stripped
