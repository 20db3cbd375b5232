"""The times that English phrases mean, whole: written before the grammar that reads them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from memory.core.english.times import Granularity, PartialDate, TimeReference, time_of, times_in
from memory.core.types import Span

# A Wednesday.
SAID_AT = datetime(2023, 5, 10, 15, 3, tzinfo=UTC)
TODAY = SAID_AT.date()


def time(
    phrase: str,
    start: str,
    end: str = "",
    granularity: str = "day",
    *,
    lead: str = "",
    words: str = "",
    to: date | None = TODAY,
    any_year: bool = False,
    part: str = "",
    clock: str = "",
    is_vague: bool = False,
) -> tuple[str, TimeReference]:
    """Return a phrase, and what it means where it stands at the beginning of a text."""
    return phrase, TimeReference(
        start=PartialDate.of(start),
        end=PartialDate.of(end or start),
        granularity=Granularity(granularity),
        span=Span(0, len(phrase)),
        words=words or phrase.removeprefix(lead).strip(),
        lead=lead.lower(),
        relative_to=to,
        is_of_any_year=any_year,
        part=part,
        clock=clock,
        is_vague=is_vague,
    )


PHRASES = [
    # Days by name.
    time("today", "2023-05-10"),
    time("yesterday", "2023-05-09"),
    time("tomorrow", "2023-05-11"),
    time("tonight", "2023-05-10", clock="night"),
    time("last night", "2023-05-09", clock="night"),
    time("this morning", "2023-05-10", clock="morning"),
    time("this evening", "2023-05-10", clock="evening"),
    time("yesterday afternoon", "2023-05-09", clock="afternoon"),
    time("tomorrow at 5 pm", "2023-05-11", clock="17:00"),
    time("yesterday at 9:30", "2023-05-09", clock="09:30"),
    time("tomorrow at noon", "2023-05-11", clock="12:00"),
    time("the day before yesterday", "2023-05-08"),
    time("the day after tomorrow", "2023-05-12"),
    # Weekdays.
    time("on Friday", "2023-05-05", lead="on"),
    time("Friday", "2023-05-05"),
    time("on Wednesday", "2023-05-10", lead="on"),
    time("last Friday", "2023-05-05"),
    time("last Wednesday", "2023-05-03"),
    time("this past Sunday", "2023-05-07"),
    time("this Friday", "2023-05-12"),
    time("next Friday", "2023-05-12"),
    time("next Wednesday", "2023-05-17"),
    time("by Friday", "2023-05-12", lead="by"),
    time("until Friday", "2023-05-12", lead="until"),
    time("since Monday", "2023-05-08", lead="since"),
    time("on Friday morning", "2023-05-05", lead="on", clock="morning"),
    time("last Saturday at 8pm", "2023-05-06", clock="20:00"),
    time("two Fridays ago", "2023-04-28"),
    time("last fri", "2023-05-05"),
    # Weeks and weekends.
    time("last week", "2023-05-01", "2023-05-07", "week"),
    time("this week", "2023-05-08", "2023-05-14", "week"),
    time("next week", "2023-05-15", "2023-05-21", "week"),
    time("the following week", "2023-05-15", "2023-05-21", "week"),
    time("two weeks ago", "2023-04-24", "2023-04-30", "week"),
    time("a couple of weeks ago", "2023-04-24", "2023-04-30", "week"),
    time("in two weeks", "2023-05-22", "2023-05-28", "week", lead="in"),
    time("in a week's time", "2023-05-15", "2023-05-21", "week", lead="in", words="a week's time"),
    time("two weeks from now", "2023-05-22", "2023-05-28", "week"),
    time("last weekend", "2023-05-06", "2023-05-07", "weekend"),
    time("this weekend", "2023-05-13", "2023-05-14", "weekend"),
    time("next weekend", "2023-05-20", "2023-05-21", "weekend"),
    time("two weekends ago", "2023-04-29", "2023-04-30", "weekend"),
    time("over the weekend", "2023-05-06", "2023-05-07", "weekend", lead="over"),
    # Months.
    time("last month", "2023-04", granularity="month"),
    time("this month", "2023-05", granularity="month"),
    time("next month", "2023-06", granularity="month"),
    time("two months ago", "2023-03", granularity="month"),
    time("18 months ago", "2021-11", granularity="month"),
    time("in six months", "2023-11", granularity="month", lead="in"),
    time("in March", "2023-03", granularity="month", lead="in", any_year=True),
    time("in march", "2023-03", granularity="month", lead="in", any_year=True),
    time("in may", "2023-05", granularity="month", lead="in", any_year=True),
    time("in December", "2022-12", granularity="month", lead="in", any_year=True),
    time("since May", "2023-05", granularity="month", lead="since", any_year=True),
    time("from March on", "2023-03", granularity="month", lead="from", any_year=True, words="March"),
    time("until September", "2023-09", granularity="month", lead="until", any_year=True),
    time("last August", "2022-08", granularity="month"),
    time("next March", "2024-03", granularity="month"),
    time("this June", "2023-06", granularity="month"),
    time("May 2021", "2021-05", granularity="month", to=None),
    time("in May 2021", "2021-05", granularity="month", lead="in", to=None),
    time("in Sept. 2020", "2020-09", granularity="month", lead="in", to=None),
    time("in May of 2021", "2021-05", granularity="month", lead="in", to=None),
    time("mid-August", "2023-08-11", "2023-08-20", "month", any_year=True, part="mid"),
    time("in early June 2021", "2021-06-01", "2021-06-10", "month", lead="in", to=None, part="early"),
    time("at the end of February 2020", "2020-02-21", "2020-02-29", "month", lead="at", to=None, part="late"),
    time("late last month", "2023-04-21", "2023-04-30", "month", part="late"),
    # Days of a month.
    time("7 May 2023", "2023-05-07", to=None),
    time("on 7 May 2023", "2023-05-07", lead="on", to=None),
    time("May 7, 2023", "2023-05-07", to=None),
    time("May 7th 2023", "2023-05-07", to=None),
    time("the 7th of May 2023", "2023-05-07", to=None),
    time("7th of may, 2023", "2023-05-07", to=None),
    time("on the fifth of November 2021", "2021-11-05", lead="on", to=None, words="the fifth of November 2021"),
    time("Sunday, 7 May 2023", "2023-05-07", to=None),
    time("Fri 5 May 2023", "2023-05-05", to=None),
    time("on 3 March", "2023-03-03", lead="on", any_year=True),
    time("December 25", "2022-12-25", any_year=True),
    time("Sept 9", "2023-09-09", any_year=True),
    time("on 7 May 2023 at 18:45", "2023-05-07", lead="on", to=None, clock="18:45"),
    time("on the morning of 7 May 2023", "2023-05-07", lead="on", words="7 May 2023", to=None, clock="morning"),
    time("at 5 pm on Friday", "2023-05-05", lead="at", words="Friday", clock="17:00"),
    time("7-9 June 2021", "2021-06-07", "2021-06-09", to=None),
    time("June 7 to 9, 2021", "2021-06-07", "2021-06-09", to=None),
    time("on the 14th", "2023-05-14", lead="on", words="the 14th"),
    time("on the 2nd", "2023-05-02", lead="on", words="the 2nd"),
    time("by the 28th", "2023-05-28", lead="by", words="the 28th"),
    # Numeric dates.
    time("2023-05-01", "2023-05-01", to=None),
    time("2023-05-01T09:30:00Z", "2023-05-01", to=None, clock="09:30"),
    time("14/3/2023", "2023-03-14", to=None),
    time("3/14/2023", "2023-03-14", to=None),
    time("5/5/2023", "2023-05-05", to=None),
    time("14.3.2023", "2023-03-14", to=None),
    time("05.07.2023", "2023-07-05", to=None),
    time("14/3/98", "1998-03-14", to=None),
    time("on 14/3", "2023-03-14", lead="on", any_year=True),
    # Seasons.
    time("last summer", "2022-06", "2022-08", "season"),
    time("this summer", "2023-06", "2023-08", "season"),
    time("next winter", "2023-12", "2024-02", "season"),
    time("last winter", "2022-12", "2023-02", "season"),
    time("in the summer of 2020", "2020-06", "2020-08", "season", lead="in", words="the summer of 2020", to=None),
    time("fall 2019", "2019-09", "2019-11", "season", to=None),
    time("in winter 2020", "2020-12", "2021-02", "season", lead="in", to=None),
    time("since spring", "2023-03", "2023-05", "season", lead="since", any_year=True),
    time("over the summer", "2022-06", "2022-08", "season", lead="over", words="the summer"),
    # Years and decades.
    time("in 2019", "2019", granularity="year", lead="in", to=None),
    time("since 2019", "2019", granularity="year", lead="since", to=None),
    time("until 2018", "2018", granularity="year", lead="until", to=None),
    time("before 2018", "2018", granularity="year", lead="before", to=None),
    time("around 2010", "2010", granularity="year", lead="around", to=None),
    time("back in 1998", "1998", granularity="year", lead="in", words="1998", to=None),
    time("2021", "2021", granularity="year", to=None),
    time("last year", "2022", granularity="year"),
    time("this year", "2023", granularity="year"),
    time("next year", "2024", granularity="year"),
    time("early this year", "2023-01", "2023-04", "year", part="early"),
    time("in late 2019", "2019-09", "2019-12", "year", lead="in", to=None, part="late"),
    time("at the beginning of 2020", "2020-01", "2020-04", "year", lead="at", to=None, part="early"),
    time("three years ago", "2020", granularity="year"),
    time("a year ago", "2022", granularity="year"),
    time("twenty-five years ago", "1998", granularity="year"),
    time("about two years ago", "2021", granularity="year", lead="about"),
    time("a few years ago", "2020", granularity="year", is_vague=True),
    time("a year and a half ago", "2021-11", granularity="month"),
    time("in the 90s", "1990", "1999", "decade", lead="in", words="the 90s", to=None),
    time("the 1980s", "1980", "1989", "decade", to=None),
    time("in the late nineties", "1997", "1999", "decade", lead="in", words="the late nineties", to=None, part="late"),
    time("two decades ago", "2000", "2009", "decade"),
    # Counted days and hours.
    time("3 days ago", "2023-05-07"),
    time("a couple of days ago", "2023-05-08"),
    time("in three days", "2023-05-13", lead="in"),
    time("ten days from now", "2023-05-20"),
    time("an hour ago", "2023-05-10"),
    time("20 hours ago", "2023-05-09"),
    # Lengths: what has lasted so long began so long ago.
    time("for six years", "2017", granularity="year", lead="for"),
    time("for about six years", "2017", granularity="year", lead="for", words="six years"),
    time("for two weeks", "2023-04-24", "2023-04-30", "week", lead="for"),
    time("for the past three months", "2023-02", granularity="month", lead="for", words="the past three months"),
    time("over the last two years", "2021", granularity="year", lead="for", words="the last two years"),
    # Relative to another date.
    time("the week before 14 June 2023", "2023-06-05", "2023-06-11", "week", to=date(2023, 6, 14)),
    time("the week before 14 June", "2023-06-05", "2023-06-11", "week", to=date(2023, 6, 14), any_year=True),
    time("two weeks before 9 June 2023", "2023-05-22", "2023-05-28", "week", to=date(2023, 6, 9)),
    time("the weekend after 9 June 2023", "2023-06-17", "2023-06-18", "weekend", to=date(2023, 6, 9)),
    time("the week of 5 June 2023", "2023-06-05", "2023-06-11", "week", to=date(2023, 6, 5)),
    time("the Friday before 8 May 2023", "2023-05-05", to=date(2023, 5, 8)),
    time("the Tuesday after 8 May 2023", "2023-05-09", to=date(2023, 5, 8)),
    time("the day after 31 December 2022", "2023-01-01", to=date(2022, 12, 31)),
    time("three days before May 7, 2023", "2023-05-04", to=date(2023, 5, 7)),
    time("a few days before 8 May 2023", "2023-05-05", to=date(2023, 5, 8), is_vague=True),
    time("the month before 8 May 2023", "2023-04", granularity="month", to=date(2023, 5, 8)),
    time("the year after 8 May 2023", "2024", granularity="year", to=date(2023, 5, 8)),
]


@pytest.mark.parametrize(("phrase", "meant"), PHRASES, ids=[phrase for phrase, _ in PHRASES])
def test_phrase_means_one_time(phrase: str, meant: TimeReference) -> None:
    assert times_in(phrase, said_at=SAID_AT) == [meant]


def test_the_table_is_large() -> None:
    assert len({phrase for phrase, _ in PHRASES}) >= 120


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "at 5 pm",
        "14/3",
        "05/07/2023",
        "on 3/4",
        "31 February",
        "31.2.2023",
        "2023-13-01",
        "999999 years ago",
        "since I was 5",
        "May I ask you?",
        "She may like it.",
        "They march on.",
        "There are 2019 reasons to march.",
        "I drive a 2015 Honda.",
        "She is in her 20s.",
        "on Mondays",
        "every Monday",
        "I work Monday to Friday.",
        "on Black Friday",
        "June is my sister.",
        "April sang.",
        "on the 14th floor",
        "the 5th time",
        "in the sun",
        "in the summer I swim",
        "for years",
        "a long time ago",
        "the other day",
        "a second ago she fell",
        "Room 2019 is upstairs.",
        "version 2.3.2023.1",
        "marchers and mayors",
        "two weeks",
    ],
)
def test_other_words_mean_no_time(text: str) -> None:
    assert times_in(text, said_at=SAID_AT) == []


def found(text: str) -> list[tuple[str, str, str, str]]:
    return [
        (text[time.span.start : time.span.end], time.lead, str(time.start), str(time.end))
        for time in times_in(text, said_at=SAID_AT)
    ]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        (
            "I went there yesterday, and on 3 March we met in Rome.",
            [("yesterday", "", "2023-05-09", "2023-05-09"), ("on 3 March", "on", "2023-03-03", "2023-03-03")],
        ),
        (
            "I lived in Rome from 2015 to 2018.",
            [("from 2015", "from", "2015", "2015"), ("2018", "until", "2018", "2018")],
        ),
        (
            "Between 2015 and 2018 I sang.",
            [("Between 2015", "between", "2015", "2015"), ("2018", "until", "2018", "2018")],
        ),
        ("I was there 2015–2018.", [("2015", "from", "2015", "2015"), ("2018", "until", "2018", "2018")]),
        ("In 2015 and 2018 I won.", [("In 2015", "in", "2015", "2015"), ("2018", "", "2018", "2018")]),
        ("Ever since 2019 I've lived here.", [("Ever since 2019", "since", "2019", "2019")]),
        ("Where did she move from two years ago?", [("two years ago", "", "2021", "2021")]),
        ("It is booked for next Friday.", [("for next Friday", "", "2023-05-12", "2023-05-12")]),
        ("last week's party", [("last week", "", "2023-05-01", "2023-05-07")]),
        ("I ran (two weeks ago).", [("two weeks ago", "", "2023-04-24", "2023-04-30")]),
    ],
)
def test_times_are_found_where_they_stand(text: str, times: list[tuple[str, str, str, str]]) -> None:
    assert found(text) == times


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I start at Marble Slab on Friday", "2023-05-12"),
        ("root canal on Friday at 10, already sweating", "2023-05-12"),
        ("hung up the apron for good. from Friday I'm a student again", "2023-05-12"),
        ("he's been here all week but goes back to Ankara on Friday", "2023-05-12"),
        ("The roof is being repaired on Friday.", "2023-05-12"),
        ("On Friday, I start at Bosch.", "2023-05-12"),
        ("The course begins on 3 March.", "2024-03-03"),
        ("The wedding is on 21 December.", "2023-12-21"),
        ("We leave on the 2nd.", "2023-06-02"),
        ("they landed in Gothenburg on Friday", "2023-05-05"),
        ("Got in on Friday, my sister picks me up tomorrow.", "2023-05-05"),
        ("On Friday, the dog was ill.", "2023-05-05"),
        ("I'm ill since Monday", "2023-05-08"),
        ("We married on 21 December.", "2022-12-21"),
        ("on Friday", "2023-05-05"),
        ("I see her last Friday's photos.", "2023-05-05"),
    ],
)
def test_weekday_is_the_next_where_its_clause_tells_of_no_past(text: str, day: str) -> None:
    assert str(times_in(text, said_at=SAID_AT)[0].start) == day


def test_time_of_reads_a_whole_text_alone() -> None:
    whole = time_of("Yesterday.", said_at=SAID_AT)
    assert whole is not None and str(whole.start) == "2023-05-09"
    assert time_of("yesterday I ran", said_at=SAID_AT) is None
    assert time_of("Paris", said_at=SAID_AT) is None
