"""Finds the sentences of a reply that claim something, and the sentences of a history that a claim can be compared with."""

from __future__ import annotations

import re

_COURTESY = re.compile(
    r"^\W*(?:(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|night|day)|bye|goodbye|see you|"
    r"take care|welcome|thanks?|thank you|thx|cheers|please|sorry|great|good|nice|cool|wow|awesome|perfect|lovely|"
    r"wonderful|ok|okay|sure|alright|right|yes|yeah|yep|no|nope|absolutely|certainly|of course|no problem|"
    r"you(?:'?re| are) welcome|my pleasure|anytime|got it|i see|understood|congrat\w*|happy to help|glad to help|"
    r"(?:great|good|excellent) (?:question|point|idea)|(?:so much|very much|a lot|there|again|later|soon|everyone|all|"
    r"and|to|for|the|that|this|your|help|meet(?:ing)?|you|day|news|how are you|nice))\W*)+$",
    re.IGNORECASE,
)
_CONNECTIVE = re.compile(
    r"^(?:(?:yes|no|sure|well|of course|indeed|in fact|certainly|furthermore|moreover|additionally|in addition|firstly|"
    r"first|secondly|second|thirdly|third|lastly|finally|overall|in short|in summary|thus|hence|therefore|consequently|"
    r"as a result|similarly)\s*[,:!.]\s*)+(?=\w)",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"(\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w))")
_ITEM_MARK = re.compile(r"^\s*(?:[-*+•–—>→✓]+\s+|#{1,6}\s+|\(?\d{1,3}[.)]\s+|\(?[A-Za-z][.)]\s+)+")
_NO_PROSE = re.compile(
    r"^\s*(?:```|\||[{}<\[]|https?://\S+$|(?:def|class|import|return|print|for|while)\b.*[(:]$)|;\s*$"
)
_QUESTION = re.compile(
    r"^(?:(?:and|but|so|ok|okay|then|well|also|please|sorry|hi|hey|hello)\W+)*(?:"
    r"(?:what|which|who|whom|whose|when|where|why|how)(?:['’]?s|\s+(?:is|are|was|were|do|does|did|can|could|will|would|"
    r"should|about|many|much|long|far|old|often|come|to|city|day|time|one|kind|type|else|has|have)\b)|"
    r"(?:do|does|did|is|are|was|were|am|can|could|will|would|should|shall|may|has|have)(?:n['’]t)?\s+(?:you|i|we|they|he|"
    r"she|it|there|this|that|these|those|my|your|the|any|anyone|someone|somebody)\b)",
    re.IGNORECASE,
)
_NO_CLAIM = re.compile(
    r"\b(?:let me know|feel free|happy to (?:help|assist)|glad to (?:help|hear)|here to help|hope (?:this|that|it) helps|"
    r"would you like|do you want|just ask|don['’]?t hesitate|enjoy your|good luck|"
    r"is there anything else|anything else i can)\b|"
    r"^\W*(?:i(?:['’]m| am) sorry|i apologi[sz]e|sorry)\b[^,;:]*$|"
    r"^\W*(?:i (?:do not|don['’]?t|did not|didn['’]?t) (?:know|remember|recall)|you (?:have not|haven['’]?t) told me|"
    r"i have no (?:record|information|memory)|noted|understood|as you wish)\b",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]{2,}")
FEWEST_WORDS = 3


def plain(sentence: str) -> str:
    """Return a sentence without list marks, marks of bold and italic type, and words that tie it to the one before."""
    return bare_claim(_ITEM_MARK.sub("", " ".join(sentence.split()))).strip()


def is_question(sentence: str) -> bool:
    text = plain(sentence)
    return text.rstrip(" \"'”’)!*_").endswith("?") or _QUESTION.match(text) is not None


def is_claim(sentence: str) -> bool:
    """Return whether a sentence can be true or false: no question, courtesy, offer, heading, code or "I don't know"."""
    text = plain(sentence)
    return (
        is_premise(sentence)
        and not is_question(sentence)
        and not text.endswith(":")
        and not _NO_CLAIM.search(text)
        and len(text.split()) >= FEWEST_WORDS
    )


def is_premise(sentence: str) -> bool:
    """Return whether a sentence can support or contradict a claim. A question can, by what it presupposes."""
    text = plain(sentence)
    return bool(_LETTERS.search(text)) and not _NO_PROSE.search(sentence) and not is_courtesy(text)


def is_courtesy(text: str) -> bool:
    """Return whether a sentence only greets, thanks or agrees."""
    return _COURTESY.match(text.replace("’", "'")) is not None


def bare_claim(text: str) -> str:
    """Return a sentence of a reply without marks of bold and italic type and without words that tie it to the one before."""
    return _CONNECTIVE.sub("", _EMPHASIS.sub("", text), count=1)
