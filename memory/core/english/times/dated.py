"""Reads dates of the calendar, as far as they are stated: "7 May 2023", "05.12.2021", "in June", "the 90s"."""

from __future__ import annotations

import calendar
import re
from dataclasses import replace
from datetime import date, timedelta

from memory.core.english.numbers import COUNT, is_vague, number_of
from memory.core.english.times.periods import (
    Frame,
    Period,
    Reader,
    one_day,
    recurring_every,
    stepped,
    unit_named,
    whole_month,
    whole_season,
    whole_years,
)
from memory.core.english.times.reference import (
    DAY,
    DAY_NAME,
    DAYPART,
    DAYPARTS,
    MONTH,
    SEASON,
    WEEKDAY,
    YEAR,
    Granularity,
    PartialDate,
    day_number,
    month_number,
    weekday_number,
)

# A part of a month, a year or a decade, by the words before it.
PARTS = {
    "early": "early", "beginning of": "early", "start of": "early", "mid": "mid", "middle of": "mid", "late": "late",
    "end of": "late",
}  # fmt: skip
PART = rf"(?:{'|'.join(PARTS)})"
DECADES = "twenties thirties forties fifties sixties seventies eighties nineties".split()
# A date within another phrase: "the week before 7 May".
DATE = (
    rf"(?:{YEAR}-\d\d-\d\d|(?:the\s)?{DAY}\s(?:of\s)?{MONTH}(?:,?\s{YEAR})?|{MONTH}\s{DAY}(?:,?\s{YEAR})?|"
    rf"{MONTH}\s{YEAR})"
)
_DATED_LEADS = ("on", "by", "since", "until", "from", "before", "after", "for")
_YEAR_LEADS = tuple("in since until by from before after around about during of between circa".split())
_MONTH_LEADS = (*_YEAR_LEADS, "for", "over", "throughout")
_PART_BEFORE = re.compile(rf"(?ai:(?<!\w){PART}[\s-]+(?:in\s+)?(?:the\s+)?$)")
_ENDING = (
    r"\s*(?:$|[.,;:!?)\]–—\"'’-])|\s+(?:and|or|to|but|from|with|at|in|on|when|after|before|until|till|by|for|because|so|as|"
    r"where|while|i|we|you|he|she|they|it|my|our|his|her|their|the)\b"
)


def read_iso(match: re.Match[str], frame: Frame) -> Period:
    return one_day(date(int(match["year"]), int(match["month"]), int(match["day"])), clock=match["clock"] or "")


def read_numeric(match: re.Match[str], frame: Frame) -> Period | None:
    first, second, written = int(match["first"]), int(match["second"]), match["year"] or ""
    if not written and frame.lead not in _DATED_LEADS:
        return None
    if match["separator"] != "." and first <= 12 and second <= 12 and first != second:
        return None
    day, month = (first, second) if second <= 12 else (second, first)
    if not written:
        return frame.of_nearest_year(lambda year: one_day(date(year, month, day)))
    year = int(written) if len(written) == 4 else frame.today.year // 100 * 100 + int(written)
    return one_day(date(year - (100 if len(written) == 2 and year > frame.today.year + 10 else 0), month, day))


def read_calendar_day(match: re.Match[str], frame: Frame) -> Period | None:
    month, written = month_number(match["month"]), match["day"]
    first, last = day_number(written), day_number(match["last"] or written)
    if last < first:
        return None
    if match["year"]:
        year = int(match["year"])
        return Period(date(year, month, first), date(year, month, last), Granularity.DAY)
    # "It may first rain", "we march 5 times".
    if match["month"] in ("may", "march") and not frame.lead and not re.fullmatch(r"\d+(?:st|nd|rd|th)", written):
        if match.start("month") < match.start("day"):
            return None

    def in_year(year: int) -> Period:
        # The 29th of February is in the leap year before.
        leap = next(of for of in range(year, year - 9, -1) if calendar.isleap(of)) if (month, last) == (2, 29) else year
        return Period(date(leap, month, first), date(leap, month, last), Granularity.DAY)

    return frame.of_nearest_year(in_year)


def read_month_of_year(match: re.Match[str], frame: Frame) -> Period:
    return whole_month(int(match["year"]), month_number(match["month"]))


def read_month(match: re.Match[str], frame: Frame) -> Period | None:
    is_part = _PART_BEFORE.search(frame.before) is not None
    # "I cook for June", "a photo of April".
    is_name = frame.lead in ("of", "for") and match["month"][:3].lower() in ("apr", "may", "jun", "aug", "jan")
    if not is_part and (is_name or frame.lead not in _MONTH_LEADS):
        return None
    return frame.of_nearest_year(lambda year: whole_month(year, month_number(match["month"])))


