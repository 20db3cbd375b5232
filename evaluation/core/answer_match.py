"""When a reply is right: a comparison that needs no judge."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.dates import date_of, dates_in
from evaluation.core.folding import contains_words
from evaluation.core.refusals import says_not_known


def is_right(reply: str, *, answers: Sequence[str], forbidden: Sequence[str] = ()) -> bool:
    """Say whether the reply contains one of the answers and nothing forbidden.

    Without answers, the only right reply says that it is not known.
    """
    if any(states(reply, answer) for answer in forbidden):
        return False
    if not answers:
        return says_not_known(reply)
    return any(states(reply, answer) for answer in answers)


def states(reply: str, answer: str) -> bool:
    """Say whether the reply contains the answer.

    Its words are compared whole and next to each other, without case, accents and punctuation. An answer that is a date
    is also stated by the same date in another form, and by a more precise one ("June 2023" by "7/6/2023" only where
    that can be read in one way).
    """
    if contains_words(reply, answer):
        return True
    wanted = date_of(answer)
    return wanted is not None and any(wanted.includes(found) for found in dates_in(reply))
