"""Exchanges "I" and "you": puts what one speaker said into the words of the person addressed.

"I moved to Porto" (a user) entails "You moved to Porto" (the assistant). An entailment model knows no speakers, so the
premise is put as the hypothesis's speaker would say it: "You moved to Porto". "We" and "us" stay, since it is unknown whom
they include; so do words in quotation marks, which are somebody else's.
"""

from __future__ import annotations

import re

_QUOTED = re.compile(r"([\"“][^\"“”]*[\"”])")
_WORD = re.compile(
    r"\b(?:"
    r"(?P<am>I\s+am|I['’]m|Im)|(?P<was>I\s+was)(?P<wasnt>n['’]t)?|"
    r"(?P<aminv>am\s+I)|(?P<wasinv>was\s+I)|"
    r"(?P<are>you\s+are|you['’]re|youre)|(?P<were>you\s+were)(?P<werent>n['’]t)?|"
    r"(?P<areinv>are\s+you)|(?P<wereinv>were\s+you)|"
    r"(?P<i>I)|(?P<plain>myself|yourself|mine|yours|my|your|me)|(?P<you>you)"
    r")\b",
    re.IGNORECASE,
)
_PLAIN = {
    "myself": "yourself",
    "yourself": "myself",
    "mine": "yours",
    "yours": "mine",
    "my": "your",
    "your": "my",
    "me": "you",
}
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
# What stands farther away decides nothing, and looking there would cost the square of a long turn.
_NEAR = 60
_ENDS_CLAUSE = re.compile(r"\s*(?:$|[.,;:!?)])")


def as_the_other_says(text: str) -> str:
    """Return a sentence as the person addressed would say it: I and you, my and your, am and are are exchanged."""
    pieces = _QUOTED.split(text)
    return "".join(piece if index % 2 else _turned(piece) for index, piece in enumerate(pieces))


def _turned(text: str) -> str:
    def turn(found: re.Match[str]) -> str:
        said = _other(found, text)
        before = text[max(0, found.start() - _NEAR) : found.start()]
        opens = not before.strip() or re.search(r"[.!?]\s+$", before)
        return said[:1].upper() + said[1:] if opens else said

    return _WORD.sub(turn, text)


def _other(found: re.Match[str], text: str) -> str:
    kind, word = str(found.lastgroup), found.group()
    match kind:
        case "am":
            return "you are"
        case "are":
            return "I am"
        case "was" | "wasnt":
            return "you were" + ("n't" if found.group("wasnt") else "")
        case "were" | "werent":
            return "I was" + ("n't" if found.group("werent") else "")
        case "aminv":
            return "are you"
        case "areinv":
            return "am I"
        case "wasinv":
            return "were you"
        case "wereinv":
            return "was I"
        case "i":
            return "you"
        case "plain":
            return _PLAIN[word.lower()]
        case _:
            return "me" if _is_object(text, found.start(), found.end()) else "I"


def _is_object(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    if _ENDS_CLAUSE.match(after):
        return bool(before.strip()) and not _AUXILIARY_BEFORE.search(before)
    return _BEFORE_OBJECT.search(before) is not None and not re.match(
        r"\s+(?:were|are|have|had|will|would|can)\b", after
    )
