"""Reads a question for `fused`: the person and the days that it names, whether it wants several things, and a restatement."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from memory.core.english.times import TimeReference, dates_in
from memory.core.types import RetrievalQuery

# Speakers that are parts in a dialogue, not names: "user" in a question is a word like another.
PARTS = frozenset({"user", "assistant"})

_LEAD = re.compile(
    r"^\W*(?:(?:in|on|at|for|to|with|from|by|about|of|during)\s+)?(?:what|which|who|whom|whose|when|where|why|how)\b"
    r"(?:\s+(?:many|much|long|often|old|kinds?|types?|sorts?)\b(?:\s+of\b)?)?\s*"
    r"(?:(?:is|are|was|were|did|does|do|has|have|had|can|could|would|will|should|might)\b)?\s*",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"^(?:what|which)\s+(?!(?:is|was|did|does|do|has|had|are|were|would|could)\b)(?:\w+\s+){0,3}?\w+s\b"
    r"|^how\s+many\b|\bboth\b|^what\s+are\b|^in\s+what\s+ways\b|^list\b|\bthe\s+order\s+in\s+which\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class AskedFor:
    """A question as `fused` searches for it: the vectors of all `wordings` are added up."""

    wordings: tuple[str, ...]
    speaker: str = ""
    times: tuple[TimeReference, ...] = ()
    wants_several: bool = False


def read_question(query: RetrievalQuery, *, speakers: Collection[str], restates: bool = True) -> AskedFor:
    """Return what a question asks for. `speaker` is the one of `speakers` that it names; empty for none or several."""
    named = [speaker for speaker in sorted(set(speakers)) if is_named(speaker, query.text)]
    wordings = (query.text, restated(query.text, named)) if restates else (query.text,)
    return AskedFor(
        wordings=tuple(dict.fromkeys(wordings)),
        speaker=named[0] if len(named) == 1 else "",
        times=tuple(dates_in(query.text, said_at=query.asked_at)),
        wants_several=bool(_SEVERAL.search(query.text.strip())),
    )


def is_named(speaker: str, text: str) -> bool:
    return speaker.casefold() not in PARTS and bool(name_pattern(speaker).search(text))


def name_pattern(speaker: str) -> re.Pattern[str]:
    return (
        re.compile(rf"(?<!\w){re.escape(speaker.strip())}(?!\w)(?:['’]s(?!\w))?", re.IGNORECASE)
        if speaker.strip()
        else _NEVER
    )


_NEVER = re.compile(r"(?!)")


def restated(question: str, names: Collection[str]) -> str:
    """Return the question without question words and names, which is nearer to the wording of an answer.

    A question that would become empty is returned as it is.
    """
    text = _LEAD.sub("", question).rstrip("?!. ")
    for name in names:
        text = name_pattern(name).sub(" ", text)
    return " ".join(text.split()) or question
