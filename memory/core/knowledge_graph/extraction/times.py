"""Date expressions in a sentence: where they stand and what time they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from memory.core.knowledge_graph.extraction.trees import Tree
from memory.core.ports import DateResolver
from memory.core.types import TimeSpan

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WEEKDAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_NUMBER = r"(?:\d{1,3}|a couple(?: of)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_UNIT = r"(?:days?|weeks?|months?|years?|decades?)"
_YEAR = r"(?:1[89]|20)\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_EXPRESSION = re.compile(
    r"\b(?:(?P<lead>ever since|since|in|on|from|until|till|by|during|for|at|around|about|as of|after|"
    r"before|starting) )?"
    r"(?:(?:early|late|mid)[ -])?(?:back in )?(?P<date>"
    rf"{_YEAR}-\d\d-\d\d|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}"
    rf"|(?:the )?{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR})?|{_MONTH} (?:the )?{_DAY}\b(?:,? {_YEAR})?(?! ?%)"
    rf"|{_MONTH}(?: of)?,? {_YEAR}|(?:the )?(?:spring|summer|fall|autumn|winter) (?:of )?{_YEAR}"
    rf"|(?:the )?(?:day before yesterday|day after tomorrow)|yesterday|today|tomorrow|tonight|last night"
    rf"|(?:last|past|this|next|this past|this coming|the following) (?:{_WEEKDAY}|{_MONTH}|week(?:end)?|"
    rf"month|year|spring|summer|fall|"
    rf"autumn|winter|decade)\b|{_NUMBER} {_UNIT} ago|(?:the )?(?:19|20)?\d0'?s\b"
    rf"|{_WEEKDAY}|{_YEAR}\b(?! (?:people|dollars|euros|km|miles|calories|steps))"
    rf"|(?<=in ){_NUMBER} {_UNIT}|(?<=for )(?:about |over |almost |nearly )?{_NUMBER} {_UNIT}"
    rf"|(?<=in ){_MONTH}|(?<=since ){_MONTH}|(?<=until ){_MONTH}|(?<=last ){_MONTH})",
    re.IGNORECASE,
)
# Without one of these words before it, "may" is a verb, "march" too, and a number is a number.
_NEEDS_LEAD = re.compile(r"^(?:may|march)$", re.IGNORECASE)


@dataclass(frozen=True)
class TimeMention:
    """A date expression: its tokens, the preposition before it ("since", "until"; "for" with a length), and its time."""

    tokens: tuple[int, ...]
    text: str
    lead: str
    time: TimeSpan

    @property
    def starts(self) -> bool:
        return self.lead in ("since", "ever since", "from", "starting", "as of", "for")

    @property
    def ends(self) -> bool:
        return self.lead in ("until", "till", "before")


def find_times(tree: Tree, *, dates: DateResolver, said_at: datetime) -> list[TimeMention]:
    """Return the date expressions of a sentence that mean a time; lengths ("for three years") count back from now."""
    found = list[TimeMention]()
    for match in _EXPRESSION.finditer(tree.text):
        lead, date = (match["lead"] or "").lower(), match["date"]
        if _NEEDS_LEAD.match(date) and lead not in ("in", "since", "until"):
            continue
        time = _resolved(lead, date, dates, said_at)
        tokens = tuple(
            token.index
            for token in tree.tokens
            if token.start >= match.start() and token.end <= match.end() + 1 and token.pos != "PUNCT"
        )
        if found and not lead and _closes(tree.text[: match.start()], found[-1]):
            lead = "until"
        if time is not None and tokens:
            found.append(TimeMention(tokens, date, lead, time))
    return found


def _closes(before: str, last: TimeMention) -> bool:
    """Return whether a date closes a period: "2018" of "from 2015 to 2018"."""
    return (
        last.lead in ("from", "between")
        and re.search(r"\d\S*\s+(?:to|and|-|–)\s*(?:the\s+)?$|[-–]$", before) is not None
    )


def _resolved(lead: str, date: str, dates: DateResolver, said_at: datetime) -> TimeSpan | None:
    if lead == "for":
        bare = re.sub(r"^(?:about|over|almost|nearly) ", "", date.lower())
        return dates.resolve(f"{bare} ago", said_at=said_at)
    is_ahead = lead == "in" and re.fullmatch(rf"{_NUMBER} {_UNIT}", date, re.IGNORECASE)
    return dates.resolve(f"in {date}" if is_ahead else date, said_at=said_at)
