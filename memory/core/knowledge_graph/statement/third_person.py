"""Retells the first person in the third: "I've moved" -> "Ana has moved", "my sister" -> "Ana's sister"."""

from __future__ import annotations

import re

from memory.core.english.inflection import base_form, third_person
from memory.core.knowledge_graph.extraction.trees import Tree
from memory.core.types import ParsedSentence

_FINITE = {"am": "is", "'m": " is", "are": "is", "have": "has", "'ve": " has", "do": "does", "were": "was"}
_VERBAL = ("VERB", "AUX")
_OBJECTS = frozenset({"me", "myself"})
_OPENER = re.compile(
    r"^(?:(?:well|wow|oh|ah|so|and|but|yes|yeah|yep|no|nope|ok|okay|actually|anyway|btw|by the way|hi|hello|hey|thanks|"
    r"thank you|sure|right|honestly|sorry)\b[ ,.!;:–—-]*)+(?=\w)",
    re.IGNORECASE,
)


def told_of(parsed: ParsedSentence, name: str) -> str:
    """Return a sentence of the first person singular in the third person, with the speaker's name for I and my.

    Verbs that agreed with "I" are made to agree with the name: those of its clause, and those joined to it without a subject.
    """
    tree = Tree(parsed)
    words = {token.index: _name_for(token.text.lower(), name) for token in parsed.tokens}
    subjects = [
        node
        for node in range(len(tree))
        if tree.low(node) == "i" and tree.is_dep(node, "nsubj") and not tree.children(node, "conj")
    ]
    for subject in subjects:
        for verb in _verbs_of(tree, subject):
            words[verb] = _agreeing(tree, verb) or words[verb]
    text, end = "", 0
    for token in parsed.tokens:
        text += parsed.text[end : token.start] + (words[token.index] or token.text)
        end = token.end
    return _OPENER.sub("", text + parsed.text[end:], count=1)


def _name_for(word: str, name: str) -> str:
    if word == "i" or word in _OBJECTS:
        return name
    return f"{name}'s" if word in ("my", "mine") else ""


def _verbs_of(tree: Tree, subject: int) -> list[int]:
    """Return the finite verbs that agree with a subject."""
    head = tree.head(subject)
    joined = [
        node
        for node in tree.subtree(head)
        if tree.is_dep(node, "conj")
        and (tree.head(node) == head or tree.pos(tree.head(node)) not in _VERBAL)
        and tree.pos(node) in _VERBAL
        and tree.child(node, "nsubj") is None
    ]
    return [finite for verb in (head, *joined) if (finite := _finite(tree, verb, head)) is not None]


def _finite(tree: Tree, verb: int, head: int) -> int | None:
    auxiliaries = tree.children(verb, "aux", "cop")
    if auxiliaries:
        return auxiliaries[0]
    # "I will stay and work": what shares a modal or "do" is no finite verb, though it looks like one.
    shared = [] if verb == head else tree.children(head, "aux")
    return None if any(tree.tag(node) == "MD" or tree.lemma(node) == "do" for node in shared) else verb


def _agreeing(tree: Tree, verb: int) -> str:
    word = tree.low(verb)
    if word in _FINITE:
        return _FINITE[word]
    is_plain = tree.tag(verb) in ("VBP", "VB") and base_form(word) == word
    return third_person(word) if is_plain else ""
