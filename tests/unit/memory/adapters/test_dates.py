"""Date expressions in the precision of their words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memory.adapters.dates import DateparserResolver

# A Wednesday.
SAID_AT = datetime(2023, 5, 10, 15, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "start", "end"),
    [
        ("in 2019", "2019-01-01", "2020-01-01"),
        ("since 2019", "2019-01-01", "2020-01-01"),
        ("May 2021", "2021-05-01", "2021-06-01"),
        ("in December", "2022-12-01", "2023-01-01"),
        ("in march", "2023-03-01", "2023-04-01"),
        ("7 May 2023", "2023-05-07", "2023-05-08"),
        ("May 7, 2023", "2023-05-07", "2023-05-08"),
        ("7th of May 2023", "2023-05-07", "2023-05-08"),
        ("2023-05-01", "2023-05-01", "2023-05-02"),
        ("05/07/2023", "2023-05-07", "2023-05-08"),
        ("today", "2023-05-10", "2023-05-11"),
        ("yesterday", "2023-05-09", "2023-05-10"),
        ("last night", "2023-05-09", "2023-05-10"),
        ("tomorrow", "2023-05-11", "2023-05-12"),
        ("last week", "2023-05-01", "2023-05-08"),
        ("next week", "2023-05-15", "2023-05-22"),
        ("last weekend", "2023-05-06", "2023-05-08"),
        ("last month", "2023-04-01", "2023-05-01"),
        ("next month", "2023-06-01", "2023-07-01"),
        ("last year", "2022-01-01", "2023-01-01"),
        ("last summer", "2022-06-01", "2022-09-01"),
        ("in the summer of 2020", "2020-06-01", "2020-09-01"),
        ("two years ago", "2021-01-01", "2022-01-01"),
        ("3 days ago", "2023-05-07", "2023-05-08"),
        ("a couple of weeks ago", "2023-04-24", "2023-05-01"),
        ("in two weeks", "2023-05-22", "2023-05-29"),
        ("on Friday", "2023-05-05", "2023-05-06"),
        ("last Friday", "2023-05-05", "2023-05-06"),
        ("next Friday", "2023-05-12", "2023-05-13"),
        ("the 90s", "1990-01-01", "2000-01-01"),
    ],
)
def test_expression_spans_what_its_words_say(expression: str, start: str, end: str) -> None:
    found = DateparserResolver().resolve(expression, said_at=SAID_AT)
    assert found is not None
    assert (found.start.date().isoformat(), found.end.date().isoformat()) == (start, end)


@pytest.mark.parametrize(
    "expression",
    [
        "since I was 5",
        "a few years ago",
        "when we met",
        "5",
        "at 5 pm",
        "Paris",
        "",
        "31 February",
        "999999 years ago",
        "x" * 1000,
    ],
)
def test_expression_without_a_date_is_none(expression: str) -> None:
    assert DateparserResolver().resolve(expression, said_at=SAID_AT) is None


def test_times_are_in_the_zone_of_the_speaker() -> None:
    zone = timezone(timedelta(hours=9))
    found = DateparserResolver().resolve("yesterday", said_at=datetime(2023, 5, 10, 0, 30, tzinfo=zone))
    assert found is not None
    assert found.start == datetime(2023, 5, 9, tzinfo=zone)


def test_same_words_mean_another_time_on_another_day() -> None:
    resolver = DateparserResolver()
    first = resolver.resolve("yesterday", said_at=SAID_AT)
    second = resolver.resolve("yesterday", said_at=SAID_AT + timedelta(days=1))
    assert first is not None and second is not None
    assert second.start - first.start == timedelta(days=1)


def test_leap_day_counts_back_to_a_year() -> None:
    found = DateparserResolver().resolve("last year", said_at=datetime(2024, 2, 29, tzinfo=UTC))
    assert found is not None and found.start.year == 2023
