"""Repairs of noun phrases: nouns read as adjectives or verbs, names that hang in the wrong place."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from memory.core.english.inflection import base_form
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.vocabulary import OCCUPATIONS, PETS, RELATIONS
from memory.core.types import Token

_FAVORITE = frozenset({"favorite", "favourite"})
_KNOWN_NOUNS = frozenset(RELATIONS) | PETS | OCCUPATIONS


def named_doers(tokens: list[Token]) -> list[Token]:
    """Read "My dog Rex snores" as what Rex does, where the parse made one long name of it."""
    if len(tokens) < 4 or tokens[0].text.lower() not in ("my", "our", "his", "her", "their"):
        return tokens
    noun, name, verb = tokens[1:4]
    is_doing = verb.text.islower() and verb.text.endswith("s") and verb.pos in ("VERB", "NOUN", "PROPN")
    if not relation_of(noun.lemma) or not name.text.istitle() or not is_doing or verb.lemma == "be":
        return tokens
    root = next((token.index for token in tokens if token.head == token.index), None)
    if root not in (1, 2, 3) or any(token.dep.startswith("nsubj") for token in tokens[4:]):
        return tokens
    fixed = [replace(token, head=3) if token.head in (1, 2) and token.index > 3 else token for token in tokens]
    fixed[0] = replace(tokens[0], dep="nmod:poss", head=1)
    fixed[1] = replace(noun, dep="nsubj", head=3, pos="NOUN", tag="NN")
    fixed[2] = replace(name, dep="appos", head=1, pos="PROPN", tag="NNP")
    lemma = verb.lemma if verb.pos == "VERB" else base_form(verb.text)
    fixed[3] = replace(verb, dep="root", head=3, pos="VERB", tag="VBZ", lemma=lemma)
    return fixed


def small_nouns(tokens: list[Token]) -> list[Token]:
    """Read "singer" in "He isn't a singer" as a noun, where it was taken for a name though it has none of its looks."""
    has_capitals = (
        any(token.text[:1].isupper() and token.index > 0 for token in tokens) or tokens[:1] and tokens[0].text.istitle()
    )
    return [
        replace(token, tag="NN")
        if token.text.lower() == "ex" and token.tag == "NNS"
        else replace(token, pos="NOUN", lemma=token.text.lower())
        if token.pos == "PROPN"
        and token.tag == "NN"
        and token.text.islower()
        and has_capitals
        and any(other.head == token.index and other.text.lower() in ("a", "an") for other in tokens)
        else token
        for token in tokens
    ]


def known_nouns(tokens: list[Token]) -> list[Token]:
    """Return "a turtle", "to manager" with the noun as a noun, whatever the tagger took it for."""
    fixed = list(tokens)
    for left, right in itertools.pairwise(tokens):
        is_known = right.text in _KNOWN_NOUNS and right.pos in ("ADJ", "VERB", "ADV", "INTJ", "X")
        if is_known and (left.pos == "DET" or left.tag == "PRP$"):
            fixed[right.index] = replace(right, pos="NOUN", tag="NN", lemma=right.text)
        elif is_known and left.text == "to" and tokens[left.index - 1].text == "promoted" and left.index:
            fixed[right.index] = replace(right, pos="NOUN", tag="NN", lemma=right.text, dep="obl", head=left.index - 1)
            fixed[left.index] = replace(left, pos="ADP", tag="IN", dep="case", head=right.index)
    return fixed


def favorites(tokens: list[Token]) -> list[Token]:
    """Return "my favourite singer" headed by the singer."""
    fixed = list(tokens)
    for left, right in itertools.pairwise(tokens):
        if left.text.lower() not in _FAVORITE or right.head != left.index or right.pos not in ("NOUN", "PROPN", "ADJ"):
            continue
        is_root = left.head == left.index
        fixed[right.index] = replace(
            right, pos="NOUN", tag="NN", dep=left.dep, head=right.index if is_root else left.head
        )
        fixed[left.index] = replace(left, pos="ADJ", dep="amod", head=right.index)
        for other in tokens:
            if other.head == left.index and other.index not in (left.index, right.index):
                fixed[other.index] = replace(other, head=right.index)
    return fixed


def named_things(tokens: list[Token]) -> list[Token]:
    """Return "a turtle named Speedy" headed by the turtle, with the name below "named"."""
    for index in range(2, len(tokens) - 1):
        if tokens[index].text in ("named", "called") and tokens[index + 1].text[:1].isupper():
            tokens = _named(tokens, index)
    return tokens


def _named(tokens: list[Token], index: int) -> list[Token]:
    noun, verb, name = tokens[index - 1], tokens[index], tokens[index + 1]
    if noun.pos != "NOUN" or verb.head == noun.index and name.head == verb.index:
        return tokens
    group = (noun.index, index, name.index)
    top = next((tokens[i] for i in group if tokens[i].head == i or tokens[i].head not in group), noun)
    if (
        top.pos == "VERB"
        and top.dep == "root"
        or any(t.dep.startswith(("aux", "cop")) and t.head in group for t in tokens)
    ):
        return tokens
    fixed = list(tokens)
    fixed[noun.index] = replace(noun, dep=top.dep, head=noun.index if top.head == top.index else top.head)
    lemma = {"named": "name", "called": "call"}[verb.text]
    fixed[index] = replace(verb, pos="VERB", tag="VBN", lemma=lemma, dep="acl", head=noun.index)
    fixed[name.index] = replace(name, pos="PROPN", tag="NNP", dep="xcomp", head=index)
    for token in tokens:
        if token.index not in group and token.head in group and token.dep not in ("flat", "compound"):
            fixed[token.index] = replace(token, head=noun.index)
    return fixed


def appended_names(tokens: list[Token]) -> list[Token]:
    """Return "my sister Kate", "a brother, Sean," with the name as what it says of the relative."""
    fixed = list(tokens)
    for token in tokens:
        above = tokens[token.head]
        is_name = token.pos == "PROPN" and token.text[:1].isupper() and above.text in RELATIONS
        if not is_name or token.index <= above.index:
            continue
        if token.dep in ("goeswith", "dep", "list") or token.dep == "conj" and _follows_comma(tokens, token, above):
            fixed[token.index] = replace(token, dep="appos")
    return fixed


def _follows_comma(tokens: Sequence[Token], token: Token, noun: Token) -> bool:
    has_link = any(other.head == token.index and other.dep == "cc" for other in tokens)
    return not has_link and token.index == noun.index + 2 and tokens[noun.index + 1].text == ","


def gapped_places(tokens: list[Token]) -> list[Token]:
    """Hang "in Turin" on Al in "Ed lives in Rome and my brother Al in Turin", where both were read as Ed's."""
    fixed = list(tokens)
    for place in tokens:
        case = _case(tokens, place)
        if place.dep not in ("obl", "nmod") or not case or place.pos != "PROPN":
            continue
        person = next((t for t in reversed(tokens[: place.index]) if t.dep == "conj"), None)
        if person is None or person.pos not in ("NOUN", "PROPN") or not _is_relative(tokens, person, place.index):
            continue
        parallel = next((t for t in tokens[: person.index] if t.dep == "obl" and _case(tokens, t) == case), None)
        if parallel is not None and place.head in (parallel.index, parallel.head) and person.index > parallel.index:
            fixed[place.index] = replace(place, head=person.index, dep="nmod")
    return fixed


