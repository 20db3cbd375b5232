"""Reads the dates and times that a text names: "yesterday", "the week before 14 June", "since May", "for six years".

A phrase means a time as exact as its words ("in 2019" is a whole year), counted from the day on which it was said. What may
be read in two ways (05/07/2023), a clock time without a day, and what comes again and again ("on Mondays") are left unread. A
year that is left out is the nearest one: most of what people tell is past, half a year ahead at most.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from itertools import pairwise

from memory.core.english.numbers import CARDINAL, COUNT, ORDINAL, is_vague, number_of, ordinal_of
from memory.core.types import Span, TimeSpan

MONTHS = tuple(calendar.month_name[1:])
WEEKDAYS = tuple(calendar.day_name)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
# Years that people count to from their own day; what a date names may be longer ago.
_COUNTED_YEARS = range(1800, 2200)
_HALF_A_YEAR = timedelta(days=183)

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b(?:\.(?=,?\s\d))?"
)
DAY_NAME = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_WEEKDAY = rf"(?:{DAY_NAME}|(?:mon|tues?|weds?|thurs?|fri|sat|sun)\b(?:\.(?=,?\s\d))?)"
_SEASON = "(?:spring|summer|autumn|fall|winter)"
_YEAR = r"(?:1\d|2[01])\d\d"
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|{ORDINAL})"
_WHOLE = r"week(?:end)?|month|year|yr|decade"
_UNIT = rf"(?:hour|day|night|{_WHOLE})"
_DAYPART = "morning|afternoon|evening|night"
_CLOCK = (
    r"(?:(?:1[0-2]|0?[1-9])(?::[0-5]\d)?\s?[ap](?:\.m\.|m\b)|(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?!\d)|noon\b|"
    r"midnight\b)"
)


class Granularity(StrEnum):
    """How exact the words for a time are."""

    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"
    DECADE = "decade"


@dataclass(frozen=True)
class PartialDate:
    """A date as far as it is stated: a year, a month of a year, a day; "7 May" has no year."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    @staticmethod
    def of(iso: str) -> PartialDate:
        """Return the date of "2023", "2023-05" or "2023-05-07"."""
        return PartialDate(*(int(part) for part in iso.split("-")))

    def __str__(self) -> str:
        parts = (f"{self.year or 0:04}", *(f"{part:02}" for part in (self.month, self.day) if part))
        return "-".join(parts)

    @property
    def first(self) -> date:
        """The first day of a date that has a year. Raises `ValueError` where the calendar has no such day."""
        return date(self.year or 0, self.month or 1, self.day or 1)

    @property
    def last(self) -> date:
        """The last day of a date that has a year. Raises `ValueError` where the calendar has no such day."""
        month = self.month or 12
        return date(self.year or 0, month, self.day or calendar.monthrange(self.year or 0, month)[1])


@dataclass(frozen=True)
class TimeReference:
    """A phrase for a time and what it means.

    `start` and `end` are the first and the last part of the time that is named. `lead` is the preposition that says how it
    bounds something ("since", "until", "by"; "for" with a length, whose time is its beginning). `span` is where the phrase
    stands, `words` its words behind the preposition. `relative_to` is the day that it was counted from, None for a date that
    says all of itself; `is_of_any_year` where its year was left out. `part` is early, mid or late; `clock` a time or a part
    of the day. `is_vague` marks a count that is none ("a few years ago").
    """

    start: PartialDate
    end: PartialDate
    granularity: Granularity
    span: Span
    words: str
    lead: str = ""
    relative_to: date | None = None
    is_of_any_year: bool = False
    part: str = ""
    clock: str = ""
    is_vague: bool = False

    @property
    def is_dated(self) -> bool:
        """Whether the words state a date of the calendar, rather than count from the day on which they were said."""
        return self.relative_to is None or self.is_of_any_year

    @property
    def is_length(self) -> bool:
        """Whether the words are a length that goes on until now, and the time is its beginning: "for six years"."""
        return self.lead == "for"

    @property
    def starts(self) -> bool:
        """Whether something begins at the time: "since 2019", "for six years"."""
        return self.lead in ("since", "from", "between", "for")

    @property
    def ends(self) -> bool:
        """Whether something ends at the time: "until May"."""
        return self.lead in ("until", "before")

    def during(self, said_at: datetime) -> TimeSpan:
        """Return the time in the time zone of its speaker, from the first midnight to the one after its last day."""
        first, last = (datetime.combine(day, time(), said_at.tzinfo) for day in (self.start.first, self.end.last))
        return TimeSpan(first, last + timedelta(days=1))


