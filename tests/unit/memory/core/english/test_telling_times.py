"""Times in plain English, and that what is told is read back as the same time."""

from __future__ import annotations

import re
import string
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.english.telling_times import say_date, say_span, tell, tell_fully, tell_when
from memory.core.english.times import PartialDate, TimeReference, stated_date, times_in
from memory.core.types import TimeSpan
from tests.hypothesis_profiles import examples

# A Monday.
SAID = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "told", "said_on"),
    [
        ("yesterday", "7 May 2023", "on 7 May 2023"),
        ("last year", "2022", "in 2022"),
        ("next month", "June 2023", "in June 2023"),
        ("last week", "the week before 8 May 2023", "in the week before 8 May 2023 (1 May 2023 to 7 May 2023)"),
        ("this week", "the week of 8 May 2023", "in the week of 8 May 2023 (8 May 2023 to 14 May 2023)"),
        (
            "last weekend",
            "the weekend before 8 May 2023",
            "on the weekend before 8 May 2023 (6 May 2023 to 7 May 2023)",
        ),
        ("last Friday", "5 May 2023", "on 5 May 2023, the Friday before 8 May 2023"),
        ("next Friday", "12 May 2023", "on 12 May 2023, the Friday after 8 May 2023"),
        ("two weeks ago", "two weeks before 8 May 2023", "two weeks before 8 May 2023"),
        ("in two weeks", "two weeks after 8 May 2023", "two weeks after 8 May 2023"),
        ("two weekends ago", "two weekends before 8 May 2023", "two weekends before 8 May 2023"),
        ("a few days ago", "a few days before 8 May 2023", "a few days before 8 May 2023"),
        ("last summer", "summer 2022", "in summer 2022"),
        ("three years ago", "2020", "in 2020"),
        ("about three years ago", "around 2020", "around 2020"),
        ("for six years", "since 2017", "since 2017"),
        ("since May", "since May 2023", "since May 2023"),
        ("from March on", "since March 2023", "since March 2023"),
        ("until 2018", "until 2018", "until 2018"),
        ("by Friday", "by 12 May 2023", "by 12 May 2023"),
        ("mid-August", "mid-August 2023", "in mid-August 2023"),
        ("in the late nineties", "the late 1990s", "in the late 1990s"),
        ("tomorrow at 5 pm", "9 May 2023 at 17:00", "on 9 May 2023 at 17:00"),
        ("last night", "the night of 7 May 2023", "on the night of 7 May 2023"),
        ("7-9 June 2021", "7 to 9 June 2021", "from 7 to 9 June 2021"),
        ("on the 14th", "14 May 2023", "on 14 May 2023"),
    ],
)
def test_time_is_told_in_the_precision_of_its_words(text: str, told: str, said_on: str) -> None:
    [time] = times_in(text, said_at=SAID)
    assert (tell(time), tell_fully(time)) == (told, said_on)


def test_span_is_said_as_day_month_or_year() -> None:
    def day(year: int, month: int, number: int) -> datetime:
        return datetime(year, month, number, tzinfo=UTC)

    assert say_span(TimeSpan(day(2023, 5, 7), day(2023, 5, 8))) == "on 7 May 2023"
    assert say_span(TimeSpan(day(2023, 5, 1), day(2023, 6, 1))) == "in May 2023"
    assert say_span(TimeSpan(day(2019, 1, 1), day(2020, 1, 1))) == "in 2019"


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("the 7th of may 1990", "7 May 1990"),
        ("May 7", "7 May"),
        ("1990", "1990"),
        ("in May 1990", "May 1990"),
        ("1990-05-07", "7 May 1990"),
        ("the 21st", "21"),
        ("the mayor", ""),
        ("7 or 8 May", "May"),
    ],
)
def test_date_is_said_as_far_as_it_is_stated(text: str, stated: str) -> None:
    assert say_date(stated_date(text)) == stated


def test_time_is_in_the_zone_of_its_speaker() -> None:
    zone = timezone(timedelta(hours=9))
    said_at = datetime(2023, 5, 10, 0, 30, tzinfo=zone)
    [time] = times_in("yesterday", said_at=said_at)
    assert time.during(said_at) == TimeSpan(datetime(2023, 5, 9, tzinfo=zone), datetime(2023, 5, 10, tzinfo=zone))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("several Mondays ago", "a few weeks before 10 May 2023"),
        ("a few summers ago", "a few years before 10 May 2023"),
        ("a few months ago", "a few months before 10 May 2023"),
        ("a few decades ago", "a few decades before 10 May 2023"),
    ],
)
def test_what_recurs_is_counted_vaguely_by_how_often_it_does(text: str, told: str) -> None:
    [time] = times_in(text, said_at=datetime(2023, 5, 10, 9, tzinfo=UTC))
    assert tell(time) == told


WORDS = """
last next this past coming previous following week weekend month year decade day night morning evening hour hours days weeks
months years decades ago earlier before after of from now today yesterday tomorrow tonight the a an couple few several dozen
half and two three twenty five 2 14 31 99 999 7th 14th fifth second may march june february sept dec monday friday fri sun
summer winter fall in on at by since until till for over about around early mid late mid- beginning end 1990 2019 2023 9999
2023-05-01 2023-13-41 14/3 5/7/2023 31/2/2023 90s nineties 5 pm 17:30 noon onwards , . - – 's I was
""".split()
PHRASES = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
MOMENTS = st.datetimes(timezones=st.just(UTC))
TODAYS = st.dates(date(1950, 1, 1), date(2080, 1, 1)).map(
    lambda day: datetime(day.year, day.month, day.day, 9, tzinfo=UTC)
)


def value(time: TimeReference) -> tuple[object, ...]:
    return (time.start, time.end, time.granularity, time.part, time.clock, time.starts, time.ends, time.is_vague)


@settings(max_examples=examples(2000))
@given(PHRASES, TODAYS, TODAYS)
def test_what_is_told_is_read_back_as_the_same_time(text: str, said_at: datetime, read_at: datetime) -> None:
    for time in times_in(text, said_at=said_at):
        assert [value(again) for again in times_in(tell(time), said_at=read_at)] == [value(time)]


@settings(max_examples=examples(1000))
@given(PHRASES | st.text(max_size=80) | st.text(string.printable, max_size=80), MOMENTS)
def test_any_text_at_any_time_gives_times_within_it(text: str, said_at: datetime) -> None:
    end = 0
    for time in times_in(text, said_at=said_at):
        assert end <= time.span.start < time.span.end <= len(text)
        assert time.words and time.words in text[time.span.start : time.span.end]
        assert time.start.first <= time.end.last
        assert time.during(said_at).start < time.during(said_at).end
        assert tell_when(time) and tell_fully(time)
        end = time.span.end


@settings(max_examples=examples(300))
@given(st.text(max_size=60))
def test_any_text_states_a_date_that_can_be_said(text: str) -> None:
    assert isinstance(say_date(stated_date(text)), str)


@pytest.mark.parametrize("year", ["2019", "1990"])
def test_partial_date_reads_what_it_writes(year: str) -> None:
    for iso in (year, f"{year}-05", f"{year}-05-07"):
        assert str(PartialDate.of(iso)) == iso
    assert re.fullmatch(r"\d{4}", str(PartialDate.of(year)))
