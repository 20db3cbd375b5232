"""Recognises sentences that assert nothing: greetings, thanks, offers, guesses, recollections, headings."""

from __future__ import annotations

import re

from memory.core.english.claims import is_courtesy

_OFFER = re.compile(
    r"\b(?:let me know|feel free|happy to|glad to|here to help|hope (?:this|that) helps|would you like|do you want|"
    r"just ask|don't hesitate|enjoy your|good luck|congratulations|sounds (?:like|great|good|lovely|fun|nice))\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:perhaps|maybe|probably|possibly|presumably|likely|apparently|might|may be|may have|could be|seems?|"
    r"appears?|not sure|not certain|uncertain|unclear|hard to say|no information|as far as|as an ai)\b",
    re.IGNORECASE,
)
_TALKS_TO_SOMEBODY = re.compile(
    r"\b(?:I|I'?m|me|my|mine|myself|we|us|our|ours|you|you'?re|your|yours|yourself|let's)\b", re.IGNORECASE
)
_RECOLLECTION = re.compile(
    r"\b(?:said|told|mentioned|wrote|asked) on \d|\b(?:according to|in) (?:memory|the notes)\b", re.I
)
_COMMISSION = re.compile(
    r"^\W*(?:(?:please|now|ok|okay|then|can|could|would|will|you|also|i want you to|i need you to|i'd like you to)\W+)*"
    r"(?:write|compose|draft|create|generate|invent|continue|rewrite|rephrase|paraphrase|translate|summari[sz]e|edit|"
    r"proofread|improve|role-?play|pretend|imagine|act|play|brainstorm|make up|tell me a (?:story|joke|tale))\b",
    re.IGNORECASE,
)
_LIST_ITEM = re.compile(
    r"^\s*(?:[-*+•–—#>|]|\(?\d{1,2}[.)]\s|\(?[a-z]\)\s)|\||\t|https?://|`|\[[^\]]*[^\W\d][^\]]*\]|:\s*$"
)


def asserts_of_the_world(text: str) -> bool:
    """Return whether a sentence of the assistant's may assert something about the world: not of a speaker, not hedged."""
    plain = text.replace("’", "'")
    faults = (_OFFER, _HEDGE, _TALKS_TO_SOMEBODY, _RECOLLECTION, _LIST_ITEM)
    return not is_courtesy(plain) and not any(pattern.search(plain) for pattern in faults)


def commissions_writing(text: str) -> bool:
    """Return whether a sentence asks for a text to be written or changed, so that the reply is nobody's claim."""
    return _COMMISSION.match(text.replace("’", "'")) is not None
