"""What members read of an item's failure."""

from __future__ import annotations

import pytest

from conversations.core.errors import ConversationError
from evaluation.core.errors import EvaluationError
from evaluation.services.runs.faults import EngineGone, error_of
from memory.core.errors import MemoryCoreError, ModelUnreachable


@pytest.mark.parametrize("kind", [MemoryCoreError, ConversationError, EvaluationError])
def test_error_of_ours_is_told_in_its_words(kind: type[Exception]) -> None:
    assert error_of(kind("The reply was empty."), "Question q1") == "The reply was empty."
    assert error_of(kind(), "Question q1") == kind.__name__


def test_unexpected_error_shows_its_kind_and_the_log_has_the_rest(caplog: pytest.LogCaptureFixture) -> None:
    fault = KeyError("SELECT secret FROM /srv/dsmart/settings.py")
    told = error_of(fault, "Question q1")
    assert told == "Something unexpected went wrong (KeyError). The log of the server says what."
    [record] = caplog.records
    assert record.getMessage() == "Question q1 failed." and record.exc_info is not None and record.exc_info[1] is fault


def test_engine_that_is_gone_is_no_items_error() -> None:
    with pytest.raises(EngineGone, match="No answer"):
        error_of(ModelUnreachable("No answer."), "Question q1")
