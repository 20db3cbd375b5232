"""Retells the first person in the third: "I've moved" -> "Ana has moved", "my sister" -> "Ana's sister"."""

from __future__ import annotations

import re

from memory.core.english.grammatical_person import pronoun_for_name, verb_for_name
from memory.core.english.trees import Tree
from memory.core.types import ParsedSentence

_VERBAL = ("VERB", "AUX")
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
    words = {token.index: pronoun_for_name(token.text, name) for token in parsed.tokens}
    subjects = [
        node
        for node in range(len(tree))
        if tree.low(node) == "i" and tree.is_dep(node, "nsubj") and not tree.children(node, "conj")
    ]
    for subject in subjects:
        for verb in _verbs_of(tree, subject):
            is_plain = tree.tag(verb) in ("VBP", "VB")
            words[verb] = verb_for_name(tree.low(verb), is_plain=is_plain) or words[verb]
    text, end = "", 0
    for token in parsed.tokens:
        text += parsed.text[end : token.start] + (words[token.index] or token.text)
        end = token.end
    return _OPENER.sub("", text + parsed.text[end:], count=1)


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
