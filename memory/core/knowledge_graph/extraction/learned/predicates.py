"""The ontology's predicates for those that the message reader was taught, whose names are those of its labelled examples."""

from __future__ import annotations

import re

from memory.core.english.numbers import in_digits
from memory.core.english.trees import Tree
from memory.core.knowledge_graph.ontology import (
    FAVORITE,
    NUMBER_OF,
    favorite_of,
    minted,
    number_of,
    predicate_of_phrase,
    relation_of,
)
from memory.core.knowledge_graph.vocabulary import PETS

OTHER = "other"
GOT_RID_OF = "gotRidOf"
HAS_PET = "hasPet"
DIET = "diet"
_FAVORITE_KIND = re.compile(
    r"\bfavou?rite\s+((?:[\w'-]+\s+)??[\w-]+)\s+(?:\w+\s+){0,4}?(?:is|are|was|were|'s|:|would|has)", re.IGNORECASE
)
_COUNTED = re.compile(r"\s*((?:[\w'-]+\s+)?[\w-]+)")
_NUMBER = re.compile(r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a couple|no", re.IGNORECASE)
_SEVERAL = re.compile(rf"(?P<number>{_NUMBER.pattern}) (?P<things>[a-z-]+)", re.IGNORECASE)
_COUNTED_NOUNS = {
    "hasChild": "children", "hasSon": "sons", "hasDaughter": "daughters", "hasSister": "sisters",
    "hasBrother": "brothers", "hasCousin": "cousins", "hasPet": "pets",
}  # fmt: skip


def ontology_predicate(name: str, *, value: str, text: str, at: int) -> str:
    """Return the ontology's predicate for one of the reader's, given the value's words and where they stand in the text.

    A number of children is a number: hasChild "two" is hasNumberOfChildren. A pet is a dog where the words before say so,
    and nobody is born in a place of digits.
    """
    several = _SEVERAL.fullmatch(value)
    if several is not None and name in (*_COUNTED_NOUNS, NUMBER_OF):
        return number_of(several["things"])
    if name in _COUNTED_NOUNS and _NUMBER.fullmatch(value):
        return number_of(_COUNTED_NOUNS[name])
    if name == HAS_PET:
        return pet_relation(value, re.split(r"[.!?]\s", text[:at])[-1]) or HAS_PET
    if name == "bornIn" and value.isdigit():
        return "birthDate"
    if name == DIET:
        return "hasQuality"
    if name == FAVORITE:
        kind = _FAVORITE_KIND.search(text)
        return favorite_of(kind[1]) if kind is not None else favorite_of("thing")
    if name == NUMBER_OF:
        counted = _COUNTED.match(text[at + len(value) :])
        return number_of(counted[1]) if counted is not None else number_of("things")
    return name


def number_in(value: str) -> str:
    """Return the number in "two goats" in digits, or the value as it is."""
    several = _SEVERAL.fullmatch(value)
    return in_digits(value if several is None else several["number"])


def pet_relation(value: str, before: str) -> str:
    """Return the relation of a kind of animal, from the value itself ("a black cat") or the last words before it."""
    words = [*re.findall(r"[a-z-]+", before.lower())[-12:], *re.findall(r"[a-z-]+", value.lower())]
    return next((relation_of(word) for word in reversed(words) if word in PETS and word != "pet"), "")


def predicate_of_clause(tree: Tree, start: int) -> str:
    """Return the predicate that the clause around a value names, or the empty string: "volunteer at" for a shelter.

    `start` is the character where the value begins. The verb is the nearest above the value; its particle and the
    preposition of the value belong to its name.
    """
    head = value_head(tree, start)
    if head is None:
        return ""
    verb = next((node for node in (head, *tree.ancestors(head)) if tree.pos(node) == "VERB"), None)
    if verb is None:
        return ""
    if verb == head:
        return "hasHabit"
    if tree.lemma(verb) in ("have", "get", "call", "name"):
        return "isA"
    particles = [tree.low(node) for node in tree.children(verb, "compound:prt")]
    preposition = _preposition(tree, head, verb)
    phrase = " ".join([tree.lemma(verb), *particles, *([preposition] if preposition else [])])
    return predicate_of_phrase(phrase) or minted(phrase)


def value_head(tree: Tree, start: int) -> int | None:
    """Return the topmost token of the noun phrase that a value begins, or None where no token stands there."""
    node = next((token.index for token in tree.tokens if token.start <= start < token.end), None)
    while (
        node is not None
        and not tree.is_root(node)
        and tree.is_dep(node, "det", "amod", "compound", "flat", "nummod", "nmod:poss")
    ):
        node = tree.head(node)
    return node


def _preposition(tree: Tree, head: int, verb: int) -> str:
    node = head
    while node != verb:
        case = tree.child(node, "case")
        if case is not None and tree.head(node) == verb:
            return tree.low(case)
        node = tree.head(node)
        if tree.is_root(node):
            break
    return ""
