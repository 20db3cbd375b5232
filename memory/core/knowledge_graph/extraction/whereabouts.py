"""Being at, with, in or back somewhere: an employer, a school, a team, a home; and not being there any more."""

from __future__ import annotations

import re

from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.modality import is_perfect
from memory.core.knowledge_graph.extraction.partnership import PARTNERS
from memory.core.knowledge_graph.extraction.people import Mention, placed
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.replacement import ANY_PREDICATE, one_of
from memory.core.types import Fact, Polarity, Tense

_ENDED = re.compile(r"\b(?:no longer|any ?more|any longer)\b", re.IGNORECASE)
_NOW = re.compile(r"\b(?:now|these days|nowadays|currently)\b", re.IGNORECASE)
_PASSING = re.compile(
    r"\b(?:for (?:the|a|an|\w+ (?:days?|weeks?))|this|today|tonight|visit\w*|holidays?|vacation|trip|until|right now|"
    r"weekend|airport|meeting|moment)\b",
    re.IGNORECASE,
)
# What people may have said of the place or group that they are no longer at, with or in.
_LEFT = {
    "at": one_of("worksFor", "studiesAt", "memberOf", "attends", "locatedAt", "volunteersAt", "livesIn"),
    "with": one_of("worksFor", "memberOf", "worksWith", "livesWith", *PARTNERS),
    "in": ANY_PREDICATE,
    "on": ANY_PREDICATE,
    "part of": ANY_PREDICATE,
    "into": one_of("likes", "interestedIn", "hasHobby"),
}


def read_whereabouts(scene: Scene, clause: Clause, preposition: str, value: Mention) -> list[Fact]:
    """Return what "I'm no longer at Shell", "I've been with Shell since May", "I'm back in Oslo" say, where they say it."""
    text = scene.tree.text
    if clause.polarity is Polarity.NEGATIVE:
        if not _ENDED.search(scene.utterance.text) or clause.tense is not Tense.PRESENT or preposition not in _LEFT:
            return []
        firm = {"at": "worksFor", "in": "livesIn"}.get(preposition, "") if value.is_proper else ""
        over = write(scene, clause, firm, value, phrase=f"be {preposition}") if firm else []
        return over + write(scene, clause, _LEFT[preposition], value, phrase=f"be {preposition}")
    if not value.is_proper or value.relation is not None or clause.tense is not Tense.PRESENT:
        return []
    is_back = "back" in scene.tree.words(clause.head, "advmod", "case", "compound:prt") or re.search(
        rf"\bback {preposition}\b", text, re.IGNORECASE
    )
    if preposition == "in" and is_back and not _PASSING.search(text):
        return write(scene, clause, "livesIn", placed(value), phrase="be back in")
    if preposition == "in" and _NOW.search(text) and _spoke_of_home(scene, clause) and not _PASSING.search(text):
        return write(scene, clause, "livesIn", placed(value), phrase="be in")
    if preposition in ("at", "with") and not _PASSING.search(text):
        lasts = is_perfect(scene.tree, clause.head) and any(time.reference.starts for time in clause.times)
        is_still = "still" in scene.tree.words(clause.head, "advmod")
        if lasts or is_back or is_still or _NOW.search(text) and _speaks_of_work(scene):
            return write(scene, clause, "worksFor", value, phrase=f"be {preposition}", scale=0.9)
    return []


def _spoke_of_home(scene: Scene, clause: Clause) -> bool:
    """Return whether where the same people lived was just spoken of: "I used to live in Hull. Now I'm in York."."""
    subjects = {key_of(subject.node.label) for subject in clause.subjects}
    return any(fact.predicate == "livesIn" and key_of(fact.subject.label) in subjects for fact in scene.earlier[-4:])


def _speaks_of_work(scene: Scene) -> bool:
    """Return whether a job was just spoken of: "I changed jobs, I'm at Stripe now"."""
    is_told = re.search(r"\b(?:jobs?|compan(?:y|ies)|employers?|work(?:ed|ing)?|career|role)\b", scene.tree.text, re.I)
    return bool(is_told) or any(fact.predicate in ("worksFor", "worksAs") for fact in scene.earlier[-3:])
