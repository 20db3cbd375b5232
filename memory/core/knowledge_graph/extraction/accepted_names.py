"""A name that the assistant suggested and the user took: "You could call her Luna." - "Luna it is!".

Nothing else that is suggested becomes a fact: "good idea" to a journey or a hobby is a plan at most. A name holds from the
moment it is chosen. It is taken only where the user repeats it, or accepts the one name that was suggested.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.core.knowledge_graph.extraction.wording import PlainText
from memory.core.knowledge_graph.vocabulary import PETS
from memory.core.types import Role, Utterance

_NAME = r"[A-Z][\w'-]+"
_BEARERS = "|".join(
    sorted((*PETS, "baby", "son", "daughter", "boat", "car", "fish", "bird", "goat"), key=len, reverse=True)
)
_SUGGESTED = re.compile(
    rf"\b(?i:call|name|calling|naming)(?:ing)?(?i: (?:him|her|it|them|the \w+|your (?:new )?\w+))? [\"'“‘]?({_NAME})|"
    rf"\b(?i:how about|what about|maybe|perhaps|why not|i suggest|i'd suggest|consider|try|"
    rf"like) [\"'“‘]?({_NAME})[\"'”’]?(?=\s*[?.!,]|$| or\b)|"
    rf"(?:\bor|,) [\"'“‘]?({_NAME})[\"'”’]?(?=\s*\?| or\b|, or\b)"
)
_ASKED_NAME = re.compile(
    rf"\b(?:name|call|names for|name for|naming|name idea for)\b.{{0,20}}\b(?:my|our|the|a) (?:new |little |"
    rf"baby |tiny )*(?P<bearer>{_BEARERS})\b",
    re.IGNORECASE,
)
_OWNED = re.compile(rf"\b(?:my|our|a|an) (?:new |little |baby |tiny )*(?P<bearer>{_BEARERS})\b", re.IGNORECASE)
_GIVEN = re.compile(
    rf"^\W*(?i:(?:so|and|ok|okay|in the end|finally|then|yes|well|great idea|good idea|"
    rf"perfect)\b[\s,!.]*)*(?i:(?:i|we)(?:'ll| will|'ve| have|"
    rf" just| finally)*|let's|i think we'll|i'm going to|we're going to) (?i:call|name|called|named|"
    rf"decided to call|decided to name|"
    rf"went with|go with)(?i: (?:her|him|it|the \w+))? [\"'“‘]?(?P<name>{_NAME})[\"'”’]?(?: then)?\W*$"
)
_TAKEN = re.compile(
    r"\b(?i:it is|let's (?:call|name|go|do|use)|i(?:'ll| will)|we(?:'ll| will)|going (?:to|with)|i(?:'m|"
    r" am) going|we're going|perfect|great|"
    r"love|like|good|nice|lovely|deal|sold|yes|sounds good|wonderful|excellent|brilliant|decided|chose|settled|"
    r"went with|done|fits)\b"
)
_REFUSED = re.compile(
    r"\b(?:no|not|don't|doesn't|isn't|hate|rather|maybe|perhaps|think about it|hmm|but|other|another|else|too|"
    r"would|could|might)\b|\?",
    re.IGNORECASE,
)


def accepted_name(text: str, before: Sequence[Utterance]) -> PlainText | None:
    """Return the statement of the name that a sentence accepts, or None where it accepts none."""
    if not before or len(text.split()) > 14:
        return None
    given = _GIVEN.match(text)
    if given is not None:
        bearer = _bearer([one.text for one in before[-4:] if one.role is Role.USER])
        return _stated(text, bearer, given["name"]) if bearer else None
    if before[-1].role is not Role.ASSISTANT:
        return None
    names = list(dict.fromkeys(name for found in _SUGGESTED.findall(before[-1].text) for name in found if name))
    if not names or _REFUSED.search(text) or not _TAKEN.search(text):
        return None
    repeated = [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]
    if len(repeated) != 1 and len(names) > 1:
        return None
    bearer = _bearer([one.text for one in before if one.role is Role.USER])
    if not bearer:
        return None
    return _stated(text, bearer, (repeated or names)[0])


def _bearer(said: Sequence[str]) -> str:
    """Return what is to be named: what the user asked a name for, else the pet spoken of last."""
    for pattern in (_ASKED_NAME, _OWNED):
        for text in reversed(said):
            found = list(pattern.finditer(text))
            if found:
                return found[-1]["bearer"].lower()
    return ""


def _stated(text: str, bearer: str, name: str) -> PlainText:
    statement = f"My {bearer} is called {name}."
    start = text.find(name)
    place = (start, start + len(name)) if start >= 0 else (0, len(text))
    return PlainText(statement, (place[0],) * len(statement), (place[1],) * len(statement))