def read_season(match: re.Match[str], frame: Frame) -> Period | None:
    season = match["season"].lower()
    if match["year"]:
        return whole_season(int(match["year"]), season)
    if frame.lead not in ("since", "until", "over"):
        return None
    this = frame.of_nearest_year(lambda year: whole_season(year, season))
    is_to_come = this.first > frame.today and not frame.is_ahead
    return frame.stepped(season, -1) if is_to_come else this


def read_decade(match: re.Match[str], frame: Frame) -> Period | None:
    year = int(match["decade"] or 10 * (DECADES.index(match["word"].lower()) + 2))
    if year < 100:
        if not re.search(r"\bthe\s", frame.before, re.IGNORECASE):
            return None
        year += 1900 if year > frame.today.year % 100 else 2000
    return whole_years(year, 10)


def read_year(match: re.Match[str], frame: Frame) -> Period | None:
    is_led = frame.lead in _YEAR_LEADS or _PART_BEFORE.search(frame.before) is not None
    # A number by itself is a year where it is all, or where it ends a clause and is not far ahead: "Cyberpunk 2077" is none.
    is_bare = match["ending"] is not None and int(match["year"]) <= frame.today.year + 10
    return whole_years(int(match["year"])) if is_led or is_bare or match[0] == match.string else None


def read_day_of_month(match: re.Match[str], frame: Frame) -> Period | None:
    if frame.lead not in _DATED_LEADS or not re.search(r"\bthe\s+$", frame.before, re.IGNORECASE):
        return None
    months = [stepped(frame.today, "month", step).first for step in (-1, 0, 1, 2)]
    number = day_number(match["day"])
    days = [month.replace(day=number) for month in months if number <= PartialDate(month.year, month.month).last.day]
    to_come = [day for day in days if day >= frame.today]
    day = to_come[0] if frame.is_ahead else min(days, key=lambda day: abs(day - frame.today))
    return frame.day(day)


DATED: tuple[tuple[str, Reader], ...] = (
    (
        r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
        r"(?:[T ](?P<clock>\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!-)",
        read_iso,
    ),
    (
        r"(?P<first>\d{1,2})(?:(?P<separator>[/.-])(?P<second>\d{1,2})(?P=separator)(?P<year>\d{4}|(?<=/)\d\d)"
        r"(?![/.-]\d))",
        read_numeric,
    ),
    (r"(?P<first>\d{1,2})(?P<separator>/)(?P<second>\d{1,2})(?P<year>)(?![/.]\d)", read_numeric),
    (
        rf"(?:{WEEKDAY},? (?:the )?)?(?P<day>{DAY})(?:\s?(?:-|–|to|and)\s?(?P<last>{DAY}))? (?:of )?"
        rf"(?P<month>{MONTH})(?:,? (?:of )?(?P<year>{YEAR}))?",
        read_calendar_day,
    ),
    (
        rf"(?:{WEEKDAY},? )?(?P<month>{MONTH}) (?:the )?(?P<day>{DAY})(?!:\d|,\d|\s?%)"
        rf"(?:\s?(?:-|–|to)\s?(?P<last>{DAY}))?(?:,? (?:of )?(?P<year>{YEAR}))?",
        read_calendar_day,
    ),
    (rf"(?P<month>{MONTH})(?: of)?,? (?P<year>{YEAR})", read_month_of_year),
    (rf"(?P<month>{MONTH})", read_month),
    (rf"(?P<season>{SEASON})(?:(?: of)? (?P<year>{YEAR}))?", read_season),
    (rf"['’]?(?P<decade>(?:1[89]|2[01])?\d0)['’]?s|(?P<word>{'|'.join(DECADES)})", read_decade),
    (
        r"(?P<year>(?:1[89]|2[01])\d\d)(?! (?:people|dollars|euros|pounds|km|miles|calories|steps|times|years)\b)"
        rf"(?P<ending>(?={_ENDING}))?",
        read_year,
    ),
    (rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th))(?={_ENDING})", read_day_of_month),
)


