"""Tells the time of which a sentence speaks, by its parse: "You lived in Porto" and "I live in Lisbon" may both be true."""

from __future__ import annotations

from memory.core.types import ParsedSentence

_PAST = "VBD"
_PRESENT = frozenset({"VBP", "VBZ"})
_VERBAL = ("aux", "cop")
_FINITE = frozenset({_PAST, "MD", *_PRESENT})


def tells_what_was(sentence: ParsedSentence) -> bool:
    """Return whether all finite verbs of a sentence are in the past tense, and there is one."""
    return {token.tag for token in sentence.tokens} & _FINITE == {_PAST}


def tells_what_is(sentence: ParsedSentence) -> bool:
    """Return whether the main clause of a sentence is in the present tense."""
    roots = {token.index for token in sentence.tokens if token.head == token.index}
    return any(
        token.tag in _PRESENT and (token.index in roots or token.head in roots and token.dep.startswith(_VERBAL))
        for token in sentence.tokens
    )
