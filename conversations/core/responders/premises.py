"""What a question takes for granted though nobody ever told it: "Which day do I work at Google?" where no word was of Google.

Said only where it is sure: a name that no sentence holds, standing for itself in the clause of the question.
"""

import re
from collections.abc import Collection

from memory.core.english.grammatical_person import told_to_its_speaker
from memory.core.english.inflection import past, third_person

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
# "Which day do I work at Google" -> do, I, "work at Google".
_CLAUSE = re.compile(
    r"^(?:(?:in|at|for|to|from|with|since|on|by|about|of)\s+)?(?:what|which|who|whom|whose|where|when|why|how)\b(?P<asked>[^?]*?)\s"
    r"(?P<auxiliary>do|does|did|am|is|are|was|were|has|have|had|will|would|can|could)\s+"
    r"(?P<subject>I|we|my\s+[a-z]+(?!\s+(?:and|or)\b)|(?-i:[A-Z][\w-]+))\s+(?P<rest>[^?,;]+?)[\s?.!]*$",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![\w'’-])[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*")
# What may follow a name that stands for itself; before other words it describes them: "Italian food".
_FOLLOWS_NAME = re.compile(
    r"\s*$|\s+(?:at|in|on|for|to|from|with|since|by|about|of|and|or|now|again|today|every|each|last|next)\b"
)
_BEFORE_NAME = re.compile(
    r"\b(?:at|in|for|to|from|with|by|about|of|near|visit|meet|call|see|join|leave|the|like|love|know)\s+$"
)
_TIMES = re.compile(
    r"^(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec|mon|tues?|wed|thurs?|fri|sat|sun)[a-z]*$", re.IGNORECASE
)
_PLAIN_SUBJECTS = frozenset({"i", "we"})


def words_of_question(text: str) -> list[str]:
    """Return the words that a question may take for granted, each once."""
    return list(dict.fromkeys(re.sub(r"['’]s$", "", word) for word in _WORD.findall(text) if len(word) > 2))[:24]


def untold_premise(text: str, unsaid: Collection[str]) -> str:
    """Return that somebody has not told what their question takes for granted; "" where nothing surely is."""
    found = _CLAUSE.match(" ".join(text.split()))
    if found is None or not _holds_unsaid_name(found["rest"], unsaid):
        return ""
    clause = _stated(found["auxiliary"].lower(), found["subject"], found["rest"])
    return f"You have not told me that {_lowered(told_to_its_speaker(clause), found['subject'])}."


def is_unsaid_name(name: str, text: str, unsaid: Collection[str]) -> bool:
    """Return whether a question names somebody or something by words of which none was ever said: "Zelda", "my kitchen"."""
    pattern = rf"(?P<my>\bmy\s+)?(?P<whole>(?:[\w-]+['’]s?\s+)*{re.escape(name)})(?!['’\w])"
    found = re.search(pattern, text, re.IGNORECASE)
    if found is None or not set(words_of_question(found["whole"])) <= set(unsaid):
        return False
    # The first word of a question is written large whatever it is.
    is_name = found.start() > 0 and all(word[0].isupper() for word in found["whole"].split())
    return bool(words_of_question(name)) and (found["my"] is not None or is_name)


def _holds_unsaid_name(rest: str, unsaid: Collection[str]) -> bool:
    for found in _NAME.finditer(rest):
        words = words_of_question(found.group())
        is_for_itself = _FOLLOWS_NAME.match(rest, found.end()) and _BEFORE_NAME.search(rest[: found.start()])
        if words and is_for_itself and set(words) <= set(unsaid) and not any(_TIMES.match(word) for word in words):
            return True
    return False


def _stated(auxiliary: str, subject: str, rest: str) -> str:
    verb, _, others = rest.partition(" ")
    if auxiliary == "did":
        return f"{subject} {past(verb.lower())} {others}".strip()
    if auxiliary == "does":
        return f"{subject} {third_person(verb.lower())} {others}".strip()
    return f"{subject} {rest}" if auxiliary == "do" else f"{subject} {auxiliary} {rest}"


def _lowered(clause: str, subject: str) -> str:
    is_name = subject[:1].isupper() and subject.lower() not in _PLAIN_SUBJECTS and not subject.lower().startswith("my ")
    return clause if is_name else clause[:1].lower() + clause[1:]
