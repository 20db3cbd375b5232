"""Changes the person of words with the verb forms that agree: "I'm at my mum's" -> "you're at your mum's".

No parse is needed, since only "be" has other forms for "you" and "they" than for "I". Behind a name all verbs change: those
are found by a parse (`knowledge_graph/statement/third_person.py`) and put into their forms here. Words in quotation marks are
somebody else's and stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from memory.core.english.inflection import base_form, third_person

MYSELF = frozenset({"i", "me", "myself"})
FIRST_PERSONS = MYSELF | {"mine", "we", "us"}
FIRST_POSSESSIVES = frozenset({"my", "our"})
FIRST_PERSON_WORDS = FIRST_PERSONS | FIRST_POSSESSIVES | {"ours"}
FIRST_PERSON = re.compile(rf"\b(?:{'|'.join(sorted(FIRST_PERSON_WORDS))})\b", re.IGNORECASE)


_TO_YOU = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself",
    "we": "you", "us": "you", "our": "your", "ours": "yours", "ourselves": "yourselves",
}  # fmt: skip
_TO_THEM = {
    "i": "they", "me": "them", "my": "their", "mine": "theirs", "myself": "themselves",
    "we": "they", "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves",
}  # fmt: skip
# "We" and "us" stay: whom they include is unknown.
_EXCHANGED = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself",
    "you": "I", "your": "my", "yours": "mine", "yourself": "myself",
}  # fmt: skip
# The forms of "be" behind or before a new subject, "they" as "you".
_BE = {
    "you": {"am": "are", "was": "were", "m": "re"},
    "they": {"am": "are", "was": "were", "m": "re"},
    "I": {"are": "am", "were": "was", "re": "m"},
}
# Those of "be", "have" and "do" behind a name; "'m" is a word of its own there.
_OF_A_NAME = {"am": "is", "'m": " is", "are": "is", "have": "has", "'ve": " has", "do": "does", "were": "was"}

_QUOTED = re.compile(r"([\"“][^\"“”]*[\"”])")
_WORD = re.compile(
    r"\b(?:(?P<before>am|was|are|were)(?P<before_not>n['’]t)?(?P<gap>\s+)(?=(?:I|you)\b))?"
    r"(?:(?P<run>i|you|we)(?P<run_on>m|ve|re)|(?P<person>I|me|my|mine|myself|we|us|our|ours|ourselves|you|your|yours|yourself)"
    r"(?:(?P<mark>['’])(?P<short>m|re|ve|d|ll)\b|(?P<space>\s+)(?P<after>am|was|are|were)(?P<not>n['’]t)?)?)\b",
    re.IGNORECASE,
)
# "were", "we're" without its mark, is a word of its own; so are "ire" and "wem".
_RUN_TOGETHER = frozenset({"im", "ive", "youre", "youve", "weve"})
# "you" is "I" where a verb follows it, and "me" after a verb or a preposition.
_BEFORE_OBJECT = re.compile(
    r"\b(?:to|for|with|at|of|from|by|about|on|in|like|than|without|and|tell|told|give|gave|given|show|showed|ask|asked|"
    r"help|helped|thank|see|saw|seen|let|remind|reminded|send|sent|meet|met|know|knew|call|called|make|made|want|wanted|"
    r"need|love|loved|liked|miss|missed|hear|heard|teach|taught|wish|offer|offered|get|got|bring|brought|tells|gives|"
    r"shows|helps|suits|keep|kept|telling|giving|showing|asking|helping|thanking|seeing)\s+$",
    re.IGNORECASE,
)
_AUXILIARY_BEFORE = re.compile(
    r"\b(?:do|does|did|have|has|had|can|could|will|would|shall|should|may|might|must|as|that|if|when|what|where|why|"
    r"how|who|because|since|while|and|or|but|so|don['’]t|didn['’]t|haven['’]t|can['’]t|won['’]t|wouldn['’]t)\s+$",
    re.IGNORECASE,
)
# What stands farther away decides nothing, and looking there would cost the square of a long text.
_NEAR = 60
_ENDS_CLAUSE = re.compile(r"\s*(?:$|[.,;:!?)])")
_OPENS_SENTENCE = re.compile(r"(?:^|[.!?])\s*$")
_BEFORE_A_NOUN = re.compile(r"\b(?:an?|the)\s+(?:[a-z]+\s+)?$|\b(?:coal|gold|salt)\s+$", re.IGNORECASE)
_NUMERAL_OF = re.compile(r"\b(?:War|Part|Phase|Type|Stage|Level|Book|Act)\s+$")


def told_to_its_speaker(text: str) -> str:
    """Return what somebody said as it is told to them: "I was at our place" -> "You were at your place"."""
    return _changed(text, _TO_YOU)


def told_to_another(text: str) -> str:
    """Return what somebody said as it is told to a third person: "I was at our place" -> "They were at their place"."""
    return _changed(text, _TO_THEM)


def as_the_other_says(text: str) -> str:
    """Return a sentence as the person addressed would say it: I and you, my and your, am and are are exchanged."""
    return _changed(text, _EXCHANGED)


def pronoun_for_name(word: str, name: str) -> str:
    """Return what stands for a word of the first person singular where a name takes its place; "" for other words."""
    low = word.lower()
    if low in MYSELF:
        return name
    return f"{name}'s" if low in ("my", "mine") else ""


def verb_for_name(word: str, *, is_plain: bool) -> str:
    """Return a verb that agreed with "I" as it agrees with a name; "" where it is the same or no form of the present."""
    low = word.lower().replace("’", "'")
    if low in _OF_A_NAME:
        return _OF_A_NAME[low]
    return third_person(low) if is_plain and base_form(low) == low else ""


def _changed(text: str, forms: Mapping[str, str]) -> str:
    pieces = _QUOTED.split(text)
    return "".join(piece if index % 2 else _piece_changed(piece, forms) for index, piece in enumerate(pieces))


def _piece_changed(text: str, forms: Mapping[str, str]) -> str:
    def change(found: re.Match[str]) -> str:
        before = text[max(0, found.start() - _NEAR) : found.start()]
        said = _other(found, text, forms)
        return said[:1].upper() + said[1:] if found[0][0].isupper() and _OPENS_SENTENCE.search(before) else said

    return _WORD.sub(change, text)


def _other(found: re.Match[str], text: str, forms: Mapping[str, str]) -> str:
    if found["run"]:
        new = forms.get(found["run"].lower())
        is_meant = found[0].lower() in _RUN_TOGETHER and new is not None
        return f"{new}'{_agreeing(found['run_on'], str(new))}" if is_meant else found[0]
    word = found["person"]
    new = forms.get(word.lower())
    start = found.start("person")
    before, after = text[max(0, start - _NEAR) : start], text[found.end("person") : found.end("person") + _NEAR]
    if new is None or _is_no_person(word, before):
        return found[0]
    verb = found["before"] or found["after"] or ""
    if new == "I" and not found["short"] and _agreeing(verb, new) == verb and _is_object(before, after):
        new = "me"
    lead = f"{_agreeing(found['before'], new)}{found['before_not'] or ''}{found['gap']}" if found["before"] else ""
    if found["short"]:
        return f"{lead}{new}{found['mark']}{_agreeing(found['short'], new)}"
    if found["after"]:
        behind = found["after"] if lead else _agreeing(found["after"], new)
        return f"{lead}{new}{found['space']}{behind}{found['not'] or ''}"
    return f"{lead}{new}"


def _agreeing(verb: str, subject: str) -> str:
    """Return a form of "be" as it stands with a subject; other words, and those with no such subject, stay."""
    return _BE.get(subject, {}).get(verb.lower(), verb)


def _is_no_person(word: str, before: str) -> bool:
    """Return whether a word only looks like a person: the US, a coal mine, World War I."""
    if word == "US":
        return True
    if word.lower() == "mine":
        return _BEFORE_A_NOUN.search(before) is not None
    return word == "I" and _NUMERAL_OF.search(before) is not None


def _is_object(before: str, after: str) -> bool:
    if _ENDS_CLAUSE.match(after):
        return bool(before.strip()) and not _AUXILIARY_BEFORE.search(before)
    return _BEFORE_OBJECT.search(before) is not None and not re.match(
        r"\s+(?:were|are|have|had|will|would|can)\b", after
    )
