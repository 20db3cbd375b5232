"""Clipped questions and answers: "Any allergies?", "Your name?", "Every morning!", "I quit.", "Divorced."."""

from __future__ import annotations

import re

from memory.core.knowledge_graph.extraction.answer_words import LEAD
from memory.core.knowledge_graph.extraction.turned_questions import AskedQuestion
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.question import Wanted

_LEADS = r"^\W*(?:(?:and|so|ok|okay|great|nice|cool|also|by the way|lovely|got it|thanks)\b[\s,!.]*)*"
_ANY = re.compile(
    _LEADS + r"(?:(?:do you have |have you got |got |are there )?any )?(?P<thing>(?:food |known |other |special )?"
    r"(?:allerg(?:y|ies)|pets?|kids|children|siblings|brothers|sisters|hobbies|intolerances))"
    r"(?: (?:i should know (?:about|of)|to (?:mention|consider|note)|you(?:'d| would)? (?:have|like to mention|want to "
    r"share)|at home|yourself|so far))*\s*\?+\s*$",
    re.IGNORECASE,
)
_YOURS = re.compile(
    _LEADS + r"(?:what about |how about )?(?:your|what's your) (?P<thing>(?:name|job|age|profession|occupation|hobbies|"
    r"birthday|favou?rite [\w ]+|nationality|employer|(?:\w+)'s name))\s*\?+\s*$",
    re.IGNORECASE,
)
_NAMING = re.compile(
    _LEADS + r"(?:what|how) (?:should|can|may|shall|do) i (?:call|address) you\b[^?]*\?+\s*$"
    r"|^\W*(?:who am i (?:talking|speaking) (?:to|with)|and you are)\s*\?+\s*$",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    LEAD + r"(?:every (?:single )?(?:day|morning|evening|night|week|weekend|summer|winter|year|sunday|monday|tuesday|"
    r"wednesday|thursday|friday|saturday)|daily|weekly|all the time|always|constantly|regularly|most days|a lot|lots|"
    r"a little(?: bit)?|a bit|fluently|(?:once|twice|three times) (?:a|per) (?:day|week|month|year)|from time to time|"
    r"now and then|on weekends|at weekends|very much(?: so)?|for years|since \d{4}|both)\W*$",
    re.IGNORECASE,
)
_GAVE_UP = re.compile(
    LEAD
    + r"(?:no[\s,.]+)?(?:i|we) (?:just |finally |recently |'ve |have )?(?:quit|stopped|gave (?:it|that|them)? ?up|given "
    r"(?:it|that) up|dropped (?:it|out)|don't any ?more|no longer do)(?: (?:in|last|a|an|two|three|four|five|six|ten|\d+|"
    r"years|months|weeks|this|back|when|about|some|long|it)\b[^.!?]*)?\W*$",
    re.IGNORECASE,
)
_STATUS = re.compile(
    LEAD
    + r"(?:no[\s,]+)?(?P<status>single|divorced|widowed|engaged|separated|unmarried)(?: (?:now|actually|again))?\W*$",
    re.IGNORECASE,
)
_RELATION = re.compile(r"^(?:she's |he's )?(?P<role>(?:my|our) [\w-]+(?:-in-law)?)$", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][\w'-]+")
_NAMES = re.compile(
    r"(?!(?:Maybe|Perhaps|Why|Who|What|Where|How|Sure|Right|Correct|Exactly|Indeed|Always|Sometimes|Never|Nearly|"
    r"Almost|Originally|Sadly|Unfortunately|Absolutely|Definitely|Certainly|Kind|Sort|Not|None|Neither|Both|Thanks|Thank)\b)"
    r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)?"
)
_LASTING = re.compile(
    r"^(?:for |about |almost |over |since |\d|an? |two|three|four|five|six|seven|eight|nine|ten|all my)", re.I
)


