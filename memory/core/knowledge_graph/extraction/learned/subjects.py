"""Whom the words of a subject mean: the speaker, "my sister", a name, or the last person whom a pronoun fits."""

from __future__ import annotations

import re

from memory.core.english.first_person import FIRST_PERSON_WORDS
from memory.core.knowledge_graph.extraction.people import (
    NEUTER,
    TELLING,
    THEY,
    Person,
    name_case,
    person_of,
    pronoun_gender,
)
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.naming import key_of
from memory.core.types import Node

_DETERMINERS = re.compile(
    r"^(?:(?:a|an|the|this|that|these|those|some|my|our|your|his|her|their|its)\s+)+", re.IGNORECASE
)
_OWNED = re.compile(
    rf"\b(?P<owner>my|our|his|her|their|[A-Z][\w-]+['’]s)\s+(?:(?:{'|'.join(sorted(TELLING))})\s+)?"
    r"(?:[a-z-]+\s+)??(?P<noun>[a-z-]+)(?:,?\s+[A-Z][\w-]+)?"
)


class People:
    """The people whom a message speaks of, by whom its pronouns and relations are resolved."""

    def __init__(self, speaker: Node) -> None:
        self._speaker = speaker
        self._met: list[Person] = []

    def meet(self, person: Person) -> None:
        same = key_of(person.node.label)
        known = next((met for met in self._met if key_of(met.node.label) == same), None)
        if known is not None and known.node.aliases and not person.node.aliases:
            person = known
        self._met = [person, *(met for met in self._met if key_of(met.node.label) != same)][:12]

    def node_of(self, words: str, text: str, at: int) -> Node | None:
        """Return the node that words mean, which stand at a place of a text; None where nobody is known to be meant."""
        low = words.lower()
        if low in FIRST_PERSON_WORDS:
            return self._speaker
        gender = pronoun_gender(low) or ("they" if low in THEY | {"their"} else "")
        if gender:
            return self._of_gender(gender)
        bare = _DETERMINERS.sub("", words).strip()
        noun = bare.split()[-1].lower() if bare else ""
        if relation_of(noun):
            owner = self._owner_before(text[:at], words)
            if owner:
                telling = bare.split()[0].lower() if len(bare.split()) > 1 else ""
                person = person_of(owner, noun, telling=telling if telling in TELLING else "")
                named = self._named(person)
                self.meet(named or person)
                return (named or person).node
        known = next((met.node for met in self._met if key_of(met.node.label) == key_of(bare)), None)
        if known is not None:
            return known
        if not bare:
            return None
        is_name = bare[:1].isupper() or any(word[:1].isupper() for word in bare.split())
        return Node(
            name_case(bare) if is_name else bare, "Person" if is_name else "", pos="PROPN" if is_name else "NOUN"
        )

    def owner_of(self, relation: str, text: str, at: int) -> Node | None:
        """Return whose relative a value is by the last such relation before it: "her boss is called Ana"; None for none."""
        nouns = [match for match in _OWNED.finditer(text, 0, at) if relation_of(match["noun"].lower()) == relation]
        label = self._owner(nouns[-1]["owner"], self._speaker.label) if nouns else self._speaker.label
        if label == self._speaker.label:
            return self._speaker
        known = next((met.node for met in self._met if met.node.label == label), None)
        return known or (Node(label, "Person", pos="PROPN") if label else None)

    def _named(self, person: Person) -> Person | None:
        """Return who was already named as that relation: "my sister" is Maya after "my sister Maya"."""
        return next((met for met in self._met if person.node.label in met.node.aliases), None)

    def _of_gender(self, gender: str) -> Node | None:
        if gender == "they":
            return self._met[0].node if self._met else None
        fitting = [
            met for met in self._met if met.gender in (gender, "") and (gender == NEUTER) == (met.gender == NEUTER)
        ]
        exact = [met for met in fitting if met.gender == gender]
        return next((met.node for met in exact or fitting), None)

    def _owner_before(self, before: str, words: str) -> str:
        """Return whose relation is meant: by the words themselves ("my sister") or the possessive before them."""
        found = re.search(r"\b(my|our|his|her|their|[A-Z][\w-]+['’]s)\s+(?:[\w-]+\s+){0,2}$", f"{before} ")
        own = re.match(r"(my|our|his|her|their)\b", words, re.IGNORECASE)
        possessive = own[1] if own is not None else found[1] if found is not None else ""
        return self._owner(possessive, self._speaker.label)

    def _owner(self, possessive: str, speaker: str) -> str:
        low = possessive.lower()
        if low in ("my", "our", ""):
            return speaker
        if low in ("his", "her", "their"):
            gender = {"his": "m", "her": "f", "their": "they"}[low]
            owner = self._of_gender(gender)
            return owner.label if owner is not None else ""
        return name_case(re.sub(r"['’]s$", "", possessive))


def bare_value(words: str) -> str:
    """Return the words of a value without articles and owners before it and marks around it."""
    stripped = " ".join(words.split()).strip("\"'“”‘’.,;:!?()[]")
    return _DETERMINERS.sub("", stripped) or stripped
