"""Tells a sentence that only asks ("Where does Ana live?") from one that tells something too.

What only asks is no evidence of anything; what asks and tells ("Did you know that I moved to Lyon?") is. A sentence that is
wrongly taken to ask could never be found again, so whatever may tell something counts as telling: a second clause, a tag
("Ana lives in Rome, doesn't she?"), a statement with a question mark, a request that describes its speaker.
"""

from __future__ import annotations

import re

from memory.core.english.grammatical_person import FIRST_PERSON

LONGEST = 30

_WH = r"(?:what|which|who|whom|whose|where|when|why|how)"
_AUX = r"(?:do|does|did|is|are|am|was|were|has|have|had|can|could|will|would|should|shall|may|might)"
ASKS_TRUTH = re.compile(rf"\s*{_AUX}(?:n't)?\b", re.IGNORECASE)
_SUBJECT = r"(?:i|we|he|she|they)"
_PREPOSITION = r"(?:in|at|for|to|from|with|since|on|by|about|of|until|under|near)"

_MARKED = re.compile(r"[?？]+[!?]*$")
_ENDED = re.compile(r"[.!…:;]$")
_EDGES = "\"'“”‘’()[]*_~ \t"
LEAD = re.compile(
    r"^(?:(?:and|so|but|or|ok|okay|hey|hi|hello|well|now|then|also|please|actually|oh|ah|wow|um+|hm+|yeah|yes|no|nope|cool|"
    r"great|nice|awesome|amazing|thanks|btw|by the way|just curious|out of curiosity|quick question|anyway)\b[\s,!.:–-]*"
    r"|(?-i:[A-Z]\w+)[,!]\s+)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:[\s,]+(?:please|again|though|then|by the way|btw|exactly|right now|these days|do you know|do you remember|"
    r"can you tell me|if you (?:know|remember))|,\s*(?-i:[A-Z]\w+))+$",
    re.IGNORECASE,
)
_TELL_ME = r"(?:please )?(?:tell|remind) me"
_SHELLS = (
    # "Do you remember where I live", "Tell me where I live": the question proper is inside.
    rf"^(?:(?:do|did|can|could|would|will) you (?:still |even |happen to |please )*(?:know|remember|recall|tell me|"
    rf"remind me|say|guess)|{_TELL_ME}|i wonder|i(?:'d| would) (?:like|love) to know|i want to know|any idea)(?: again)?\s+"
    rf"(?=(?:{_PREPOSITION} )?(?:{_WH}|if|whether)\b)",
    rf"^(?:(?:can|could|would|will) you )?{_TELL_ME} (?:again |more |a bit |everything |all )*(?=(?:about|of)\b)",
)
# "Where did I say that she lives", "What do you think I do": who asks whom says nothing.
_ASIDE = re.compile(
    rf"^(?P<before>{_WH}(?: \w+){{0,2}}?) (?:do you (?:think|believe|remember|know)|did (?:i|he|she|they|we) (?:say|"
    rf"tell (?:you|me)|mention)|have i (?:said|told you|mentioned))(?: to you)?(?: that)?\s+"
    rf"(?={_SUBJECT}\b|my\b|(?-i:[A-Z]))",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"^(?:(?:{_PREPOSITION} )?{_WH}(?:'s|'re|'d|'ll|s)?\b|{_AUX}\s|any(?:thing|one|body|where)?\b|got any\b|wanna\b|"
    rf"(?:if|whether|about|of)\b)",
    re.IGNORECASE,
)
# Without a question mark: "where does my sister live", never "what I like is tea", "which is nice", "did the dishes".
_ASKS_UNMARKED = re.compile(
    rf"^(?:(?:{_PREPOSITION} )?(?:(?:what|where|when|why|how|who)(?:'s|\s+{_AUX})|(?:what|which|whose) \w+ {_AUX}|"
    rf"how (?:old|many|much|long|often|far)(?: \w+)? {_AUX})\s+(?!that\b)\w|{_AUX} (?:{_SUBJECT}|you)\s)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:that|because|although|though|while|whereas|unless|when|whenever|where|as|if|after|before|since|until)\s+"
    r"(?:i|we|he|she|they|it|you|my|our|his|her|their)\b|\w\W+(?:who|which|whose)\b|\bnow that\b",
    re.IGNORECASE,
)
_BREAK = re.compile(
    rf"[;:()–—=<>{{}}]|\s-\s|[.!?]\s|,(?!\s*(?:and|or|but)\s+(?:{_WH}|{_AUX})\b|\s*or\b)", re.IGNORECASE
)
# A subject that no auxiliary asks of has a clause of its own: "the sunset I painted", "I'm".
_OWN_CLAUSE = re.compile(rf"\b{_SUBJECT}\b", re.IGNORECASE)
_ASKED_OF = re.compile(rf"(?:\b{_AUX}|n't|'s|'re|'d)\s+$", re.IGNORECASE)
_FIRST_PERSON = re.compile(rf"{FIRST_PERSON.pattern}|\d", re.IGNORECASE)
_REQUEST = re.compile(r"^(?:can|could|would|will) you\b", re.IGNORECASE)
_ADVICE = re.compile(
    r"\b(?:(?:can|could|should|shall|may|might|must|would|will) (?:i|we)|do (?:i|we) (?:need|have to))\b", re.IGNORECASE
)
_CLOSING = re.compile(r"[^.!?？…\n]+[?？]+[\s\"'”’)*_]*$")
_OWN_PLAN = re.compile(r"\b(?:my|our|mine|ours)\b|\d", re.IGNORECASE)


def only_asks(sentence: str) -> bool:
    """Return whether a sentence asks, and tells nothing besides."""
    text = " ".join(sentence.replace("’", "'").replace("‘", "'").split()).strip(_EDGES)
    is_marked = _MARKED.search(text) is not None
    bare = _TAIL.sub("", LEAD.sub("", _MARKED.sub("", text).strip(_EDGES)))
    asked = _unwrapped(bare)
    is_wrapped = asked != bare
    if not is_marked and not is_wrapped and (_ENDED.search(text) or not _ASKS_UNMARKED.match(asked)):
        return False
    asked = _ASIDE.sub(r"\g<before> do ", asked.rstrip(".! "))
    opening = _ASKS.match(asked)
    if opening is None or len(asked.split()) > LONGEST or _BREAK.search(asked) or _CLAUSE.search(asked, opening.end()):
        return False
    if _REQUEST.match(asked) and _FIRST_PERSON.search(asked) or _ADVICE.search(asked) and _OWN_PLAN.search(asked):
        return False
    own = [found for found in _OWN_CLAUSE.finditer(asked) if not _ASKED_OF.search(asked[: found.start()])]
    # "Tell me where I live" asks in the order of a statement.
    return len(own) <= int(is_wrapped)


def _unwrapped(text: str) -> str:
    for shell in _SHELLS:
        text = re.sub(shell, "", text, flags=re.IGNORECASE)
    return text


def closing_question(text: str) -> str:
    """Return the question that a text ends with, empty where it ends with none."""
    found = _CLOSING.search(text)
    return found.group().strip() if found is not None else ""
