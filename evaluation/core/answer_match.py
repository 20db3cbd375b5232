"""Decides whether a reply is right by comparing words, without a judge."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.dates import date_of, dates_in
from evaluation.core.folding import contains_words
from evaluation.core.refusals import says_not_known


def is_right(reply: str, *, answers: Sequence[str], forbidden: Sequence[str] = ()) -> bool:
    """Return whether the reply contains one of the answers and nothing forbidden.

    Without answers, only a reply that says that it does not know is right.
    """
    if any(states(reply, answer) for answer in forbidden):
        return False
    if not answers:
        return says_not_known(reply)
    return any(states(reply, answer) for answer in answers)


def states(reply: str, answer: str) -> bool:
    """Return whether the reply contains the answer.

    Whole words are compared in sequence, without case, accents and punctuation. An answer that is a date is also contained as
    the same date in another form, or as a more exact one ("June 2023" in "7/6/2023" only where that has one reading).
    """
    if contains_words(reply, answer):
        return True
    wanted = date_of(answer)
    return wanted is not None and any(wanted.includes(found) for found in dates_in(reply))
