"""How long ago something was: "How many months have passed since I last visited a museum with a friend?".

The event is asked for as "When did I visit a museum with a friend?", and the time since then is counted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from conversations.core.responders.support import TOLD_AS_PAST, own_part
from memory.core.english.inflection import base_form
from memory.core.english.times import dates_in
from memory.core.knowledge_graph.question import GraphQuestion
from memory.core.knowledge_graph.stems import content_stems
from memory.core.types import ScoredSentence, SourceSentence

_UNIT = r"(?P<unit>day|week|month|year)s?"
_ASKED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^how many {_UNIT} (?:have|has|had) (?:passed|gone by|it been) since (?P<event>.+)$",
        rf"^how many {_UNIT} (?:is|has) it(?: been)? since (?P<event>.+)$",
        r"^how long (?:is|has) it(?: been)? since (?P<event>.+)$",
        rf"^how many {_UNIT} ago did (?P<event>.+)$",
        r"^how long ago did (?P<event>.+)$",
    )
)
_CLAUSE = re.compile(
    r"^(?P<who>I|we|he|she|they|my \w+|[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?) (?P<last>last |"
    r"first )?(?P<verb>\w+)(?P<rest> .+)?$"
)
# Which of several such events is meant is no part of the event.
_WHICH = re.compile(r"\b(?:last|first|most recently)\b ", re.IGNORECASE)


@dataclass(frozen=True)
class ElapsedQuestion:
    """A question for the time since an event: the question for when it was, and the unit to count in ("" for none)."""

    when: str
    unit: str = ""
    is_first: bool = False


def elapsed_question(text: str) -> ElapsedQuestion | None:
    """Return what a question for the time since something asks, or None where it asks anything else."""
    bare = text.strip().rstrip("?!. ")
    for pattern in _ASKED:
        found = pattern.match(bare)
        if found is None:
            continue
        unit = (found.groupdict().get("unit") or "").lower()
        is_first = bool(re.search(r"\bfirst\b", found["event"]))
        event = _WHICH.sub("", found["event"])
        if " did " in found[0][: found.start("event")]:
            return ElapsedQuestion(f"When did {event}?", unit, is_first)
        clause = _CLAUSE.match(event)
        if clause is not None:
            verb = base_form(clause["verb"].lower())
            when = f"When did {clause['who']} {verb}{clause['rest'] or ''}?"
            return ElapsedQuestion(when, unit, is_first)
    return None


def event_sentence(
    question: GraphQuestion, supported: Sequence[ScoredSentence], *, is_first: bool, asked_at: datetime
) -> tuple[SourceSentence, datetime] | None:
    """Return the sentence that tells of the last (or first) such event with the event's day, or None.

    Only sentences that share as much of the question as the best one are compared: the last museum is not the last
    museum with a
    friend.
    """
    days: list[tuple[int, datetime, SourceSentence]] = []
    for item in supported:
        day = event_day(item.sentence)
        if day <= asked_at:
            shared = len(question.content & content_stems(own_part(question, item.sentence.text)))
            days.append((shared, day, item.sentence))
    if not days:
        return None
    most = max(shared for shared, _, _ in days)
    best = [(day, sentence) for shared, day, sentence in days if shared == most]
    day, sentence = (min if is_first else max)(best, key=lambda pair: pair[0])
    return sentence, day


def event_day(sentence: SourceSentence) -> datetime:
    """Return the day on which a sentence says that something was: by its own words, else when it was said."""
    for time in dates_in(sentence.text, said_at=sentence.said_at):
        start = time.during(sentence.said_at).start
        if start <= sentence.said_at or not TOLD_AS_PAST.search(sentence.text):
            return start
    return sentence.said_at


def elapsed_text(since: datetime, until: datetime, unit: str) -> str:
    """Return the time between two days in words, in a unit or in the one that fits: "5 months"."""
    days = (until.date() - since.date()).days
    months = (until.year - since.year) * 12 + until.month - since.month - (until.day < since.day)
    unit = unit or ("day" if days < 14 else "week" if days < 61 else "month" if months < 24 else "year")
    count = {"day": days, "week": days // 7, "month": months, "year": months // 12}[unit]
    return f"{count} {unit}{'' if count == 1 else 's'}"
