"""Repairs of people named beside what they are to somebody, and of short verbs after them: "my cousin Isla drives"."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from memory.core.english.inflection import base_form
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.vocabulary import RELATIONS
from memory.core.types import Token

_OWNERS = frozenset("my our his her their your".split())
_SHORT_VERBS = frozenset("live work play love like hate sing study own drive run teach speak eat drink".split())
_SET_OFF = frozenset({"vocative", "parataxis", "conj", "obl", "dep", "list", "discourse", "advmod", "obj"})
_CALLED = frozenset({"called", "named"})


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


def named_relatives(tokens: list[Token]) -> list[Token]:
    """Hang the name in "my cousin Isla drives", "my flatmate Priya is", "my brother Will lives" on the relative."""
    for left, right in itertools.pairwise(tokens):
        is_kin = relation_of(left.lemma) and left.pos in ("NOUN", "ADJ", "VERB") and left.text != "ex"
        if not is_kin or not right.text[:1].isupper() or not _is_owned(tokens, left):
            continue
        tokens = _named(tokens, left, right)
    return tokens


def _is_owned(tokens: list[Token], kin: Token) -> bool:
    before = [token.text.lower() for token in tokens[max(0, kin.index - 3) : kin.index]]
    return bool(_OWNERS & set(before)) or any(word in ("'s", "’s") for word in before)


def _named(tokens: list[Token], kin: Token, name: Token) -> list[Token]:
    fixed, above = list(tokens), tokens[name.head]
    if name.dep == "nsubj" and above.head == kin.index and above.dep.startswith("acl") and above.index > name.index:
        # "My cousin Isla drives": no cousin whom Isla drives.
        is_root = kin.head == kin.index
        fixed[above.index] = replace(above, dep=kin.dep, head=above.index if is_root else kin.head)
        fixed[kin.index] = replace(kin, pos="NOUN", dep="nsubj", head=above.index)
        fixed[name.index] = replace(name, dep="flat", head=kin.index)
    elif name.dep in ("aux", "advmod") and name.text == "Will" and name.head > name.index:
        fixed[name.index] = replace(name, pos="PROPN", tag="NNP", lemma="will", dep="flat", head=kin.index)
    elif kin.head == name.index and kin.dep == "amod":
        fixed[kin.index] = replace(kin, pos="NOUN", dep="compound")
    return fixed


def short_verbs(tokens: list[Token]) -> list[Token]:
    """Read "Rosa and Pina live in Bari" and "Adem does judo" with their verbs as verbs."""
    fixed = list(tokens)
    for token in tokens:
        below = [other for other in tokens if other.head == token.index and other.index != token.index]
        if any(other.dep == "nsubj" for other in below) and token.pos in ("PROPN", "NOUN", "ADJ"):
            if token.text in _SHORT_VERBS and not any(other.dep in ("cop", "det") for other in below):
                fixed[token.index] = replace(token, pos="VERB", tag="VBP", lemma=token.text)
                continue
            doing = next((o for o in below if o.dep == "aux" and o.text.lower() in ("do", "does", "did")), None)
            if doing is None or any(other.dep in ("cop", "advmod") for other in below) or token.head != token.index:
                continue
            fixed = _having_done(fixed, doing, token)
    return fixed


def _having_done(tokens: list[Token], doing: Token, thing: Token) -> list[Token]:
    fixed = list(tokens)
    for other in tokens:
        if (
            other.head == thing.index
            and other.index < doing.index
            or other.dep in ("obl", "punct", "parataxis", "conj")
        ):
            fixed[other.index] = replace(other, head=doing.index) if other.head == thing.index else other
    tag = {"does": "VBZ", "did": "VBD"}.get(doing.text.lower(), "VBP")
    fixed[doing.index] = replace(doing, pos="VERB", tag=tag, lemma="do", dep="root", head=doing.index)
    fixed[thing.index] = replace(thing, dep="obj", head=doing.index, pos="NOUN" if thing.text.islower() else "PROPN")
    return fixed


def set_off_names(tokens: list[Token]) -> list[Token]:
    """Hang the name on the relative or pet in "We have a daughter already, Esi" and "one cat, called Ludo"."""
    fixed = list(tokens)
    for token in tokens:
        above = tokens[token.head]
        if above.lemma not in ("have", "get", "own", "adopt") or token.index < above.index:
            continue
        had = [t for t in tokens[: token.index] if t.head == above.index and t.dep == "obj" and relation_of(t.lemma)]
        if not had or not _is_set_off(tokens, token, had[-1]):
            continue
        is_called = token.text.lower() in _CALLED and token.dep in ("conj", "xcomp", "advcl", "parataxis", "ccomp")
        is_name = token.pos in ("PROPN", "NOUN") and token.text[:1].isupper() and token.dep in _SET_OFF
        if is_called:
            fixed[token.index] = replace(token, dep="acl", head=had[-1].index)
        elif is_name and not any(t.head == token.index and t.dep in ("cc", "case", "cop", "nsubj") for t in tokens):
            fixed[token.index] = replace(token, dep="appos", head=had[-1].index, pos="PROPN", tag="NNP")
    return fixed


def _is_set_off(tokens: Sequence[Token], token: Token, noun: Token) -> bool:
    """Return whether a comma, or a dash, is right before a word, and at most an adverb between that and the noun."""
    between = tokens[noun.index + 1 : token.index]
    stops = [t for t in between if t.pos == "PUNCT"]
    is_singular = noun.tag == "NN"
    return (
        is_singular
        and len(stops) == 1
        and between[-1] is stops[0]
        and stops[0].text in (",", "-", "–", "—", ":")
        and all(t.pos in ("ADV", "PUNCT", "PRON") for t in between)
        and len(between) <= 3
    )
