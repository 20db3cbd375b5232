"""People and things as they were mentioned, and whom a pronoun may mean."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memory.core.knowledge_graph.ontology import predicate_named, relation_of
from memory.core.knowledge_graph.vocabulary import FEMALE, MALE, PETS
from memory.core.naming import key_of
from memory.core.types import Node

_FEMININE = frozenset({"she", "her", "hers", "herself"})
_MASCULINE = frozenset({"he", "him", "his", "himself"})
# What tells which of several somebody is: "my older sister".
TELLING = frozenset("older younger elder big little oldest youngest eldest best middle twin half step".split())
# "It" means an animal where it means anybody.
NEUTER = "n"
# How many people a pronoun may mean.
_REMEMBERED = 8
THEY = frozenset({"they", "them", "their"})
# Whose word hearsay is where nobody is named.
SOMEBODY = "somebody"


@dataclass(frozen=True)
class Focus:
    """The people and animals that a pronoun may mean, latest first."""

    people: tuple[Person, ...] = ()

    def with_person(self, person: Person) -> Focus:
        """Return the focus with somebody foremost, under the other names and with the gender that they had before."""
        label = key_of(person.node.label)
        known = next((one for one in self.people if key_of(one.node.label) == label), None)
        if known is not None:
            node = person.node if person.node.aliases else known.node
            person = Person(node, person.gender or known.gender)
        others = [one for one in self.people if key_of(one.node.label) != label]
        return Focus((person, *others)[:_REMEMBERED])

    def person(self, gender: str) -> Node | None:
        """Return whom a pronoun means: the latest of its gender, or of none that is known, where that is the latest."""
        if gender == NEUTER:
            return next((person.node for person in self.people if person.node.kind == "Animal"), None)
        exact = [person.node for person in self.people if person.gender == gender]
        unknown = [person.node for person in self.people if not person.gender]
        latest = [person.node for person in self.people[:1] if person.gender in ("", gender)]
        return next(iter([*latest, *exact, *unknown]), None)

    def called(self, label: str) -> Node | None:
        """Return who bears a name, or was named as somebody's somebody: "Ana's sister" is Maya after "my sister Maya".

        A first or last name means its only bearer: "Philippa" is Philippa Drew.
        """
        key = key_of(label)
        known = (one.node for one in self.people if key in map(key_of, (one.node.label, *one.node.aliases)))
        bearers = [one.node for one in self.people if one.node.pos == "PROPN" and key in key_of(one.node.label).split()]
        return next(known, bearers[0] if len(bearers) == 1 else None)


def gender_of(noun: str) -> str:
    return "f" if noun in FEMALE else "m" if noun in MALE else ""


def pronoun_gender(word: str) -> str:
    if word in ("it", "its", "itself"):
        return NEUTER
    return "f" if word in _FEMININE else "m" if word in _MASCULINE else ""


def name_case(label: str) -> str:
    """Return a name typed in lower case with its capitals; other spellings are the speaker's own."""
    if label != label.lower() or any(character.isdigit() for character in label):
        return label
    small = {"of", "the", "and", "de", "la", "le", "du", "von", "van", "der", "da"}
    words = [
        word if word in small and index else word[:1].upper() + word[1:] for index, word in enumerate(label.split(" "))
    ]
    return " ".join(words)


def with_names(node: Node, role: Node) -> Node:
    """Return somebody who is known by what they are to somebody too: Tom as "Ana's brother"."""
    return replace(node, kind=node.kind or role.kind, aliases=(*node.aliases, role.label, *role.aliases))


@dataclass(frozen=True)
class Person:
    """Somebody who was spoken of, with the gender that their noun tells ("f", "m", "n" for animals, or "")."""

    node: Node
    gender: str


def person_of(owner: str, noun: str, *, telling: str = "", name: str = "") -> Person:
    """Return who somebody's somebody is: "Ana's sister", or Maya with that for an alias."""
    relation = relation_of(noun)
    role = predicate_named(relation).noun if relation != "spouse" else noun
    roles = [f"{owner}'s {word}" for word in dict.fromkeys((role, noun))]
    if telling:
        roles = [f"{owner}'s {telling} {role}", *roles]
    kind = "Animal" if noun in PETS else "Person"
    gender = NEUTER if noun in PETS else gender_of(noun)
    if name:
        return Person(Node(name_case(name), kind, tuple(roles), pos="PROPN"), gender)
    aliases = () if telling else tuple(roles[1:])
    return Person(Node(roles[0], kind, aliases, lemma=noun, pos="NOUN"), gender)
