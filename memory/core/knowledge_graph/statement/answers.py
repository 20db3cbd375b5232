"""Joins a question and its short answer into one assertion, where the form of the question leaves no doubt how."""

from __future__ import annotations

import re
from collections.abc import Callable

from memory.core.english.inflection import base_form, past, third_person
from memory.core.english.questions import LEAD
from memory.core.knowledge_graph.verbalisation import finished

_LONGEST_ANSWER = 14
_BE = r"(?P<be>is|are|was|were)"
_PLACED = re.compile(
    r"^(?:in|on|at|near|by|between|under|over|during|since|until|before|after|around|about|outside|inside|along|from|"
    r"behind|next)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"^(?:(?:about|around|roughly|approximately|nearly|almost|over|exactly|some)\s+)?(?:~|≈)?\d", re.I)
_PRONOUN = re.compile(
    r"^(?:it|they|he|she|that|this)(?P<rest>['’]s\b| (?:is|are|was|were)\b)(?! (?:been|a pity))", re.I
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|has|have|had|do|does|did|will|would|can|could|should|may|might|must)\b|['’](?:s|re|m|ve|ll)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(r"^(?:yes|yeah|no|nope|not|none|nothing|nobody|sorry|unknown|sure|it depends|why|what)\b", re.I)
_TALK = re.compile(r"\b(?:I|me|my|we|us|our|you|your|it|they|he|she|this|that|these|those)\b", re.IGNORECASE)


def answer_as_assertion(question: str, answer: str) -> str:
    """Return what a short answer asserts, its subject first; "" where that is not certain."""
    asked = LEAD.sub("", " ".join(question.split())).rstrip(" ?!.")
    said = " ".join(answer.split()).rstrip(" .!")
    if not said or len(said.split()) > _LONGEST_ANSWER or _REFUSAL.match(said) or "?" in asked or _TALK.search(asked):
        return ""
    if _PRONOUN.match(said):
        return _with_subject(asked, said)
    if _VERB.search(said) or _TALK.search(said):
        return ""
    for form, assertion in _FORMS:
        match = form.match(asked)
        told = assertion(match, said) if match is not None else ""
        if told:
            return finished(told)
    return ""


def own_answer_as_assertion(question: str, answer: str, *, name: str) -> str:
    """Return what somebody's short answer asserts about themselves ("Where do you live?"); "" where that is not certain."""
    match = _OF_ADDRESSEE.match(LEAD.sub("", " ".join(question.split())).rstrip(" ?!."))
    said = " ".join(answer.split()).rstrip(" .!")
    if match is None or not said or len(said.split()) > _LONGEST_ANSWER:
        return ""
    if _REFUSAL.match(said) or _VERB.search(said) or _TALK.search(said):
        return ""
    if match["word"].lower() in ("where", "when") and not _PLACED.match(said):
        return ""
    tail = f" {match['tail']}" if match["tail"] else ""
    return finished(f"{name} {third_person(match['verb'].lower())}{tail} {_inside(said)}")


def _with_subject(asked: str, said: str) -> str:
    """Return "It was built in 1889" with the subject of the question in place of "it"."""
    done, place_or_thing = _WHEN_DONE.match(asked), _WHERE.match(asked) or _WHAT.match(asked)
    about = done if done is not None and _is_participle(done["verb"]) else place_or_thing
    opening = _PRONOUN.match(said)
    if about is None or opening is None:
        return ""
    rest = opening["rest"].strip()
    verb = "is" if rest.lower() in ("'s", "’s") else rest
    return finished(f"{about['subject']} {verb}{said[opening.end() :]}")


def _amount(match: re.Match[str], said: str) -> str:
    if not _AMOUNT.match(said):
        return ""
    thing, whole, said = match["thing"], match["whole"], said[:1].lower() + said[1:]
    is_named = thing.lower() in said.lower()
    if match["many"].lower() == "many":
        return f"{whole} {_has(whole)} {said}" + ("" if is_named or not said[-1:].isdigit() else f" {thing}")
    return f"{whole} {'contain' if _is_plural(whole) else 'contains'} {said}" + ("" if is_named else f" of {thing}")


def _identity(match: re.Match[str], said: str) -> str:
    return "" if _PLACED.match(said) else f"{match['subject']} {match['be']} {_inside(said)}"


def _place(match: re.Match[str], said: str) -> str:
    return f"{match['subject']} {match['be']} {_inside(said)}" if _PLACED.match(said) else ""


def _event(match: re.Match[str], said: str) -> str:
    if not _is_participle(match["verb"]) or not (_PLACED.match(said) or re.match(r"^\d{4}$", said)):
        return ""
    when = f"in {said}" if said.isdigit() else _inside(said)
    return f"{match['subject']} {match['be']} {match['verb']} {when}"


def _agent(match: re.Match[str], said: str) -> str:
    """The past has one form for one and many, so that the answer agrees whoever it names."""
    verb = match["verb"].lower()
    return f"{said} {match['verb']} {match['rest']}" if past(base_form(verb)) == verb else ""


def _inside(said: str) -> str:
    """Return an answer as it stands inside a sentence: its first letter small, unless it begins a name."""
    first = said.split()[0]
    return said[:1].lower() + said[1:] if _PLACED.match(said) or first.lower() in ("a", "an", "the") else said


def _is_participle(word: str) -> bool:
    return word.lower().endswith(("ed", "en", "t", "n")) and base_form(word) != word.lower()


def _is_plural(noun: str) -> bool:
    return noun.lower().endswith("s") and not noun.lower().endswith(("ss", "us", "is"))


def _has(noun: str) -> str:
    return "have" if _is_plural(noun) else "has"


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_HOW_MUCH = _form(rf"^how (?P<many>much|many) (?P<thing>[\w -]+?) {_BE} (?:there )?in (?P<whole>[\w '’-]+)$")
_WHEN_DONE = _form(rf"^(?:when|where|in (?:which|what) year) {_BE} (?P<subject>.+) (?P<verb>\w+)$")
_WHERE = _form(rf"^where {_BE} (?P<subject>.+)$")
_WHAT = _form(rf"^(?:what|who) {_BE} (?P<subject>(?:the|an?)\b.+|(?-i:[A-Z][\w’'-]*(?: [A-Z][\w’'-]*)*(?:['’]s .+)?))$")
_WHO_DID = _form(r"^(?:who|what) (?P<verb>\w+) (?P<rest>.+)$")
_OF_ADDRESSEE = _form(
    r"^(?P<word>where|what|who|when|which [\w ]+?) do you (?P<verb>\w+)(?: (?P<tail>for|in|at|as|with|to))?$"
)
_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], str]], ...] = (
    (_HOW_MUCH, _amount),
    (_WHEN_DONE, _event),
    (_WHERE, _place),
    (_WHAT, _identity),
    (_WHO_DID, _agent),
)
