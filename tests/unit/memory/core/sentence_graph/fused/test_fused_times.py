"""The days that words mean, compared with other days."""

from __future__ import annotations

from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from memory.core.english.times import TimeReference, dates_in
from memory.core.sentence_graph.fused.config import holds, meet

# A Wednesday.
SAID = datetime(2023, 8, 16, 9, 0, tzinfo=UTC)


def meant(text: str, said_at: datetime = SAID) -> TimeReference:
    [time] = dates_in(text, said_at=said_at)
    return time


def test_a_date_without_a_year_is_of_any_year() -> None:
    days = meant("in February")
    assert holds(days, date(2021, 2, 3))
    assert holds(days, date(2024, 2, 29))
    assert not holds(days, date(2021, 4, 3))
    assert holds(meant("on 29 February"), date(2021, 2, 28))


def test_a_date_with_a_year_is_of_that_year_alone() -> None:
    assert holds(meant("in August 2023"), date(2023, 8, 31))
    assert not holds(meant("in August 2023"), date(2022, 8, 31))


def test_days_shortly_after_are_held_across_the_end_of_a_year() -> None:
    days = meant("on 31 December")
    assert holds(days, date(2024, 1, 2), days_after=3)
    assert not holds(days, date(2024, 1, 5), days_after=3)


def test_what_is_told_meets_what_is_asked() -> None:
    told = meant("I went last week")
    assert meet(meant("8-9 August 2023"), told)
    assert not meet(meant("14-20 August 2023"), told)
    assert meet(meant("in August"), told)
    assert meet(meant("in winter 2022"), meant("I went in February 2023"))


@given(
    st.lists(
        st.sampled_from(
            "last next this week month 31 29 february december june 2023 1999 99 days ago in winter".split()
        ),
        max_size=8,
    ).map(" ".join),
    st.datetimes(timezones=st.just(UTC)),
)
def test_any_time_is_compared_with_any_day(text: str, said_at: datetime) -> None:
    for time in dates_in(text, said_at=SAID):
        assert isinstance(holds(time, said_at.date(), days_after=3), bool)
        assert meet(time, time)
