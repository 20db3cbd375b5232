"""Repairs of people named beside what they are to somebody, and of short verbs after them: "my cousin Isla drives"."""

from __future__ import annotations

import itertools
from dataclasses import replace

from memory.core.knowledge_graph.ontology import relation_of
from memory.core.types import Token

_OWNERS = frozenset("my our his her their your".split())
_SHORT_VERBS = frozenset("live work play love like hate sing study own drive run teach speak eat drink".split())


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
