"""Questions of habits and memberships in the words that facts are kept in: "Do I smoke?", "Am I still a Lido member?"."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.core.knowledge_graph.question import GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_predicates import HABITS

# What tells how often or when, and is no thing that somebody does something to.
_RECURRING = re.compile(
    r"(?:(?:every|each|the|most) )?(?:morning|evening|night|day|week|month|year|weekend|spring|summer|autumn|winter|fall|"
    r"mornings|evenings|nights|breakfast|bed|bedtime|living room)s?",
    re.IGNORECASE,
)
_MEMBER = re.compile(r"(?P<group>.+?) member", re.IGNORECASE)


def spoken_of(question: GraphQuestion) -> GraphQuestion:
    """Return the question with its habit as a thing, without its recurring time, and its membership as belonging."""
    given = question.object
    if question.verb in HABITS and given is None and question.wanted is Wanted.TRUTH:
        return replace(question, object=QuestionTerm(HABITS[question.verb]))
    if given is None or given.owner is not None:
        return question
    if question.verb == "take" and question.wanted is Wanted.VALUE and _RECURRING.fullmatch(given.text):
        return replace(question, object=None, preposition="")
    member = _MEMBER.fullmatch(given.text)
    if member is not None and question.verb == "be" and question.wanted is Wanted.TRUTH:
        return replace(question, verb="belong", preposition="to", object=QuestionTerm(member["group"]))
    return question
