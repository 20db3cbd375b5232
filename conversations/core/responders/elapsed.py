"""How long ago something was: "How many months have passed since I last visited a museum with a friend?".

The event is asked for as "When did I visit a museum with a friend?", and the time since then is counted.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from memory.core.english.inflection import base_form

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


def elapsed_question(text: str) -> ElapsedQuestion | None:
    """Return what a question for the time since something asks, or None where it asks anything else."""
    bare = text.strip().rstrip("?!. ")
    for pattern in _ASKED:
        found = pattern.match(bare)
        if found is None:
            continue
        unit = (found.groupdict().get("unit") or "").lower()
        event = _WHICH.sub("", found["event"])
        if " did " in found[0][: found.start("event")]:
            return ElapsedQuestion(f"When did {event}?", unit)
        clause = _CLAUSE.match(event)
        if clause is not None:
            verb = base_form(clause["verb"].lower())
            when = f"When did {clause['who']} {verb}{clause['rest'] or ''}?"
            return ElapsedQuestion(when, unit)
    return None


def elapsed_text(since: datetime, until: datetime, unit: str) -> str:
    """Return the time between two days in words, in a unit or in the one that fits: "5 months"."""
    days = (until.date() - since.date()).days
    months = (until.year - since.year) * 12 + until.month - since.month - (until.day < since.day)
    unit = unit or ("day" if days < 14 else "week" if days < 61 else "month" if months < 24 else "year")
    count = {"day": days, "week": days // 7, "month": months, "year": months // 12}[unit]
    return f"{count} {unit}{'' if count == 1 else 's'}"
