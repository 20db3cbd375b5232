"""`bench queue` says what it could not measure, and lets no more wait than may."""

from __future__ import annotations

import pytest

from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.performance import queue


def test_ratio_is_that_of_the_95th_percentiles():
    rows = {(row.metric, row.group): row for row in queue.person_rows([100.0, 200.0, 200.0], [150.0, 300.0, 300.0])}
    assert rows["first_token_p50_ms", "alone"].value == 200.0
    assert rows["first_token_p95_ms", "beside"].value == 300.0
    assert rows["first_token_p95_ratio", ""] == Row("fresh_person", "first_token_p95_ratio", 1.5, unit="ratio", n=3)


def test_person_who_is_not_answered_is_counted_and_not_taken_for_quick():
    rows = {(row.metric, row.group): row for row in queue.person_rows([100.0, None], [None])}
    assert rows["unanswered", ""] == Row("fresh_person", "unanswered", 2, unit="people", n=3)
    ratio = rows["first_token_p95_ratio", ""]
    assert (ratio.value, ratio.why) == (None, "nobody came while the backlog was worked off")


def test_more_messages_than_may_wait_are_refused_before_anything_is_started(settings):
    settings.DSMART_WAITING_MESSAGES = 10
    with pytest.raises(EvaluationError, match="11 messages of one person cannot wait"):
        queue.measure({"waiting": 11, "people": 1, "quiet": True})
