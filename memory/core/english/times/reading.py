"""Finds the times that a text names, with what bounds them, what part of them is meant, and the clock.

Tells whether a clause names a time to come, by the forms of its verbs: "I start on Monday", but "I started on Monday".

Words that name nothing but a time ("on Monday") tell neither; so does a clause that is cut off from its verb. No parse is
asked, since times are read where there is none; a form that is misjudged moves a weekday by a week.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from memory.core.english.inflection import is_past_form
from memory.core.english.numbers import CARDINAL, COUNT, ORDINAL, is_vague, number_of
from memory.core.english.times.dated import (
    DATE,
    DATED,
    DECADES,
    NAMED_UNIT,
    PART,
    PARTS,
    RELATIVE,
    STEPS,
    read_ago,
    read_length,
)
from memory.core.english.times.periods import Frame, Period, Reader, stepped, unit_named
from memory.core.english.times.reference import (
    CLOCK,
    DAYPART,
    MONTH,
    WEEKDAY,
    Granularity,
    PartialDate,
    TimeReference,
    clock_behind,
    clock_time,
)
from memory.core.types import Span

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_BETWEEN = re.compile(
    r"[.;:!?\n]+(?:\s|$)|,|\s[–—-]+\s|\s(?:and|but|or|so|then|because|which|who|while|although)\s", re.IGNORECASE
)
# "The roof is being repaired on Monday", "I'm excited for Friday".
_PRESENT = frozenset("am is are i'm he's she's it's we're you're they're be being get gets".split())
_AUXILIARY_REACH = 2


def is_ahead(text: str, start: int, end: int) -> bool:
    """Return whether the time that `text[start:end]` names is to come; False where nothing tells.

    The clause that names it decides, or the next one where it names nothing else: "On Monday, I start at Bosch".
    """
    bounds = [0, *(found.end() for found in _BETWEEN.finditer(text)), len(text)]
    own = max(place for place, bound in enumerate(bounds[:-1]) if bound <= start)
    clauses = [text[first:last] for first, last in pairwise(bounds)]
    clauses[own] = text[bounds[own] : start] + " " + text[max(end, bounds[own]) : bounds[own + 1]]
    for clause in (clauses[own], *clauses[own + 1 : own + 2]):
        words = [word.lower() for word in _WORD.findall(clause)]
        if len(words) > 1:
            return not _tells_past(words)
    return False


def _tells_past(words: list[str]) -> bool:
    return any(
        is_past_form(word)
        and not (word.endswith("ed") and _PRESENT & set(words[max(0, place - _AUXILIARY_REACH) : place]))
        for place, word in enumerate(words)
    )


# Years that people count to from their own day; what a date names may be longer ago.
_COUNTED_YEARS = range(1800, 2200)
_LEADS = {
    "ever since": "since", "starting": "from", "starting in": "from", "starting on": "from", "starting from": "from",
    "as of": "from", "till": "until", "up to": "until", "back in": "in",
}  # fmt: skip
_AHEAD_LEADS, _PAST_LEADS = ("by", "until"), ("since",)
_FURTHEST_LEAD = 48
_PARTED = (Granularity.MONTH, Granularity.YEAR, Granularity.DECADE)


def times_in(text: str, *, said_at: datetime) -> list[TimeReference]:
    """Return the times that a text names, from left to right.

    A weekday or a day of a month that may be past or to come is the next one where its clause tells of no past.
    """
    found = list[TimeReference]()
    end = 0
    while (start := _STARTS.search(text, end)) is not None:
        end = start.end() + 1
        read = _longest(text, start.start())
        if read is not None:
            pattern_match, reader = read
            end = pattern_match.end()
            reference = _reference(text, pattern_match, reader, found, said_at)
            if reference is not None:
                found += [reference]
                end = reference.span.end
    return _with_ranges(text, found)


def dates_in(text: str, *, said_at: datetime) -> list[TimeReference]:
    """Return the times that a text names, without the lengths ("for six years")."""
    return [time for time in times_in(text, said_at=said_at) if not time.is_length]


def dates_across(text: str, span: Span, *, said_at: datetime) -> list[TimeReference]:
    """Return the times that a text names, without the lengths, of which some words are in a span."""
    times = dates_in(text, said_at=said_at)
    return [time for time in times if time.span.start < span.end and span.start < time.span.end]


def time_of(text: str, *, said_at: datetime) -> TimeReference | None:
    """Return the time that a whole text names, or None where the text says anything else."""
    found = times_in(text, said_at=said_at)
    is_whole = len(found) == 1 and not (text[: found[0].span.start] + text[found[0].span.end :]).strip(" .,!?;:")
    return found[0] if is_whole else None


def _longest(text: str, start: int) -> tuple[re.Match[str], Reader] | None:
    matches = ((pattern.match(text, start), reader) for pattern, reader in _READERS)
    found = [(match, reader) for match, reader in matches if match is not None]
    return max(found, key=lambda pair: pair[0].end()) if found else None


def _reference(
    text: str,
    match: re.Match[str],
    reader: Reader,
    found: list[TimeReference],
    said_at: datetime,
) -> TimeReference | None:
    begin = max(found[-1].span.end if found else 0, match.start() - _FURTHEST_LEAD)
    before = _BEFORE.search(text, begin, match.start())
    assert before is not None, "the pattern matches the empty string"
    lead = _LEADS.get(before["lead"].lower(), before["lead"].lower()) if before["lead"] else ""
    lead = lead or ("about" if before["rough"] else "")
    ahead = lead in _AHEAD_LEADS or lead not in _PAST_LEADS and is_ahead(text, before.start(), match.end())
    meant = _meant(match, reader, Frame(said_at, lead, text[begin : match.start()], ahead))
    if meant is None:
        return None
    end, clock, begin = match.end(), "", before.start()
    if meant.granularity is Granularity.DAY:
        end, clock = clock_behind(text, end)
        clock = clock or (clock_time(before["clock"]) if before["clock"] else meant.clock)
        clock = clock or (before["daypart"] or "").lower()
    if reader is read_length and lead != "in" or lead == "for":
        lead = "for" if reader is read_length else ""
    elif reader is read_ago and lead == "from":
        # "Where did she move from two years ago?"
        lead, begin = "", before.start("core")
    onward = _ONWARD.match(text, end) if lead in ("from", "since") else None
    part = PARTS.get((before["part"] or "").lower(), "") if meant.granularity in _PARTED else ""
    start, last = _exactly(meant, part)
    return TimeReference(
        start=start,
        end=last,
        granularity=meant.granularity,
        span=Span(begin, end if onward is None else onward.end()),
        words=text[before.start("core") : end],
        lead=lead,
        relative_to=meant.relative_to,
        is_of_any_year=meant.is_of_any_year,
        part=part,
        clock=clock,
        is_vague=meant.is_vague,
    )


def _meant(match: re.Match[str], reader: Reader, frame: Frame) -> Period | None:
    try:
        meant = reader(match, frame)
        if meant is None or meant.relative_to is None:
            return meant
        is_counted = meant.first.year in _COUNTED_YEARS and meant.last.year in _COUNTED_YEARS
    except (ValueError, OverflowError):
        # There is no such day ("31 February"), or it is out of all calendars.
        return None
    return meant if is_counted else None


def _exactly(meant: Period, part: str) -> tuple[PartialDate, PartialDate]:
    """Return the first and the last part of a time in the parts that its words name."""
    first, last = meant.first, meant.last
    match meant.granularity:
        case Granularity.MONTH if part:
            ends = {"early": (1, 10), "mid": (11, 20), "late": (21, last.day)}[part]
            return PartialDate(first.year, first.month, ends[0]), PartialDate(first.year, first.month, ends[1])
        case Granularity.YEAR if part:
            ends = {"early": (1, 4), "mid": (5, 8), "late": (9, 12)}[part]
            return PartialDate(first.year, ends[0]), PartialDate(first.year, ends[1])
        case Granularity.DECADE if part:
            ends = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}[part]
            return PartialDate(first.year + ends[0]), PartialDate(first.year + ends[1])
        case Granularity.MONTH | Granularity.SEASON:
            return PartialDate(first.year, first.month), PartialDate(last.year, last.month)
        case Granularity.YEAR | Granularity.DECADE:
            return PartialDate(first.year), PartialDate(last.year)
    return PartialDate(first.year, first.month, first.day), PartialDate(last.year, last.month, last.day)


def _with_ranges(text: str, found: list[TimeReference]) -> list[TimeReference]:
    """Return the times with the two ends of a range named as such: "from 2015 to 2018", "2015-2018"."""
    ranged = list(found)
    for index, (first, last) in enumerate(pairwise(found)):
        between = text[first.span.end : last.span.start].lower().strip()
        is_open = first.lead in ("from", "between") and between in ("to", "and", "through", "-", "–", "—", "")
        is_bare = not first.lead and between in ("to", "-", "–", "—") and first.granularity is last.granularity
        if (is_open and (between or last.lead == "until")) or is_bare:
            ranged[index] = replace(first, lead=first.lead or "from")
            ranged[index + 1] = replace(last, lead="until")
    return ranged


def _read_beside(match: re.Match[str], frame: Frame) -> Period | None:
    of = time_of(match["date"], said_at=frame.said_at)
    if of is None:
        return None
    unit, side = unit_named(match["unit"]), match["side"].lower()
    step = {"of": 0, "before": -1}.get(side, 1) * (number_of(match["count"] or "one") or 0)
    day = of.start.first if step <= 0 else of.end.last
    meant = stepped(day, unit, step)
    return replace(
        meant, relative_to=day, is_of_any_year=of.is_of_any_year, clock="", is_vague=is_vague(match["count"] or "one")
    )


_BEFORE = re.compile(
    r"(?ai:(?:(?<!\w)(?P<lead>ever since|since|starting(?: on| in| from)?|from|as of|until|till|up to|by|before|after|"
    r"back in|in|on|at|during|for|over|around|about|circa|throughout|between|of)\s+)?"
    r"(?:(?<!\w)(?P<rough>about|around|almost|nearly|over|roughly|approximately|more than|at least)\s+)?"
    rf"(?:(?<!\w)(?P<clock>{CLOCK})\s+(?:on\s+)?)?"
    rf"(?:(?<!\w)(?:the\s+)?(?P<daypart>{DAYPART})\s+of\s+)?"
    rf"(?P<core>(?<!\w)(?:the\s+)?(?:(?P<part>{PART})[\s-]+(?:in\s+)?)?(?:the\s+)?(?:year\s+(?=$))?))$"
)
_ONWARD = re.compile(r"(?ai:\s+onwards?\b|\s+on(?=\s*(?:$|[.,;:!?])))")
_BESIDE = (
    rf"(?:(?P<count>{COUNT}) )?(?P<unit>{NAMED_UNIT}) "
    rf"(?P<side>before|after|following|from|(?<=week )of|(?<=weekend )of) (?P<date>{DATE})"
)
_READERS = tuple(
    (re.compile(rf"(?ai:{pattern})(?!\w)".replace(" ", r"\s")), reader)
    for pattern, reader in (*RELATIVE, (_BESIDE, _read_beside), *DATED)
)
# Where a phrase can begin: a digit that continues no other number, or one of the words that phrases begin with.
_STARTS = re.compile(
    r"(?<![\w.,/:$€£#-])(?=['’]?\d)|(?:(?<=[12]\d\d\d-)|(?<=mid-))(?=\d)|(?<!\w)(?ai:(?="
    rf"to(?:day|night|morrow)|yesterday|day\s|(?:{'|'.join(step for step in STEPS if ' ' not in step)})\s|"
    rf"(?:an?|half a)\s(?:couple|few|dozen|hour|{NAMED_UNIT})|several\s|(?:{CARDINAL}|{ORDINAL})\b|"
    rf"(?:{NAMED_UNIT}|{WEEKDAY}|{MONTH}|{'|'.join(DECADES)})\b))",
)
