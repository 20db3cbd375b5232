"""Date expressions in text, and times in plain words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.core.knowledge_graph.time_expressions import say_span, say_time, time_mentions
from memory.core.types import TimeSpan
from tests.fakes.language import real_dates

SAID = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I went there yesterday and it rained.", ["yesterday"]),
        ("Since 2019 I have lived here.", ["2019"]),
        ("We met on 7 May 2023 in Rome.", ["7 May 2023"]),
        ("I ran two weeks ago.", ["two weeks ago"]),
        ("May I ask you?", []),
        ("There are 2019 reasons to march.", []),
    ],
)
def test_date_expressions_are_found(text: str, words: list[str]) -> None:
    assert [mention.words for mention in time_mentions(text)] == words


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I went yesterday.", "on 7 May 2023"),
        ("I painted it last year.", "in 2022"),
        ("I plan it for next month, in June 2023.", "in June 2023"),
        ("It was last week.", "in the week before 8 May 2023 (1 May 2023 to 7 May 2023)"),
        ("It was last Friday.", "on 5 May 2023, the Friday before 8 May 2023"),
        ("It was two weeks ago.", "two weeks before 8 May 2023"),
    ],
)
def test_relative_date_is_said_in_the_precision_of_its_words(text: str, said: str) -> None:
    mention = list(time_mentions(text))[-1]
    assert say_time(mention, said_at=SAID, dates=real_dates()) == said


def test_span_is_said_as_day_month_or_year() -> None:
    def day(year: int, month: int, number: int) -> datetime:
        return datetime(year, month, number, tzinfo=UTC)

    assert say_span(TimeSpan(day(2023, 5, 7), day(2023, 5, 8))) == "on 7 May 2023"
    assert say_span(TimeSpan(day(2023, 5, 1), day(2023, 6, 1))) == "in May 2023"
    assert say_span(TimeSpan(day(2019, 1, 1), day(2020, 1, 1))) == "in 2019"
