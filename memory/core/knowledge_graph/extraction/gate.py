"""What is no speech of the user's own: code, markup, pasted documents, imitated system prompts, fiction."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.core.types import Role, Utterance

_CODE = re.compile(
    r"```|^\s*(?:#include|import |from \S+ import|def |class |function |var |let |const |public |return\b|"
    r"<\?|</?\w+[^>]*>|"
    r"\$ |>>> |@prefix|SELECT |INSERT |UPDATE |DELETE )|[{};]\s*$|=|\^|\w\(\w*\)[;:.]|=>|==|::|</|"
    r"\w+_\w+\s*=|^\s*[\[{].*[\]}],?$|"
    r"^\s*\"[^\"]+\"\s*:"
)
_MARKUP = re.compile(r"^\s*(?:[>|#]|\*\*|---|===|https?://\S+$|(?:from|to|cc|subject|date|sent)\s*:\s)", re.IGNORECASE)
_IMITATION = re.compile(
    r"^\W*(?:system|assistant|user|human|ai|developer|tool|instructions?)\s*(?:prompt|message)?\s*:|<\|"
    r"?\w+\|?>|\[/?INST\]|"
    r"\b(?:ignore|disregard|forget) (?:all |everything|any |the |your |previous|prior|above)|"
    r"\b(?:from now on|henceforth),? (?:you|call|my|act)\b|\byou are (?:now )?(?:a|an|the) |"
    r"^(?:act|behave|respond|answer|reply|write|pretend|roleplay|role-play) (?:as|like|in)\b|"
    r"\bmy name is now (?:admin|root|system)",
    re.IGNORECASE,
)
_FICTION = re.compile(
    r"\b(?:imagine|pretend|suppose|let's say|what if|hypothetically|in (?:my|the|this|a) (?:dream|story|"
    r"novel|game|movie|film|book|"
    r"scenario)|once upon a time|role-?play|my character|as if|playing the role)\b",
    re.IGNORECASE,
)
# What announces somebody else's words for the rest of the turn.
_PASTE = re.compile(
    r"\b(?:summari[sz]e|translate|proofread|paraphrase|rewrite|rephrase|correct|edit|analy[sz]e|classify|"
    r"review|extract|"
    r"(?:here(?:'s| is| are)|this is|below is|following (?:is|are)|read|consider) (?:the|an?|my|this|some|what)\b.*"
    r"(?:e-?mail|text|article|letter|message|document|story|poem|lyrics|paragraph|passage|note|transcript|"
    r"review|essay|post|"
    r"code|script|log|song|sentences?|cover letter|resume|report|chapter|quote|excerpt|conversation|chat|dialogue)|"
    r"(?:e-?mail|article|text|letter|lyrics|story|passage|paragraph|sentences?|document|message) ?(?:below)?)\b.*:\s*\W*$",
    re.IGNORECASE,
)
_FICTION_OPENING = re.compile(
    r"^\W*(?:imagine|pretend|suppose|let's (?:pretend|imagine|say|play|role-?play)|once upon a time|"
    r"write (?:me )?(?:a|an|the) |"
    r"tell me a |continue (?:the|this) story)",
    re.IGNORECASE,
)
_MOST_WORDS = 90


def is_speech(text: str) -> bool:
    """Return whether a sentence may state facts in the speaker's own voice."""
    letters = sum(character.isalpha() for character in text)
    readable = sum(character.isalnum() for character in text)
    if letters < 2 or readable < 0.5 * len(text.replace(" ", "")):
        return False
    if len(text.split()) > _MOST_WORDS:
        return False
    return not any(pattern.search(text) for pattern in (_CODE, _MARKUP, _IMITATION, _FICTION))


def is_relayed(utterance: Utterance, before: Sequence[Utterance]) -> bool:
    """Return whether an earlier sentence of the same turn announced a pasted text, code or fiction that still goes on."""
    fences = quotes = 0
    for earlier in before:
        if (
            earlier.speaker != utterance.speaker
            or earlier.said_at != utterance.said_at
            or earlier.role is not Role.USER
        ):
            continue
        fences += earlier.text.count("```")
        quotes += len(re.findall(r"[\"“”]", earlier.text))
        if _PASTE.search(earlier.text) or _FICTION_OPENING.search(earlier.text) or _IMITATION.search(earlier.text):
            return True
    return fences % 2 == 1 or quotes % 2 == 1
