"""Reads a wish to change the memory in a message of one sentence, and finds which facts it means by their words.

Only the forms of such a wish are rules: an imperative of forgetting, a verdict on what was said, a value in place of another.
What is meant is found among the facts that there are. A longer message is never a wish, whatever it holds: what somebody
pastes may ask for anything.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memory.core.english.inflection import words_of_name
from memory.core.knowledge_graph.stems import content_stems
from memory.core.knowledge_graph.verbalisation import triple_text
from memory.core.naming import key_of
from memory.core.types import Polarity, Role, SourceSentence, Triple

_LONGEST = 200
_VALUE_WORDS = 6


class WishKind(StrEnum):
    FORGET = "forget"
    WRONG = "wrong"
    INSTEAD = "instead"


@dataclass(frozen=True)
class Wish:
    """What somebody wants changed: `words` name the facts that are meant, or the old value, and `value` is the right one.

    Without words FORGET means the whole memory, and WRONG what was told last.
    """

    kind: WishKind
    words: str = ""
    value: str = ""


_LEAD = r"^(?:(?:please|ok|okay|now|no|hey|actually|sorry|wait|oops|well|hm+|yes|and|so|but)\b[\s,.!:–—-]*)*"
_FORGET = re.compile(
    _LEAD + r"(?:(?:can|could|would|will) you (?:please )?|i(?:'d like| would like| want| need) you to (?:please )?)?"
    r"(?:forget|(?:delete|erase|remove)(?= (?:that|what|everything|anything|all)\b))\s+"
    r"(?P<rest>.+?)(?:[\s,]+please)?[\s.!?]*$",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"^(?P<all>everything|anything|all)?\s*(?:what(?:ever)?\b)?\s*(?:that\s+)?"
    r"(?:(?:i|you|we)(?:'ve| have| ever)*\s+(?:just |ever )?(?:said|told you|mentioned|know|knew|learnt|learned|heard|"
    r"remember|wrote|noted)\b)?\s*(?:about|of|on)?\s*(?:that\s+|the fact that\s+)?",
    re.IGNORECASE,
)
_ASSENT = r"(?:yes|yeah|yep|sure|ok(?:ay)?|do (?:it|so|that)|go ahead|please do)"
_CONFIRMS = re.compile(
    rf"{_ASSENT}(?:[\s,.!]+(?:{_ASSENT}|please|forget (?:it|them|that)(?: all)?))*[\s,.!]*", re.IGNORECASE
)
# "Forget it" alone means "never mind".
_REFUSES = re.compile(
    r"(?:(?:no|nope|don't|do not|keep (?:it|them|that)|never ?mind|cancel|not now|forget it)"
    r"(?:[\s,.!]+|$)(?:(?:please|thanks|thank you)(?:[\s,.!]+|$))*)+",
    re.IGNORECASE,
)
_WRONG = re.compile(
    _LEAD
    + r"(?:that|this|it)(?:'s| is| was)?\s+(?:wrong|not (?:right|true|correct|so)|isn't (?:right|true|correct|so)|"
    r"incorrect|false|a mistake)\b(?:[\s,.;:–—-]+(?P<rest>.+?))?[\s.!]*$",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:never|not|no|none|nobody|nothing)\b|n't\b", re.IGNORECASE)
_INSTEAD = (
    re.compile(
        _LEAD + r"(?:(?:it|that)(?:'s| is| was)|i (?:meant|mean)|make (?:it|that)|(?:it )?should be)\s+"
        r"(?P<new>[^,;]+?)[,;]?\s+(?:and )?not\s+(?P<old>[^,;]+?)[\s.!]*$",
        re.IGNORECASE,
    ),
    re.compile(
        _LEAD
        + r"(?:(?:it|that)(?:'s| is| was)\s+)?not\s+(?P<old>[^,;]+?)[,;.]?\s+(?:but|(?:it|that)(?:'s| is| was))\s+"
        r"(?P<new>[^,;]+?)[\s.!]*$",
        re.IGNORECASE,
    ),
)
_DETERMINER = re.compile(r"^(?:in|at|on|for|with|to|from|the|a|an|my)\s+", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|my|me|mine|myself)\b", re.IGNORECASE)


def confirmed(text: str) -> bool | None:
    """Return whether a whole message says yes or no to a question that was asked before it; None where it says neither."""
    plain = " ".join(text.replace("’", "'").split())
    return True if _CONFIRMS.fullmatch(plain) else False if _REFUSES.fullmatch(plain) else None


def is_forgetting(text: str) -> bool:
    """Return whether a whole message asks to forget something."""
    wish = wish_of(text)
    return wish is not None and wish.kind is WishKind.FORGET


def wish_of(text: str) -> Wish | None:
    """Return the wish that a whole message is; None for every other message."""
    plain = " ".join(text.replace("’", "'").split())
    if len(plain) > _LONGEST or "\n" in text.strip():
        return None
    instead = _instead(plain)
    if instead is not None:
        return instead
    forget = _FORGET.match(plain)
    if forget is not None:
        about = _ABOUT.match(forget["rest"])
        rest = forget["rest"][about.end() :] if about is not None else forget["rest"]
        is_all = about is not None and about["all"] is not None
        # "Forget it" takes back nothing that was told.
        is_meant = content_stems(rest) or is_all and not rest
        return Wish(WishKind.FORGET, rest) if is_meant else None
    wrong = _WRONG.match(plain)
    if wrong is None:
        return None
    rest = wrong["rest"] or ""
    inner = _instead(rest)
    if inner is not None or not rest:
        return inner or Wish(WishKind.WRONG)
    # "That's wrong, I live in Rome" tells what is right, which is read like everything that is told.
    return Wish(WishKind.WRONG, rest) if _DENIES.search(rest) and content_stems(rest) else None


def meant(words: str, triples: Sequence[Triple], *, speaker: str, at: datetime) -> list[Triple]:
    """Return the facts that words mean: those that say all of them; where none does, those whose sentences do."""
    asked = content_stems(words)
    own = [one for one in triples if is_theirs(words, one.source, speaker=speaker)]
    told = {one.id: _stems_of(one, at) for one in own}
    exact = [one for one in own if asked <= told[one.id]]
    return exact or [
        one for one in own if asked & told[one.id] and asked <= told[one.id] | content_stems(one.source.text)
    ]


def meant_sentences(words: str, sentences: Sequence[SourceSentence], *, speaker: str) -> list[SourceSentence]:
    """Return the sentences that hold all the words."""
    asked = content_stems(words)
    return [one for one in sentences if is_theirs(words, one, speaker=speaker) and asked <= content_stems(one.text)]


def with_value(words: str, triples: Sequence[Triple]) -> list[Triple]:
    """Return the facts that have a value of these words."""
    keys = {key_of(words), key_of(bare(words))}
    return [one for one in triples if one.polarity is Polarity.POSITIVE and key_of(one.object) in keys]


def bare(words: str) -> str:
    """Return the words of a value without what leads to it: "in Milan" is Milan."""
    return _DETERMINER.sub("", words.strip().strip("\"'“”"))


def is_theirs(words: str, source: SourceSentence, *, speaker: str) -> bool:
    """Return whether a sentence may be meant: of somebody who speaks of themselves only their own, and replies."""
    is_own = key_of(source.speaker) == key_of(speaker) or source.role is Role.ASSISTANT
    return is_own or _FIRST_PERSON.search(words) is None


def _instead(text: str) -> Wish | None:
    for pattern in _INSTEAD:
        found = pattern.match(text)
        if found is not None and max(len(found[name].split()) for name in ("old", "new")) <= _VALUE_WORDS:
            return Wish(WishKind.INSTEAD, bare(found["old"]), bare(found["new"]))
    return None


def _stems_of(triple: Triple, at: datetime) -> frozenset[str]:
    names = (triple.subject.label, triple.object, " ".join(words_of_name(triple.predicate)))
    return frozenset().union(
        content_stems(triple_text(triple, asker="", at=at)), *(content_stems(name) for name in names)
    )
