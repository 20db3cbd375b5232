"""Tells a statement about particular people and things from advice, headings and general knowledge, by its parse.

"Your appointment is at six", "It rains in Boston" and "You moved" say something that another sentence of the dialogue may
contradict. "You should rest", "Try a walk", "A comet is made of ice" and "Better sleep" say nothing of the world that the
dialogue is about: no person of the dialogue, no name and no number is in them, or nothing is asserted.
"""

from __future__ import annotations

from memory.core.types import ParsedSentence, Token

_ADDRESSED = frozenset("i me my mine myself you your yours yourself we us our ours ourselves".split())
_ANYBODY = frozenset({"they", "this"})
_INDEFINITE = frozenset({"a", "an"})
_SUBJECTS = ("nsubj", "csubj", "expl")
# The modal verb that foretells; all others advise or suppose.
_FORETELLS = "will"


def is_particular(sentence: ParsedSentence) -> bool:
    """Return whether a sentence asserts something of the people, names or numbers of a dialogue."""
    root = next((token for token in sentence.tokens if token.head == token.index), None)
    if root is None:
        return False
    children = [token for token in sentence.tokens if token.head == root.index and token is not root]
    subject = next((token for token in children if token.dep.startswith(_SUBJECTS)), None)
    if _is_advice(root, children, subject) or _is_anybody(subject, sentence):
        return False
    is_clause = root.pos in ("VERB", "AUX") or any(token.dep == "cop" for token in children)
    is_named = is_clause and any(token.pos in ("PROPN", "NUM") for token in sentence.tokens)
    return is_named or any(token.text.lower() in _ADDRESSED for token in sentence.tokens)


def _is_advice(root: Token, children: list[Token], subject: Token | None) -> bool:
    """Return whether a clause is an imperative or has a modal verb."""
    is_imperative = root.pos == "VERB" and root.tag in ("VB", "VBP") and subject is None
    modals = [token for token in children if token.tag == "MD" and token.dep.startswith("aux")]
    return is_imperative or any(token.lemma.lower() != _FORETELLS for token in modals)


def _is_anybody(subject: Token | None, sentence: ParsedSentence) -> bool:
    """Return whether a subject is nobody and nothing in particular: "a comet", "they"."""
    if subject is None:
        return False
    determiners = {
        token.text.lower() for token in sentence.tokens if token.head == subject.index and token.dep == "det"
    }
    return subject.text.lower() in _ANYBODY or bool(determiners & _INDEFINITE)