@dataclass(frozen=True)
class _Frame:
    """What a phrase is read in: the day and the words before it."""

    said_at: datetime
    lead: str
    before: str
    is_ahead: bool

    @property
    def today(self) -> date:
        return self.said_at.date()


@dataclass(frozen=True)
class _Meant:
    first: date
    last: date
    granularity: Granularity
    relative_to: date | None = None
    is_of_any_year: bool = False
    clock: str = ""
    is_vague: bool = False


_Reader = Callable[[re.Match[str], _Frame], _Meant | None]


def times_in(text: str, *, said_at: datetime, is_ahead: bool = False) -> list[TimeReference]:
    """Return the times that a text names, from left to right.

    Where `is_ahead`, a weekday or a day of a month that may be past or to come is the next one: "on Friday" of a plan.
    """
    found = list[TimeReference]()
    end = 0
    while (start := _STARTS.search(text, end)) is not None:
        end = start.end() + 1
        read = _longest(text, start.start())
        if read is not None:
            pattern_match, reader = read
            end = pattern_match.end()
            reference = _reference(text, pattern_match, reader, found, said_at, is_ahead)
            if reference is not None:
                found += [reference]
                end = reference.span.end
    return _with_ranges(text, found)


def dates_in(text: str, *, said_at: datetime, is_ahead: bool = False) -> list[TimeReference]:
    """Return the times that a text names, without the lengths ("for six years")."""
    return [time for time in times_in(text, said_at=said_at, is_ahead=is_ahead) if not time.is_length]


def time_of(text: str, *, said_at: datetime) -> TimeReference | None:
    """Return the time that a whole text names, or None where the text says anything else."""
    found = times_in(text, said_at=said_at)
    is_whole = len(found) == 1 and not (text[: found[0].span.start] + text[found[0].span.end :]).strip(" .,!?;:")
    return found[0] if is_whole else None


def stated_date(text: str) -> PartialDate:
    """Return the year, the month and the day that a text states, each where it states exactly one: "7 May" has no year."""
    iso = _ISO_DATE.fullmatch(text)
    if iso is not None:
        return PartialDate(*(int(part) for part in iso.groups()))
    months = [_month(name) for name in _STATED_MONTH.findall(text)]
    years, days = ([int(number) for number in pattern.findall(text)] for pattern in (_STATED_YEAR, _STATED_DAY))
    year, month, day = (parts[0] if len(parts) == 1 else None for parts in (years, months, days))
    return PartialDate(year, month, day)


def _longest(text: str, start: int) -> tuple[re.Match[str], _Reader] | None:
    matches = ((pattern.match(text, start), reader) for pattern, reader in _READERS)
    found = [(match, reader) for match, reader in matches if match is not None]
    return max(found, key=lambda pair: pair[0].end()) if found else None


