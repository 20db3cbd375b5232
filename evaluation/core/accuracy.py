"""Rows of accuracy from judged replies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.core.interval_rows import grouped, ratio_row
from evaluation.core.report import Row


@dataclass(frozen=True)
class JudgedReply:
    """One question put to one responder. `error` says why there is no reply; such an item counts as not right."""

    case: str
    question_id: str
    question: str
    category: str
    responder: str
    reply: str
    is_right: bool
    rests_on: tuple[str, ...] = ()
    error: str = ""


def accuracy_rows(replies: Sequence[JudgedReply]) -> list[Row]:
    """Return accuracy by responder, for all its replies and for each category, with how many of them failed."""
    by_responder = grouped(replies, lambda reply: reply.responder)
    return [row for responder, own in by_responder.items() for row in responder_rows(responder, own)]


def responder_rows(responder: str, replies: Sequence[JudgedReply]) -> Iterator[Row]:
    yield accuracy_row(responder, replies, group="")
    for category, inside in grouped(replies, lambda reply: reply.category).items():
        if category:
            yield accuracy_row(responder, inside, group=category)
    failed = [reply for reply in replies if reply.error]
    if failed:
        yield Row(responder, "failed", len(failed), unit="replies", n=len(replies), why=failed[0].error)


def accuracy_row(responder: str, replies: Sequence[JudgedReply], *, group: str) -> Row:
    """Return one row. Failed replies stay in the denominator; where all failed, there is no value."""
    if all(reply.error for reply in replies):
        return Row(responder, "accuracy", None, unit="ratio", n=len(replies), group=group, why=replies[0].error)
    by_case = grouped(replies, lambda reply: reply.case)
    clusters = {case: [reply.is_right for reply in inside] for case, inside in by_case.items()}
    return ratio_row(responder, "accuracy", clusters, group=group)