def whole_question(asked: str) -> str:
    """Return a clipped question in full: "Any pets?" is "Do you have any pets?"."""
    if _NAMING.match(asked):
        return "What is your name?"
    own = _YOURS.match(asked)
    if own is not None:
        return f"What {'are' if own['thing'].endswith('ies') else 'is'} your {own['thing']}?"
    found = _ANY.match(asked)
    if found is None:
        return asked
    thing = found["thing"].lower()
    return "What are your hobbies?" if thing == "hobbies" else f"Do you have any {thing}?"


def clipped_statement(text: str, asked: AskedQuestion) -> tuple[list[str], str] | None:
    """Return the words around a clipped answer, and that answer; None where it is no such answer."""
    question, subject, rest = asked.question, asked.subject, asked.rest
    if question.wanted is Wanted.DURATION:
        return _lasting(text, asked)
    if question.wanted is not Wanted.TRUTH:
        return None
    plain = re.sub(r"^(?:still|ever|already) ", "", rest)
    if _OFTEN.match(text):
        return [f"{asked.lead} {plain}."], ""
    if _GAVE_UP.match(text):
        return [f"{subject} {asked.auxiliary} not {plain} anymore."], ""
    status = _STATUS.match(text)
    if status is not None and re.match(r"(?:married|single|engaged|divorced)\b", plain):
        return [f"{subject} {asked.auxiliary} {status['status'].lower()}."], ""
    bare = re.sub(r"^\W*(?:yes|yeah|yep|sure|no|nope)\b[\s,.!:;–-]*", "", text.strip(), flags=re.IGNORECASE).rstrip(
        " .!"
    )
    role = _RELATION.match(bare)
    if role is not None and question.verb == "be" and relation_of(role["role"].split()[-1]):
        return [f"{subject} is {role['role'].lower()}."], ""
    other = re.match(r"(?P<lead>(?:[\w ]+ )?(?:from|in|at|for)) [A-Z][\w' -]+$", plain)
    if other is not None and bare == text.strip().rstrip(" .!") and _NAMES.fullmatch(bare):
        # "Are you from Spain?" - "Portugal."
        return [f"{asked.lead} {other['lead']} ", "."], bare
    return _had(bare, asked, is_affirmed=re.match(r"^\W*(?:yes|yeah|yep|sure)\b", text, re.IGNORECASE) is not None)


def _had(bare: str, asked: AskedQuestion, *, is_affirmed: bool) -> tuple[list[str], str] | None:
    """Return what "Peanuts" is after "Any allergies?", and "Wanda" after "Do you have a dog?"."""
    found = re.match(r"(?:have|got) (?P<article>any|an?|some)?\s*(?P<thing>[\w ]+)$", asked.rest)
    is_clause = re.match(r"(?:no|nope|none|not|nothing|i|he|she|they|we|it|her|his)\b", bare, re.IGNORECASE) is not None
    if found is None or not bare or is_clause or len(bare.split()) > 6:
        return None
    thing = found["thing"].lower()
    if re.search(r"\b(?:allerg(?:y|ies)|intolerances?)$", thing):
        be = "am" if asked.subject == "I" else "is"
        return ([f"{asked.subject} {be} allergic to ", "."], bare) if not re.match(r"\d|many|several", bare) else None
    if is_affirmed and found["article"] in ("a", "an") and relation_of(thing) and _NAME.fullmatch(bare):
        have = "has" if asked.auxiliary == "does" else "have"
        return [f"{asked.subject} {have} {found['article']} {thing} called ", "."], bare
    return None


def _lasting(text: str, asked: AskedQuestion) -> tuple[list[str], str] | None:
    """Return "I have lived in Perth for six years" for "Six years" after "How long have you lived in Perth?"."""
    answer = text.strip().rstrip(".! ")
    if asked.auxiliary not in ("have", "has") or not _LASTING.match(answer) or len(answer.split()) > 6:
        return None
    lead = "" if re.match(r"(?:for|since|all)\b", answer, re.IGNORECASE) else "for "
    return [f"{asked.lead} {asked.rest} {lead}", "."], answer
