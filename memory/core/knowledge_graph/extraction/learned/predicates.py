"""The ontology's predicates for those that the message reader was taught, whose names are those of its labelled examples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from memory.core.english.inflection import base_form, is_known_verb, is_past_form
from memory.core.english.numbers import in_digits
from memory.core.english.trees import Tree
from memory.core.knowledge_graph.ontology import (
    FAVORITE,
    NUMBER_OF,
    favorite_of,
    minted,
    number_of,
    predicate_named,
    predicate_of_phrase,
    relation_of,
)
from memory.core.knowledge_graph.vocabulary import PETS

OTHER = "other"
# Of a phrase that names a predicate, the verb and so many words with it; and what it leaves out.
PHRASE_WORDS = 3
SMALL_WORDS = frozenset(
    "a an the my our his her their is are was were be been has have had will would do does did".split()
)
_ROLE_BEFORE = re.compile(r"(?:\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir)|['’]s) ((?:[a-z-]+ )?[a-z-]+),? $")
GOT_RID_OF = "gotRidOf"
HAS_PET = "hasPet"
DIET = "diet"
NAMING = frozenset({"call", "name"})
_FAVORITE_KIND = re.compile(
    r"\bfavou?rite\s+((?:[\w'-]+\s+)??[\w-]+)\s+(?:\w+\s+){0,4}?(?:is|are|was|were|'s|:|would|has)", re.IGNORECASE
)
_FAVORITE_BEHIND = re.compile(r"\b(?:is|are|was|were)\s+\w+\s+favou?rite\s+([\w-]+)", re.IGNORECASE)
_COUNTED = re.compile(r"\s*((?:[\w'-]+\s+)?[\w-]+)")
_NUMBER = re.compile(r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a couple|no", re.IGNORECASE)
_SEVERAL = re.compile(rf"(?P<number>{_NUMBER.pattern}) (?P<things>[a-z-]+)", re.IGNORECASE)
# The reader was taught the relations that people name most; the words may say which of their kinds it is.
FINER_RELATIONS = {
    "hasPartner": ("hasGirlfriend", "hasBoyfriend", "hasFiance"),
    "hasDoctor": ("hasDentist", "hasTherapist", "hasPhysio", "hasVet"),
    "hasBoss": ("hasManager", "hasSupervisor"),
    "hasColleague": ("hasAssistant", "hasClassmate", "hasClient", "hasStudent"),
    "hasFriend": ("hasClassmate",),
}


def ontology_predicate(name: str, *, value: str, text: str, at: int) -> str:
    """Return the ontology's predicate for one of the reader's, given the value's words and where they stand in the text.

    A number of children is a number: hasChild "two" is hasNumberOfChildren. A pet is a dog where the words before say so,
    and nobody is born in a place of digits.
    """
    several, relation = _SEVERAL.fullmatch(value), predicate_named(name)
    if several is not None and (relation.domain == "Person" and relation.noun or name in (HAS_PET, NUMBER_OF)):
        return number_of(several["things"])
    if relation.noun and relation.range in ("Person", "Animal") and _NUMBER.fullmatch(value):
        return number_of("children" if name == "hasChild" else f"{relation.noun}s")
    if name in FINER_RELATIONS:
        return finer_relation(name, before=_sentence_before(text, at), after=text[at + len(value) :])
    if name == HAS_PET:
        return pet_relation(value) or pet_relation(_sentence_before(text, at)) or HAS_PET
    if name == "bornIn" and value.isdigit():
        return "birthDate"
    if name == DIET:
        return "hasQuality"
    if name == FAVORITE:
        kind = _FAVORITE_KIND.search(text) or _FAVORITE_BEHIND.search(text)
        return favorite_of(kind[1]) if kind is not None else favorite_of("thing")
    if name == NUMBER_OF:
        counted = _COUNTED.match(text[at + len(value) :])
        return number_of(counted[1]) if counted is not None else number_of("things")
    return name


def relation_of_kind(value: str) -> str:
    """Return the relation to all of a kind, "siblings" or "dog"; the empty string for what is none, and for a breed."""
    noun = value if relation_of(value) else value.removesuffix("s")
    relation = relation_of(noun)
    return "" if noun in PETS and predicate_named(relation).noun != noun else relation


def finer_relation(name: str, *, before: str, after: str) -> str:
    """Return the relation that the words around a value name: a girlfriend where the nearest such noun says so."""
    nouns = [*reversed(re.findall(r"[\w-]+", before.lower())[-12:]), *re.findall(r"[\w-]+", after.lower())[:4]]
    said = (relation_of(noun) for noun in nouns)
    return next((relation for relation in said if relation == name or relation in FINER_RELATIONS[name]), name)


def _sentence_before(text: str, at: int) -> str:
    return re.split(r"[.!?]\s", text[:at])[-1]


def number_in(value: str) -> str:
    """Return the number in "two goats" in digits, or the value as it is."""
    several = _SEVERAL.fullmatch(value)
    return in_digits(value if several is None else several["number"])


def pet_relation(words: str) -> str:
    """Return the relation of the last kind of animal among words, "hasCat" for "a black cat" or "two cats"; else nothing."""
    said = [word.removesuffix("s") for word in re.findall(r"[a-z-]+", words.lower())[-12:]]
    kinds = [*map(" ".join, pairwise(said)), *said]
    return next((relation_of(kind) for kind in reversed(kinds) if kind in PETS and kind != "pet"), "")


@dataclass(frozen=True)
class ClauseReading:
    """How the clause around a value puts it: the predicate, whether the value is its subject, and whether it is past."""

    predicate: str
    is_turned: bool = False
    is_past: bool = False


def clause_reading(tree: Tree, start: int, end: int, *, is_named_after: bool) -> ClauseReading | None:
    """Return how the clause around the value between two characters puts it; None where none does.

    The verb is the nearest above the value; its particle, the thing that one has and the preposition of the value belong to
    its name: "volunteer at", "office in". A role belongs to whose it is, whichever is the value: France has a capital. Beside
    "be" or the name itself a value says what somebody is, and so does one before its subject: "a dog called Biscuit".
    """
    head = value_head(tree, start, end)
    if head is None:
        return None
    above, subject = tree.head(head), tree.child(head, "nsubj")
    if _is_owner(tree, head) and (tree.child(above, "cop") is not None or tree.is_dep(above, "nsubj", "appos")):
        return ClauseReading(_role(tree, above), is_turned=True)
    if is_named_after and (not tree.is_dep(head, "nsubj:pass") or tree.lemma(above) in NAMING):
        return ClauseReading("isA")
    for noun in (subject, above if tree.is_dep(head, "appos") else None):
        if noun is not None and any(_is_owner(tree, node) for node in tree.children(noun)):
            return ClauseReading(_role(tree, noun))
    if tree.child(head, "cop") is not None or tree.is_dep(head, "appos"):
        beside = tree.lemma(above) if tree.is_dep(head, "appos") else ""
        return ClauseReading(relation_of(beside) or ("hasQuality" if tree.pos(head) == "ADJ" else "isA"))
    verb = next((node for node in (head, *tree.ancestors(head)) if tree.pos(node) == "VERB"), None)
    if verb is None:
        return None
    if verb == head:
        return None if tree.tag(verb) in ("VBD", "VBN") else ClauseReading("hasHabit")
    if tree.lemma(verb) in NAMING:
        named = tree.head(verb) if tree.is_dep(verb, "acl") else tree.child(verb, "nsubj")
        is_role = named is not None and tree.pos(named) == "NOUN" and bool(tree.children(named, "nmod:poss"))
        role = "" if named is None else relation_of(tree.lemma(named)) or (_role(tree, named) if is_role else "")
        return ClauseReading(role or "hasName")
    is_past = tree.tag(verb) == "VBD" or bool(tree.words(verb, "aux") & {"was", "were", "did", "had"})
    particles = [tree.low(node) for node in tree.children(verb, "compound:prt")]
    preposition = _preposition(tree, head, verb)
    words, thing = [tree.lemma(verb), *particles], tree.child(verb, "obj")
    if preposition == "by" and tree.child(verb, "nsubj:pass") is not None:
        return ClauseReading(_verb(words), is_turned=True, is_past=is_past)
    if tree.lemma(verb) == "have" and relation_of(tree.lemma(head)):
        return ClauseReading(relation_of(tree.lemma(head)))
    case = tree.child(head, "case")
    if tree.lemma(verb) == "have" and thing not in (None, head) and case is not None:
        words, preposition = [tree.lemma(thing)], tree.low(case)
    return ClauseReading(_verb([*words, *([preposition] if preposition else [])]), is_past=is_past)


def phrase_reading(between: str, before: str) -> ClauseReading | None:
    """Return how a value is put where no clause of the parse tells, from the words around it; None where they do not.

    `between` are the words from the subject to the value ("trains in the"), `before` those of its sentence up to the value,
    which tell of a name whose somebody it is ("My physio").
    """
    words = [word for word in re.findall(r"[a-z-]+", between.lower()) if word not in SMALL_WORDS]
    verb = next((place for place, word in enumerate(words) if is_known_verb(base_form(word))), None)
    if verb is not None and len(words) - verb <= PHRASE_WORDS:
        return ClauseReading(_verb([base_form(words[verb]), *words[verb + 1 :]]), is_past=is_past_form(words[verb]))
    role = _ROLE_BEFORE.search(before)
    if role is None:
        return None
    return ClauseReading(relation_of(role[1].split()[-1]) or minted(f"has {role[1]}"))


def teller(tree: Tree, start: int, end: int) -> str:
    """Return who says what a value stands in ("Tom claims that I live in Rome"), or the empty string."""
    head = value_head(tree, start, end)
    above = () if head is None else (head, *tree.ancestors(head))
    for clause in above:
        subject = tree.child(tree.head(clause), "nsubj") if tree.is_dep(clause, "ccomp", "xcomp") else None
        if subject is not None and tree.pos(subject) != "PRON":
            named = [node for node in tree.subtree(subject) if node <= subject or tree.is_dep(node, "flat")]
            return tree.words_of([node for node in named if tree.pos(node) not in ("DET", "PRON")])
    return ""


def _verb(words: Sequence[str]) -> str:
    phrase = " ".join(words)
    return predicate_of_phrase(phrase) or minted(phrase)


def _role(tree: Tree, noun: int) -> str:
    """Return the predicate of "the head teacher of the school"; of somebody's, a relation: "her piano teacher"."""
    before = [tree.low(node) for node in tree.children(noun, "compound", "amod") if node < noun]
    named = minted(" ".join(["has", *before, tree.low(noun)]))
    is_of_thing = any("of" in tree.words(node, "case") for node in tree.children(noun, "nmod"))
    return named if is_of_thing and before else relation_of(tree.lemma(noun)) or named


def _is_owner(tree: Tree, node: int) -> bool:
    """Return whether a noun says whose or of what the one above it is."""
    if not tree.is_dep(node, "nmod") or tree.pos(tree.head(node)) != "NOUN":
        return False
    return tree.is_dep(node, "nmod:poss") or "of" in tree.words(node, "case")


def value_head(tree: Tree, start: int, end: int) -> int | None:
    """Return the token of a value that hangs on one outside it, the last of such; None where no token stands there."""
    within = {token.index for token in tree.tokens if token.start < end and token.end > start}
    return max((node for node in within if tree.is_root(node) or tree.head(node) not in within), default=None)


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