def _reference(
    text: str,
    match: re.Match[str],
    reader: _Reader,
    found: list[TimeReference],
    said_at: datetime,
    is_ahead: bool,
) -> TimeReference | None:
    begin = max(found[-1].span.end if found else 0, match.start() - _FURTHEST_LEAD)
    before = _BEFORE.search(text, begin, match.start())
    assert before is not None, "the pattern matches the empty string"
    lead = _LEADS.get(before["lead"].lower(), before["lead"].lower()) if before["lead"] else ""
    lead = lead or ("about" if before["rough"] else "")
    part = _PARTS.get((before["part"] or "").lower(), "")
    frame = _Frame(said_at, lead, text[begin : match.start()], is_ahead or lead in ("by", "until"))
    try:
        meant = reader(match, frame)
        if (
            meant is None
            or meant.relative_to is not None
            and not (meant.first.year in _COUNTED_YEARS and meant.last.year in _COUNTED_YEARS)
        ):
            return None
    except (ValueError, OverflowError):
        # There is no such day ("31 February"), or it is out of all calendars.
        return None
    end, clock = match.end(), meant.clock or (before["daypart"] or "").lower()
    if before["clock"]:
        clock = _clock(before["clock"])
    behind = _BEHIND.match(text, end) if meant.granularity is Granularity.DAY else None
    if behind is not None:
        end, clock = (
            behind.end(),
            _clock(behind["clock"]) if behind["clock"] else (behind["daypart"] or "").lower() or clock,
        )
    begin = before.start()
    if reader is _read_length and lead != "in" or lead == "for":
        lead = "for" if reader is _read_length else ""
    elif reader is _read_ago and lead == "from":
        # "Where did she move from two years ago?"
        lead, begin = "", before.start("core")
    words = text[before.start("core") : end]
    onward = _ONWARD.match(text, end) if lead in ("from", "since") else None
    start, last = _exactly(meant, part)
    return TimeReference(
        start=start,
        end=last,
        granularity=meant.granularity,
        span=Span(begin, end if onward is None else onward.end()),
        words=words,
        lead=lead,
        relative_to=meant.relative_to,
        is_of_any_year=meant.is_of_any_year,
        part=part if meant.granularity in _PARTED else "",
        clock=clock if meant.granularity is Granularity.DAY else "",
        is_vague=meant.is_vague,
    )


def _exactly(meant: _Meant, part: str) -> tuple[PartialDate, PartialDate]:
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


def _clock(words: str) -> str:
    """Return a clock time as "17:30"."""
    text = words.lower().replace(".", "").replace(" ", "")
    if text in ("noon", "midnight"):
        return "12:00" if text == "noon" else "00:00"
    hour, _, minute = text.rstrip("apm").partition(":")
    shift = 12 if text.endswith("pm") and hour != "12" else -12 if text.endswith("am") and hour == "12" else 0
    return f"{int(hour) + shift:02}:{minute[:2] or '00'}"


def _month(name: str) -> int:
    return next(number for number, month in enumerate(MONTHS, start=1) if month.lower().startswith(name[:3].lower()))


def _weekday(name: str) -> int:
    return next(number for number, day in enumerate(WEEKDAYS) if day.lower().startswith(name[:3].lower()))


def _day(words: str) -> int:
    return int(words) if words.isdigit() else ordinal_of(words) or 0


def _on(day: date, **kinds: object) -> _Meant:
    return replace(_Meant(day, day, Granularity.DAY), **kinds)  # type: ignore[arg-type]


def _whole_month(year: int, month: int) -> _Meant:
    of = PartialDate(year, month)
    return _Meant(of.first, of.last, Granularity.MONTH)


