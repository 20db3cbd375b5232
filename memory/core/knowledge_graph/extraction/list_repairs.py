"""Repairs of lists and contrasts: "tea, coffee or wine", "neither meat nor fish", "not in Paris but in Lyon"."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from memory.core.types import Token

_NOMINAL = ("NOUN", "PROPN", "NUM", "SYM", "X")


def nominal_items(tokens: list[Token]) -> list[Token]:
    """Hang "coffee" beside "tea" in "I drink tea, coffee or wine", where it was hung beside the drinking."""
    fixed = list(tokens)
    for token in tokens:
        above = tokens[token.head]
        if token.pos not in _NOMINAL or token.index == above.index or above.pos not in ("VERB", "ADJ"):
            continue
        below = [other for other in tokens if other.head == token.index and other.index != token.index]
        is_denied = any(other.text.lower() in ("not", "n't") for other in below)
        if token.dep != "conj" and not (token.dep in ("parataxis", "appos", "list", "dep") and is_denied):
            continue
        if any(other.dep.split(":")[0] in ("nsubj", "cop", "aux", "acl", "obl") for other in below):
            continue
        beside = _parallel(tokens, token, above)
        if beside is not None:
            fixed[token.index] = replace(token, head=beside.index, dep="conj")
    return fixed


def _parallel(tokens: Sequence[Token], token: Token, verb: Token) -> Token | None:
    """Return the last object before an item, or the last phrase with the preposition that the item has too."""
    case = _case(tokens, token)
    before = [t for t in tokens[: token.index] if t.head == verb.index and t.index > verb.index and t.pos in _NOMINAL]
    if case:
        return next((t for t in reversed(before) if _case(tokens, t) == case), None)
    objects = [t for t in before if t.dep == "obj"]
    phrases = [t for t in before if t.dep.startswith("obl") and _case(tokens, t)]
    return next(iter(reversed(objects or phrases)), None)


def _case(tokens: Sequence[Token], token: Token) -> str:
    return next((t.text.lower() for t in tokens if t.head == token.index and t.dep == "case"), "")


def neither_nor(tokens: list[Token]) -> list[Token]:
    """Return "I eat neither meat nor fish" with the denial on the verb, where the rules look for it."""
    fixed = list(tokens)
    for token in tokens:
        if token.text.lower() not in ("neither", "none") or token.text.lower() == "none" and token.dep != "nsubj":
            continue
        verb = tokens[token.head]
        while verb.head != verb.index and verb.pos in ("NOUN", "PROPN", "PRON", "DET"):
            verb = tokens[verb.head]
        if verb.index != token.index and token.text.lower() == "neither" and verb.pos in ("VERB", "ADJ", "NOUN", "AUX"):
            fixed[token.index] = replace(token, dep="advmod", head=verb.index, pos="ADV")
    for before, token in itertools.pairwise(tokens):
        # "I like not tea but coffee": the denial is of the tea alone.
        if before.text.lower() == "not" and before.head == token.index and token.dep in ("obj", "obl"):
            fixed[before.index] = replace(before, head=token.head) if _has_but(tokens, token) else fixed[before.index]
    return fixed


def _has_but(tokens: Sequence[Token], token: Token) -> bool:
    items = {token.index} | {t.index for t in tokens if t.head == token.index and t.dep == "conj"}
    return any(t.text.lower() == "but" and t.head in items for t in tokens)
