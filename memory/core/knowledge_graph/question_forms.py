"""Questions that are read whole from their words: several subjects in one, and how one person is related to another."""

from __future__ import annotations

import re

from memory.core.english.grammatical_person import FIRST_POSSESSIVES
from memory.core.knowledge_graph.question import SPEAKER, GraphQuestion, QuestionTerm, Wanted

_THING = r"(?:(?:my|our)\s+[\w'-]+(?:\s+[A-Z][\w'-]+)?|[A-Z][\w'-]*(?:\s+[A-Z][\w'-]+)?)"
_LOOSE_THING = r"(?:(?:my|our)\s+[\w'-]+|me|I|[\w'-]+)"
_TWO_SUBJECTS = re.compile(
    rf"^(?P<lead>.*?\b(?:do|does|did|are|were|have|is|was|has)\s+)(?P<first>{_THING})\s+and\s+(?P<second>{_THING}|I)"
    r"(?P<rest>(?:'s?)?\s*\w.*|\s*\?*)$",
)
_TWO_NAMES_IN_SMALL = re.compile(
    r"^(?P<lead>(?:\w+\s+){0,3}?(?:do|does|did|are|were)\s+)(?P<first>[a-z'-]+)\s+and\s+(?P<second>[a-z'-]+)(?P<rest>.*)$"
)
# What two people are or do with each other is asked of both at once.
_TOGETHER = re.compile(
    r"\b(?:married|related|engaged|together|dating|each other|friends|siblings|sisters|brothers|cousins|twins|colleagues|"
    r"neighbou?rs|a couple|meet|met|marry|know)\b",
    re.IGNORECASE,
)
_RELATION = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^how (?:is|are|am|was) (?P<first>{_LOOSE_THING}) (?:related|connected) (?:to|with) "
        rf"(?P<second>{_LOOSE_THING})[?.!\s]*$",
        rf"^how do (?P<second>I) know (?P<first>{_LOOSE_THING})[?.!\s]*$",
        rf"^(?:what|who)(?: is|'s) (?P<first>{_LOOSE_THING}) to (?P<second>{_LOOSE_THING})[?.!\s]*$",
        rf"^what(?: is|'s) (?P<second>my) relation(?:ship)? (?:to|with) (?P<first>{_LOOSE_THING})[?.!\s]*$",
    )
)


def parted(text: str) -> list[str]:
    """Return one question a subject: "Where do Ana and Ben live?" asks for Ana and for Ben."""
    found = _TWO_SUBJECTS.match(text.strip()) or _TWO_NAMES_IN_SMALL.match(text.strip())
    if found is None or _TOGETHER.search(text):
        return [text]
    return [f"{found['lead']}{subject}{found['rest']}" for subject in (found["first"], found["second"])]


def relation_question(text: str) -> GraphQuestion | None:
    """Return the question for how two are related ("How is Ben related to me?"), None where it asks anything else."""
    for pattern in _RELATION:
        found = pattern.match(text.strip())
        if found is not None:
            return GraphQuestion(
                text=text, wanted=Wanted.RELATION, subject=_mention(found["first"]), object=_mention(found["second"])
            )
    return None


def _mention(text: str) -> QuestionTerm:
    low = text.lower()
    if low in {"i", "me", "my"}:
        return SPEAKER
    owner, _, role = text.partition(" ")
    if owner.lower() in FIRST_POSSESSIVES and role:
        return QuestionTerm(role, owner=SPEAKER)
    return QuestionTerm(text, is_pronoun=low in {"he", "she", "him", "her", "they", "them", "it"})
