"""Denials that leave out what they deny: "My mum thinks I'm a vegetarian. I'm not."."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memory.core.knowledge_graph.extraction.clauses import Scene
from memory.core.knowledge_graph.extraction.rules import SaidBefore
from memory.core.types import Fact, Modality, Polarity, Span, Tense

_DENIAL = (
    r"(?:(?P<own>I(?:'m| am) not|I (?:do not|don't|did not|didn't|have not|haven't|can't|cannot|was not|wasn't|"
    r"never have|never did|"
    r"never was))|(?P<other>(?:he|she|they|it) (?:is not|isn't|does not|doesn't|did not|didn't|has not|hasn't|"
    r"aren't|don't|was not|wasn't))|"
    r"(?P<all>(?:(?:that|it|this|which)(?:'s| is| was| isn't| wasn't) )?(?:all |just |simply |totally |"
    r"absolutely |completely )?"
    r"(?:not true|untrue|wrong|false|a lie|nonsense|rubbish|not the case|not correct|incorrect|made up|bullshit|bs)))"
)
_OPENING = re.compile(
    r"^\W*(?:(?:but|and|well|actually|no|nope|of course|obviously|really|sorry|honestly|"
    r"which)\b[\s,]*)*" + _DENIAL + r"(?=\s*(?:[,.;:!–—-]|$))",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"[,;:–—-]\s*(?:but |and |though |although |which )*" + _DENIAL + r"(?: at all|"
    r" though)?\W*$",
    re.IGNORECASE,
)


def denied(scene: Scene, facts: list[Fact], before: SaidBefore) -> list[Fact]:
    """Return the facts of a sentence with the denials of what was reported in it, or in the one before it."""
    return [*facts, *read_denial(scene.utterance.text.replace("’", "'"), facts, before.previous)]


def read_denial(text: str, facts: Sequence[Fact], previous: Sequence[Fact]) -> list[Fact]:
    """Return the denials of what was reported, in the sentence itself or in the one before it.

    `facts` are those of the sentence, `previous` those of the speaker's sentence right before.
    """
    opening, closing = _OPENING.match(text), _CLOSING.search(text)
    found = (opening, previous) if opening is not None else (closing, facts)
    match, reported = found
    if match is None:
        return []
    span = Span(*match.span())
    return [
        replace(
            fact,
            polarity=Polarity.NEGATIVE if fact.polarity is Polarity.POSITIVE else Polarity.POSITIVE,
            modality=Modality.ASSERTED,
            tense=Tense.PRESENT,
            valid_from=None,
            valid_to=None,
            span=span,
            attributed_to="",
        )
        for fact in reported
        if fact.modality is Modality.REPORTED
        and not fact.object.is_any
        and (match["all"] is not None or fact.subject.is_speaker == (match["own"] is not None))
    ]
