"""The days that words mean."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.core.sentence_graph.fused.times import Days, days_meant

# A Wednesday.
SAID = datetime(2023, 8, 16, 9, 0, tzinfo=UTC)


def meant(text: str) -> list[tuple[date, date]]:
    return [(days.first, days.last) for days in days_meant(text, said_at=SAID)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What did she do on 16 March 2022?", date(2022, 3, 16), date(2022, 3, 16)),
        ("on March 16th, 2022", date(2022, 3, 16), date(2022, 3, 16)),
        ("on the 3rd of June 2021", date(2021, 6, 3), date(2021, 6, 3)),
        ("on 2022-03-16", date(2022, 3, 16), date(2022, 3, 16)),
        ("volunteering in August 2023", date(2023, 8, 1), date(2023, 8, 31)),
        ("in December 2023", date(2023, 12, 1), date(2023, 12, 31)),
        ("moved in 2020", date(2020, 1, 1), date(2020, 12, 31)),
        ("yesterday", date(2023, 8, 15), date(2023, 8, 15)),
        ("last week", date(2023, 8, 7), date(2023, 8, 13)),
        ("this weekend", date(2023, 8, 19), date(2023, 8, 20)),
        ("last month", date(2023, 7, 1), date(2023, 7, 31)),
        ("next year", date(2024, 1, 1), date(2024, 12, 31)),
        ("last Friday", date(2023, 8, 11), date(2023, 8, 11)),
        ("last Wednesday", date(2023, 8, 9), date(2023, 8, 9)),
        ("next Wednesday", date(2023, 8, 23), date(2023, 8, 23)),
        ("two days ago", date(2023, 8, 14), date(2023, 8, 14)),
        ("a couple of weeks ago", date(2023, 7, 30), date(2023, 8, 5)),
    ],
)
def test_words_of_time_mean_days(text: str, first: date, last: date) -> None:
    assert meant(text) == [(first, last)]


@pytest.mark.parametrize(
    "text",
    ["What may she like?", "They march on.", "The 31st of June 2022", "31/12", "300 years ago", "Nothing of time.", ""],
)
def test_other_words_mean_none(text: str) -> None:
    assert meant(text) == []


def test_a_date_without_a_year_is_of_any_year() -> None:
    (days,) = days_meant("at the end of February", said_at=SAID)
    assert days.holds(date(2021, 2, 3))
    assert days.holds(date(2024, 2, 29))
    assert not days.holds(date(2021, 4, 3))


def test_days_shortly_after_are_held_across_the_end_of_a_year() -> None:
    (days,) = days_meant("on 31 December", said_at=SAID)
    assert days.holds(date(2024, 1, 2), days_after=3)
    assert not days.holds(date(2024, 1, 5), days_after=3)


def test_what_is_told_meets_what_is_asked() -> None:
    asked = Days(date(2023, 8, 8), date(2023, 8, 9))
    (told,) = days_meant("I went last week", said_at=SAID)
    assert asked.meets(told)
    assert not Days(date(2023, 8, 14), date(2023, 8, 20)).meets(told)
    (any_year,) = days_meant("in August", said_at=SAID)
    assert any_year.meets(told)


@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            "last next this week month year monday 31 29 february june 2023 9999 0001-01-01 99 days ago in".split()
        ),
        max_size=8,
    ).map(" ".join),
    st.datetimes(timezones=st.just(UTC)),
)
def test_any_text_at_any_time_gives_days_in_order(text: str, said_at: datetime) -> None:
    for days in days_meant(text, said_at=said_at):
        assert days.first <= days.last
        assert isinstance(days.holds(said_at.date(), days_after=3), bool)