WHOLE = r"week(?:end)?|month|year|yr|decade"
NAMED_UNIT = rf"(?:(?:day|night|{WHOLE})s?|{DAY_NAME}s?|{SEASON}s?)"
STEPS = {
    "last": -1, "past": -1, "this past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1,
    "this coming": 1, "following": 1,
}  # fmt: skip
_UNIT = rf"(?:hour|day|night|{WHOLE})"
# What comes again and again, and days that have another name.
_NO_DAY_BEFORE = re.compile(
    rf"(?ai:(?<!\w)(?:every|each|most|any|an?|one|some|black|good|ash|easter|{DAY_NAME}\s*(?:to|through|-|–))\s*$)"
)


def read_near(match: re.Match[str], frame: Frame) -> Period:
    words = match[0].lower().split()
    step = {"yesterday": -1, "tomorrow": 1}.get(words[-1], 0)
    if words[0] == "day":
        step *= 2
    return frame.day(frame.today + timedelta(step), clock="night" if words[-1] == "tonight" else "")


def read_which(match: re.Match[str], frame: Frame) -> Period | None:
    name = match["unit"]
    step, unit = STEPS[" ".join(match["which"].lower().split())], unit_named(name)
    if unit in DAYPARTS and (unit, step) != ("night", -1):
        return frame.day(frame.today, clock=unit) if step == 0 and unit != "night" else None
    # "This may" and "this march" are words like others.
    if name in ("may", "march") and step == 0:
        return None
    return frame.stepped(unit, step)


def read_before_last(match: re.Match[str], frame: Frame) -> Period:
    return frame.stepped(unit_named(match["unit"]), -2 if match["which"].lower() == "before last" else 2)


def read_weekday(match: re.Match[str], frame: Frame) -> Period | None:
    name = match["weekday"]
    is_short = not name.lower().endswith("day")
    if _NO_DAY_BEFORE.search(frame.before) or is_short and frame.lead not in ("on", "by", "since", "until", "from"):
        return None
    ahead = (weekday_number(name) - frame.today.weekday()) % 7
    return frame.day(frame.today + timedelta(ahead if frame.is_ahead or not ahead else ahead - 7))


def read_weekend(match: re.Match[str], frame: Frame) -> Period | None:
    if frame.lead != "over":
        return None
    meant = frame.stepped("weekend", 0)
    return meant if frame.is_ahead or meant.first <= frame.today else frame.stepped("weekend", -1)


def read_ago(match: re.Match[str], frame: Frame) -> Period:
    return _counted(match, frame, -1)


def read_hence(match: re.Match[str], frame: Frame) -> Period:
    return _counted(match, frame, 1)


def read_length(match: re.Match[str], frame: Frame) -> Period | None:
    if frame.lead == "in" and not match["past"]:
        return _counted(match, frame, 1)
    if frame.lead == "for" and not match["time"] or match["past"] and frame.lead in ("in", "over", "during"):
        return _counted(match, frame, -1)
    return None


def _counted(match: re.Match[str], frame: Frame, direction: int) -> Period:
    """Return the unit that lies a count of units from today; hours are counted from the moment."""
    unit, count = unit_named(match["unit"]), number_of(match["count"]) or 0
    if is_vague(match["count"]):
        unit = recurring_every(unit)
    if unit == "hour":
        meant = one_day((frame.said_at + timedelta(hours=direction * count)).date())
    elif "and a half" in match[0].lower() and unit in ("year", "yr"):
        meant = stepped(frame.today, "month", direction * (12 * count + 6))
    else:
        meant = stepped(frame.today, unit, direction * count)
    return replace(meant, relative_to=frame.today, clock="", is_vague=is_vague(match["count"]))


RELATIVE: tuple[tuple[str, Reader], ...] = (
    (r"today|tonight|yesterday|tomorrow|day before yesterday|day after tomorrow", read_near),
    (rf"(?P<which>{'|'.join(STEPS)}) (?P<unit>{WHOLE}|{DAYPART}|{WEEKDAY}|{MONTH}|{SEASON})", read_which),
    (r"(?P<unit>week|weekend|month|year) (?P<which>before last|after next)", read_before_last),
    (rf"(?P<weekday>{WEEKDAY})(?! ?(?:to|through|-|–) ?{DAY_NAME})", read_weekday),
    (r"weekend", read_weekend),
    (
        rf"(?P<count>{COUNT})(?: and a half)? (?P<unit>hours?|{NAMED_UNIT})(?: and a half)? (?:ago|back|earlier)",
        read_ago,
    ),
    (rf"(?P<count>{COUNT}) (?P<unit>{_UNIT})s? from (?:now|today)", read_hence),
    (
        rf"(?:(?P<past>last|past) )?(?P<count>{COUNT}) (?P<unit>{_UNIT})s?(?P<time>['’]?s?['’]? time)?",
        read_length,
    ),
)
