"""Cuts out the part of a sentence that can be read alone, without address and without references to other sentences."""

from __future__ import annotations

import re
from collections.abc import Collection

_LEAD = re.compile(
    r"^(?:(?:well|wow|oh|ah|aw|aww|so|and|but|yes|yeah|yep|yup|no|nope|nah|ok|okay|actually|anyway|btw|by the way|hi|"
    r"hello|hey|sure|right|honestly|sorry|thanks|thank you|haha|lol|also|plus|guess what|great|nice|cool|awesome|totally|"
    r"absolutely|definitely|exactly|true|anyways|speaking of which|for sure|of course|you know|i mean|to be honest|since "
    r"(?:our last|we (?:last )?)\w+(?: \w+)?,)(?!\w)[ ,.!;:?–—-]*)+(?=\w)",
    re.IGNORECASE,
)
# "we" speaks of the speaker too; what it says of the others is left out.
_OF_US = (
    (r"\bwe(?:['’]re| are)\b", "I'm"),
    (r"\bwe(?:['’]ve| have)\b", "I've"),
    (r"\bwe were\b", "I was"),
    (r"\bwe['’]d\b", "I'd"),
    (r"\bwe['’]ll\b", "I'll"),
    (r"\bwe\b", "I"),
    (r"\bour\b", "my"),
    (r"\bus\b", "me"),
)
_OF_ALL = re.compile(
    r"\b(?:we (?:all|both|can|could|should|must|need|got this|shall|may|might)|(?:all|both|each|one|none|two|"
    r"most|some) of us|"
    r"we(?:['’]re| are) (?:all|both)|let['’]s|each other|one another|together|ourselves|our last \w+|"
    r"we (?:last )?(?:talked|spoke|chatted|met))\b",
    re.IGNORECASE,
)
_SHORT = (
    (r"\b(I|we|they|he|she|it|you|who|that)['’]ll\b", r"\1 will"),
    (r"\bI['’]d (?=(?:better|been|had|gone|seen|done|never|always|\w+ed)\b)", "I had "),
    (r"\bI['’]d\b", "I would"),
    (r"\bgonna\b", "going to"),
    (r"\bwanna\b", "want to"),
    (r"\bgotta\b", "got to"),
    (r"['’]cause\b", "because"),
    (r"\bkinda\b", "kind of"),
    (r"(?<=\w)['’]s (?=(?:been|got)\b)", " has "),
    (r"(?<=\w)['’]s (?=(?:an?|the|so|mostly|all|just|really|not|like)\b)", " is "),
    (r"\bme-time\b", "time of my own"),
)
_SHORTENED = tuple((re.compile(pattern, re.IGNORECASE), words) for pattern, words in _SHORT)
_ALONE = tuple((re.compile(pattern, re.IGNORECASE), words) for pattern, words in _OF_US)
_JOINED = (
    r"(?:it|they|that|he|she|this|these|those|there|we|you|I|what|hope|thanks|everyone|everything|my \w+|"
    r"the \w+ \w+|\w+(?:['’]s)?)"
)
_BREAK = re.compile(
    r"\s*[;:]\s+|\s+[–—-]+\s*(?=\w)|(?<=\w)[–—]\s*(?=\w)|(?<=\w)- (?=\w)|"
    r",?\s+(?=(?:because|since|although|though|while|which|where|when)\s+\w)|"
    rf",?\s+(?=(?:and|but|so|as|if)\s+{_JOINED} (?:is|are|was|were|am|has|have|had|will|would|can|could|do|does|"
    rf"did|feels?|felt|"
    r"makes?|made|helps?|helped|gives?|gave|means?|meant|wants?|loves?|hopes?|looks?|keeps?|really|even|also|"
    r"just|all|can['’]t)\b)|"
    r",?\s+(?=(?:and|but|so)\s+(?:it|they|that|he|she|this|these|those|we|you|I|it['’]s|they['’]\w+|I['’]\w+)\b)|"
    r",\s+(?=(?:it|they|that|he|she|this|these|those|we|you|I|what|hope|thanks|take a look|can['’]t wait)\b)",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"\b(?:it|its|it['’]s|they|them|their|theirs|they['’]\w+|he|him|his|he['’]\w+|she|her|hers|she['’]\w+|you|your|yours|"
    r"you['’]\w+|ya|y['’]all|u|ur|yourself|we|us|our|ours|can['’]t wait|take a look|this|these|those|here|there|"
    r"that['’]s|such|one|ones)\b",
    re.IGNORECASE,
)
# "that" that points at something said before, where the other one only joins clauses.
_POINTING = re.compile(
    r"^that\b|\bthat\W*$|\b(?:about|like|of|for|at|on|in|with|to|from|by|do|did|did not|love|like|see|got|had|made|took|"
    r"after|before|during) that\b(?!\s+(?:i|we|he|she|they|you|it|the|a|my)\b)|\bthat (?:was|is|really|made|means|sounds|"
    r"looks)\b(?<!\w that is)",
    re.IGNORECASE,
)
_HALF = re.compile(
    r"^(?:because|since|as|though|although|while|when|which|where|if|until|after|before)\b[^,]*$", re.IGNORECASE
)
_SHOWN = re.compile(
    r"\b(?:in|of|at|love|loved|like|liked) (?:the|this|that|your)? ?(?:pic|pics|photo|photos|picture|pictures)\b", re.I
)
_TAIL = re.compile(
    r"(?:,?\s+(?:too|though|as well|lol|haha|you know|right|actually|by the way|btw|and|but))+\W*$", re.I
)


def addressed_to_nobody(text: str, names: Collection[str]) -> str:
    """Return a sentence without the words that only greet, agree or address somebody by name."""
    while True:
        bare = _LEAD.sub("", text.strip())
        for name in names:
            called = rf"(?:{re.escape(name)}|{re.escape(name[:3])}\w{{0,2}})" if len(name) > 4 else re.escape(name)
            bare = re.sub(rf"^{called}\s*[,!.:–-]+\s*(?=\w)", "", bare)
            bare = re.sub(rf",\s*{called}(?=\s*[,.!?]|$)", "", bare)
        if bare == text:
            return bare
        text = bare


def of_speaker_alone(text: str) -> str:
    """Return a sentence about "us" as one about its speaker, with short forms written out; "" where it is about all of us."""
    if _OF_ALL.search(text):
        return ""
    for pattern, words in (*_ALONE, *_SHORTENED):
        text = pattern.sub(words, text)
    return text


def standing_part(text: str) -> str:
    """Return the clauses of a sentence that can be read alone; "" where the first clause cannot."""
    clauses, joints, start = list[str](), [""], 0
    for found in _BREAK.finditer(text):
        clauses.append(text[start : found.start()])
        joints.append(found[0])
        start = found.end()
    clauses.append(text[start:])
    if leans(clauses[0]):
        return ""
    kept = clauses[0]
    for joint, clause in zip(joints[1:], clauses[1:], strict=True):
        if _leans_out(clause):
            break
        kept += joint + clause
    return _TAIL.sub("", kept).rstrip(" ,;:–—-")


def _leans_out(clause: str) -> bool:
    """Return whether a clause continues another one so that it cannot be kept with it."""
    return any(pattern.search(clause) for pattern in (_DANGLING, _POINTING, _SHOWN))


def leans(clause: str) -> bool:
    """Return whether a clause refers to something that only an earlier sentence names."""
    return any(pattern.search(clause) for pattern in (_DANGLING, _POINTING, _HALF, _SHOWN))