def _whole_season(year: int, season: str) -> _Meant:
    month = SEASONS[season]
    last = PartialDate(year + (month + 2) // 13, (month + 1) % 12 + 1)
    return _Meant(date(year, month, 1), last.last, Granularity.SEASON)


def _whole_years(year: int, length: int = 1) -> _Meant:
    granularity = Granularity.YEAR if length == 1 else Granularity.DECADE
    return _Meant(date(year, 1, 1), date(year + length - 1, 12, 31), granularity)


def _stepped(day: date, unit: str, step: int) -> _Meant:
    """Return the unit that lies `step` units after that of a day; for a weekday, month or season the `step`-th of them."""
    if unit in ("day", "night"):
        return _on(day + timedelta(step), clock="night" if unit == "night" else "")
    if unit in ("week", "weekend"):
        monday = day + timedelta(7 * step - day.weekday())
        if unit == "week":
            return _Meant(monday, monday + timedelta(6), Granularity.WEEK)
        return _Meant(monday + timedelta(5), monday + timedelta(6), Granularity.WEEKEND)
    if unit == "month":
        year, month = divmod(day.year * 12 + day.month - 1 + step, 12)
        return _whole_month(year, month + 1)
    if unit in ("year", "yr"):
        return _whole_years(day.year + step)
    if unit == "decade":
        return _whole_years((day.year // 10 + step) * 10, 10)
    if unit in SEASONS or unit in _MONTH_NAMES:
        return _stepped_yearly(day, unit, step)
    ahead = (_weekday(unit) - day.weekday()) % 7
    first = ahead - 7 if step < 0 else ahead or 7 if step > 0 else ahead
    return _on(day + timedelta(first + 7 * (step + 1 if step < 0 else max(step - 1, 0))))


def _stepped_yearly(day: date, unit: str, step: int) -> _Meant:
    """Return the `step`-th month or season of a name that is over (below 0) or to come; the one of a day's year for 0."""
    of_years = [_of_year(day.year + shift, unit) for shift in range(min(step, 0) - 1, max(step, 0) + 2)]
    if step < 0:
        return [one for one in of_years if one.last < day][step]
    if step > 0:
        return [one for one in of_years if one.first > day][step - 1]
    return next((one for one in of_years if one.first <= day <= one.last), _of_year(day.year, unit))


def _of_year(year: int, unit: str) -> _Meant:
    return _whole_season(year, unit) if unit in SEASONS else _whole_month(year, _month(unit))


def _of_nearest_year(frame: _Frame, in_year: Callable[[int], _Meant]) -> _Meant:
    """Return what recurs every year in the year that is meant by who leaves it out."""
    year = frame.today.year
    this = in_year(year)
    if this.first - frame.today > _HALF_A_YEAR:
        this = in_year(year - 1)
    return replace(this, relative_to=frame.today, is_of_any_year=True)


def _read_near(match: re.Match[str], frame: _Frame) -> _Meant:
    words = match[0].lower().split()
    step = {"yesterday": -1, "tomorrow": 1}.get(words[-1], 0)
    if words[0] == "day":
        step *= 2
    return _on(frame.today + timedelta(step), relative_to=frame.today, clock="night" if words[-1] == "tonight" else "")


def _read_which(match: re.Match[str], frame: _Frame) -> _Meant | None:
    which, name = " ".join(match["which"].lower().split()), match["unit"]
    step = _STEPS[which]
    unit = _unit(name)
    if unit in _DAYPART.split("|") and (unit, step) != ("night", -1):
        return _on(frame.today, relative_to=frame.today, clock=unit) if step == 0 and unit != "night" else None
    # "This may" and "this march" are words like others.
    if name in ("may", "march") and step == 0:
        return None
    return replace(_stepped(frame.today, unit, step), relative_to=frame.today)


def _read_before_last(match: re.Match[str], frame: _Frame) -> _Meant:
    step = -2 if match["which"].lower() == "before last" else 2
    return replace(_stepped(frame.today, _unit(match["unit"]), step), relative_to=frame.today)


def _read_weekday(match: re.Match[str], frame: _Frame) -> _Meant | None:
    name = match["weekday"]
    is_short = not name.lower().endswith("day")
    if _NO_DAY_BEFORE.search(frame.before) or is_short and frame.lead not in ("on", "by", "since", "until", "from"):
        return None
    ahead = (_weekday(name) - frame.today.weekday()) % 7
    return _on(frame.today + timedelta(ahead if frame.is_ahead or not ahead else ahead - 7), relative_to=frame.today)


def _read_weekend(match: re.Match[str], frame: _Frame) -> _Meant | None:
    if frame.lead != "over":
        return None
    meant = _stepped(frame.today, "weekend", 0)
    over = meant if frame.is_ahead or meant.first <= frame.today else _stepped(frame.today, "weekend", -1)
    return replace(over, relative_to=frame.today)


def _counted(match: re.Match[str], day: date, said_at: datetime, direction: int) -> _Meant:
    """Return the unit that lies a count of units from a day; hours are counted from the moment."""
    unit, count = _unit(match["unit"]), number_of(match["count"]) or 0
    vague = is_vague(match["count"])
    half = "and a half" in match[0].lower()
    if unit == "hour":
        meant = _on((said_at + timedelta(hours=direction * count)).date())
    elif half and unit in ("year", "yr"):
        meant = _stepped(day, "month", direction * (12 * count + 6))
    else:
        meant = _stepped(day, unit, direction * count)
    return replace(meant, relative_to=day, clock="", is_vague=vague)


def _read_ago(match: re.Match[str], frame: _Frame) -> _Meant:
    return _counted(match, frame.today, frame.said_at, -1)


def _read_hence(match: re.Match[str], frame: _Frame) -> _Meant:
    return _counted(match, frame.today, frame.said_at, 1)


def _read_length(match: re.Match[str], frame: _Frame) -> _Meant | None:
    if frame.lead == "in" and not match["past"]:
        return _counted(match, frame.today, frame.said_at, 1)
    if frame.lead == "for" and not match["time"] or match["past"] and frame.lead in ("in", "over", "during"):
        return _counted(match, frame.today, frame.said_at, -1)
    return None


def _read_beside(match: re.Match[str], frame: _Frame) -> _Meant | None:
    of = time_of(match["date"], said_at=frame.said_at)
    if of is None:
        return None
    unit, side = _unit(match["unit"]), match["side"].lower()
    step = {"of": 0, "before": -1}.get(side, 1) * (number_of(match["count"] or "one") or 0)
    day = of.start.first if step <= 0 else of.end.last
    meant = _stepped(day, unit, step)
    return replace(
        meant, relative_to=day, is_of_any_year=of.is_of_any_year, clock="", is_vague=is_vague(match["count"] or "one")
    )


def _read_iso(match: re.Match[str], frame: _Frame) -> _Meant:
    clock = match["clock"] or ""
    return _on(date(int(match["year"]), int(match["month"]), int(match["day"])), clock=clock)


def _read_numeric(match: re.Match[str], frame: _Frame) -> _Meant | None:
    first, second, written = int(match["first"]), int(match["second"]), match["year"] or ""
    if not written and frame.lead not in _DATED_LEADS:
        return None
    if match["separator"] != "." and first <= 12 and second <= 12 and first != second:
        return None
    day, month = (first, second) if second <= 12 else (second, first)
    if not written:
        return _of_nearest_year(frame, lambda year: _on(date(year, month, day)))
    year = int(written) if len(written) == 4 else frame.today.year // 100 * 100 + int(written)
    return _on(date(year - (100 if len(written) == 2 and year > frame.today.year + 10 else 0), month, day))


def _read_calendar_day(match: re.Match[str], frame: _Frame) -> _Meant | None:
    month, written = _month(match["month"]), match["day"]
    first, last = _day(written), _day(match["last"] or written)
    if match["year"]:
        year = int(match["year"])
        return _Meant(date(year, month, first), date(year, month, last), Granularity.DAY)
    # "It may first rain", "we march 5 times".
    if match["month"] in ("may", "march") and not frame.lead and not re.fullmatch(r"\d+(?:st|nd|rd|th)", written):
        if match.start("month") < match.start("day"):
            return None

    def in_year(year: int) -> _Meant:
        # The 29th of February is in the leap year before.
        leap = next(of for of in range(year, year - 9, -1) if calendar.isleap(of)) if (month, last) == (2, 29) else year
        return _Meant(date(leap, month, first), date(leap, month, last), Granularity.DAY)

    return _of_nearest_year(frame, in_year)


def _read_month_of_year(match: re.Match[str], frame: _Frame) -> _Meant:
    return _whole_month(int(match["year"]), _month(match["month"]))


def _read_month(match: re.Match[str], frame: _Frame) -> _Meant | None:
    is_part = _PARTED_BEFORE.search(frame.before) is not None
    # "I cook for June", "a photo of April".
    is_name = frame.lead in ("of", "for") and match["month"][:3].lower() in ("apr", "may", "jun", "aug", "jan")
    if not is_part and (is_name or frame.lead not in _MONTH_LEADS):
        return None
    return _of_nearest_year(frame, lambda year: _whole_month(year, _month(match["month"])))


def _read_season(match: re.Match[str], frame: _Frame) -> _Meant | None:
    season = match["season"].lower()
    if match["year"]:
        return _whole_season(int(match["year"]), season)
    if frame.lead not in ("since", "until", "over"):
        return None
    this = _of_nearest_year(frame, lambda year: _whole_season(year, season))
    is_to_come = this.first > frame.today and not frame.is_ahead
    return replace(_stepped(frame.today, season, -1), relative_to=frame.today) if is_to_come else this


def _read_decade(match: re.Match[str], frame: _Frame) -> _Meant | None:
    year = int(match["decade"] or 10 * (_DECADES.index(match["word"].lower()) + 2))
    if year < 100:
        if not re.search(r"\bthe\s", frame.before, re.IGNORECASE):
            return None
        year += 1900 if year > frame.today.year % 100 else 2000
    return _whole_years(year, 10)


def _read_year(match: re.Match[str], frame: _Frame) -> _Meant | None:
    is_led = frame.lead in _YEAR_LEADS or _PARTED_BEFORE.search(frame.before) is not None
    # A number by itself is a year where it is all, or where it ends a clause and is not far ahead: "Cyberpunk 2077" is none.
    is_bare = match["ending"] is not None and int(match["year"]) <= frame.today.year + 10
    return _whole_years(int(match["year"])) if is_led or is_bare or match[0] == match.string else None


def _read_day_of_month(match: re.Match[str], frame: _Frame) -> _Meant | None:
    if frame.lead not in _DATED_LEADS or not re.search(r"\bthe\s+$", frame.before, re.IGNORECASE):
        return None
    months = [_stepped(frame.today, "month", step).first for step in (-1, 0, 1, 2)]
    number = _day(match["day"])
    days = [month.replace(day=number) for month in months if number <= PartialDate(month.year, month.month).last.day]
    to_come = [day for day in days if day >= frame.today]
    day = to_come[0] if frame.is_ahead else min(days, key=lambda day: abs(day - frame.today))
    return _on(day, relative_to=frame.today)


def _unit(name: str) -> str:
    """Return the name of a unit in the singular: "weeks", "Fridays" (as "friday"), "yrs"."""
    low = name.lower().rstrip(".")
    return low[:-1] if low.endswith("s") and low[:-1] in _PLURAL_UNITS else low


_MONTH_NAMES = {"sept", *(name[:length].lower() for name in MONTHS for length in (3, 9))}
_PLURAL_UNITS = {
    *"hour day night week weekend month year yr decade".split(),
    *SEASONS,
    *(day.lower() for day in WEEKDAYS),
}
_DECADES = "twenties thirties forties fifties sixties seventies eighties nineties".split()
_STEPS = {
    "last": -1, "past": -1, "this past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1,
    "this coming": 1, "following": 1,
}  # fmt: skip
_PARTS = {
    "early": "early", "beginning of": "early", "start of": "early", "mid": "mid", "middle of": "mid", "late": "late",
    "end of": "late",
}  # fmt: skip
_PARTED = (Granularity.MONTH, Granularity.YEAR, Granularity.DECADE)
_LEADS = {
    "ever since": "since", "starting": "from", "starting in": "from", "starting on": "from", "starting from": "from",
    "as of": "from", "till": "until", "up to": "until", "back in": "in",
}  # fmt: skip
_DATED_LEADS = ("on", "by", "since", "until", "from", "before", "after", "for")
_YEAR_LEADS = tuple("in since until by from before after around about during of between circa".split())
_MONTH_LEADS = (*_YEAR_LEADS, "for", "over", "throughout")
_FURTHEST_LEAD = 48
_NAMED_UNIT = rf"(?:(?:day|night|{_WHOLE})s?|{DAY_NAME}s?|{_SEASON}s?)"
_CALENDAR = (
    rf"(?:{_YEAR}-\d\d-\d\d|(?:the\s)?{_DAY}\s(?:of\s)?{MONTH}(?:,?\s{_YEAR})?|{MONTH}\s{_DAY}(?:,?\s{_YEAR})?|"
    rf"{MONTH}\s{_YEAR})"
)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?ai:{pattern})(?!\w)".replace(" ", r"\s"))


_BEFORE = re.compile(
    r"(?ai:(?:(?<!\w)(?P<lead>ever since|since|starting(?: on| in| from)?|from|as of|until|till|up to|by|before|after|"
    r"back in|in|on|at|during|for|over|around|about|circa|throughout|between|of)\s+)?"
    r"(?:(?<!\w)(?P<rough>about|around|almost|nearly|over|roughly|approximately|more than|at least)\s+)?"
    rf"(?:(?<!\w)(?P<clock>{_CLOCK})\s+(?:on\s+)?)?"
    rf"(?:(?<!\w)(?:the\s+)?(?P<daypart>{_DAYPART})\s+of\s+)?"
    r"(?P<core>(?<!\w)(?:the\s+)?(?:(?P<part>early|mid|late|beginning of|start of|middle of|end of)[\s-]+(?:in\s+)?)?"
    r"(?:the\s+)?(?:year\s+(?=$))?))$"
)
_BEHIND = re.compile(
    rf"(?ai:(?:\s+(?:in the\s+|at\s+)?(?P<daypart>{_DAYPART}))?(?:,?\s+(?:at\s+|around\s+|by\s+)?(?P<clock>{_CLOCK}))?)(?!\w)"
)
_ONWARD = re.compile(r"(?ai:\s+onwards?\b|\s+on(?=\s*(?:$|[.,;:!?])))")
_PARTED_BEFORE = re.compile(
    r"(?ai:(?<!\w)(?:early|mid|late|beginning of|start of|middle of|end of)[\s-]+(?:in\s+)?(?:the\s+)?$)"
)
# What comes again and again, and days that have another name.
_NO_DAY_BEFORE = re.compile(
    rf"(?ai:(?<!\w)(?:every|each|most|any|an?|one|some|black|good|ash|easter|{DAY_NAME}\s*(?:to|through|-|–))\s*$)"
)
_ENDING = (
    r"\s*(?:$|[.,;:!?)\]–—\"'’-])|\s+(?:and|or|to|but|from|with|at|in|on|when|after|before|until|till|by|for|because|so|as|"
    r"where|while|i|we|you|he|she|they|it|my|our|his|her|their|the)\b"
)
_STATED_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)", re.ASCII)
_STATED_DAY = re.compile(r"(?<![\w/.])(\d{1,2})(?:st|nd|rd|th)?(?![\w/])", re.IGNORECASE | re.ASCII)
_STATED_MONTH = re.compile(rf"(?<![^\W\d_]){MONTH}", re.IGNORECASE | re.ASCII)
_ISO_DATE = re.compile(r"\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:T.*)?\s*", re.ASCII)

_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (_compiled(pattern), reader)
    for pattern, reader in (
        (r"today|tonight|yesterday|tomorrow|day before yesterday|day after tomorrow", _read_near),
        (
            r"(?P<which>this past|this coming|last|past|previous|this|current|next|coming|following) "
            rf"(?P<unit>{_WHOLE}|{_DAYPART}|{_WEEKDAY}|{MONTH}|{_SEASON})",
            _read_which,
        ),
        (r"(?P<unit>week|weekend|month|year) (?P<which>before last|after next)", _read_before_last),
        (rf"(?P<weekday>{_WEEKDAY})(?! ?(?:to|through|-|–) ?{DAY_NAME})", _read_weekday),
        (r"weekend", _read_weekend),
        (
            rf"(?P<count>{COUNT})(?: and a half)? (?P<unit>hours?|{_NAMED_UNIT})(?: and a half)? "
            r"(?:ago|back|earlier)",
            _read_ago,
        ),
        (rf"(?P<count>{COUNT}) (?P<unit>{_UNIT})s? from (?:now|today)", _read_hence),
        (
            rf"(?:(?P<past>last|past) )?(?P<count>{COUNT}) (?P<unit>{_UNIT})s?(?P<time>['’]?s?['’]? time)?",
            _read_length,
        ),
        (
            rf"(?:(?P<count>{COUNT}) )?(?P<unit>{_NAMED_UNIT}) "
            rf"(?P<side>before|after|following|from|(?<=week )of|(?<=weekend )of) (?P<date>{_CALENDAR})",
            _read_beside,
        ),
        (
            r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
            r"(?:[T ](?P<clock>\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!-)",
            _read_iso,
        ),
        (
            r"(?P<first>\d{1,2})(?:(?P<separator>[/.-])(?P<second>\d{1,2})(?P=separator)(?P<year>\d{4}|(?<=/)\d\d)"
            r"(?![/.-]\d))",
            _read_numeric,
        ),
        (r"(?P<first>\d{1,2})(?P<separator>/)(?P<second>\d{1,2})(?P<year>)(?![/.]\d)", _read_numeric),
        (
            rf"(?:{_WEEKDAY},? (?:the )?)?(?P<day>{_DAY})(?:\s?(?:-|–|to|and)\s?(?P<last>{_DAY}))? (?:of )?"
            rf"(?P<month>{MONTH})(?:,? (?:of )?(?P<year>{_YEAR}))?",
            _read_calendar_day,
        ),
        (
            rf"(?:{_WEEKDAY},? )?(?P<month>{MONTH}) (?:the )?(?P<day>{_DAY})(?!:\d|,\d|\s?%)"
            rf"(?:\s?(?:-|–|to)\s?(?P<last>{_DAY}))?(?:,? (?:of )?(?P<year>{_YEAR}))?",
            _read_calendar_day,
        ),
        (rf"(?P<month>{MONTH})(?: of)?,? (?P<year>{_YEAR})", _read_month_of_year),
        (rf"(?P<month>{MONTH})", _read_month),
        (rf"(?P<season>{_SEASON})(?:(?: of)? (?P<year>{_YEAR}))?", _read_season),
        (rf"['’]?(?P<decade>(?:1[89]|2[01])?\d0)['’]?s|(?P<word>{'|'.join(_DECADES)})", _read_decade),
        (
            r"(?P<year>(?:1[89]|2[01])\d\d)(?! (?:people|dollars|euros|pounds|km|miles|calories|steps|times|years)\b)"
            rf"(?P<ending>(?={_ENDING}))?",
            _read_year,
        ),
        (rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th))(?={_ENDING})", _read_day_of_month),
    )
)
# Where a phrase can begin: a digit that continues no other number, or one of the words that phrases begin with.
_STARTS = re.compile(
    r"(?<![\w.,/:$€£#-])(?=['’]?\d)|(?:(?<=[12]\d\d\d-)|(?<=mid-))(?=\d)|(?<!\w)(?ai:(?="
    r"to(?:day|night|morrow)|yesterday|day\s|(?:last|past|previous|this|current|next|coming|following)\s|"
    rf"(?:an?|half a)\s(?:couple|few|dozen|hour|{_NAMED_UNIT})|several\s|(?:{CARDINAL}|{ORDINAL})\b|"
    rf"(?:{_NAMED_UNIT}|{_WEEKDAY}|{MONTH}|{'|'.join(_DECADES)})\b))",
)