def _case(tokens: Sequence[Token], token: Token) -> str:
    return next((t.text for t in tokens if t.head == token.index and t.dep == "case"), "")


def _is_relative(tokens: Sequence[Token], person: Token, end: int) -> bool:
    words = [t for t in tokens[:end] if t.index == person.index or t.head == person.index]
    return any(t.text in RELATIONS for t in words)


def former_values(tokens: list[Token]) -> list[Token]:
    """Return "my favourite colour used to be red" headed by the value, as "was red" would be."""
    fixed = list(tokens)
    for used, to in itertools.pairwise(tokens):
        noun = tokens[used.head]
        is_reading = used.text == "used" and to.text == "to" and used.dep == "acl" and noun.index < used.index
        value = next((t for t in tokens if t.head == used.index and t.dep in ("xcomp", "ccomp", "obj")), None)
        if not is_reading or value is None:
            continue
        is_root = noun.head == noun.index
        fixed[value.index] = replace(value, dep=noun.dep, head=value.index if is_root else noun.head)
        fixed[noun.index] = replace(noun, dep="nsubj", head=value.index)
        fixed[used.index] = replace(used, pos="AUX", dep="aux", head=value.index)
        for other in tokens:
            is_of_clause = other.dep in ("conj", "punct", "parataxis", "advmod") and other.index > used.index
            if other.head in (used.index, noun.index) and is_of_clause and other.index != value.index:
                fixed[other.index] = replace(other, head=value.index)
    return fixed
