"""Rows of answers that are scored by the words that they share with an expected answer (LoCoMo)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.core.interval_rows import grouped, mean_row, ratio_row
from evaluation.core.refusals import says_not_known
from evaluation.core.report import Row
from evaluation.core.text_metrics import answer_f1, is_exact

TOKEN_F1, EXACT_MATCH, REFUSED = "token_f1", "exact_match", "refused"


@dataclass(frozen=True)
class ScoredAnswer:
    """One question put to one responder, with the figures by which its reply is scored.

    An answerable question has `token_f1` and `exact_match`, an unanswerable one `refused`. `error` says why there is no
    reply; such an item scores 0.
    """

    case: str
    question_id: str
    question: str
    category: str
    responder: str
    expected: str | None
    reply: str
    figures: Mapping[str, float]
    error: str = ""


def answer_figures(reply: str, expected: str | None, *, category: str) -> dict[str, float]:
    """Return the figures of a reply; nothing is expected of a question that cannot be answered but to say so."""
    if expected is None:
        return {REFUSED: float(says_not_known(reply))}
    return {
        TOKEN_F1: answer_f1(reply, expected, category=category),
        EXACT_MATCH: float(is_exact(reply, expected, category=category)),
    }


def answer_rows(answers: Sequence[ScoredAnswer]) -> list[Row]:
    """Return the rows of each responder: of the answerable questions together, then of each category."""
    by_responder = grouped(answers, lambda answer: answer.responder)
    return [row for responder, own in by_responder.items() for row in responder_rows(responder, own)]


def responder_rows(responder: str, answers: Sequence[ScoredAnswer]) -> Iterator[Row]:
    answerable = [answer for answer in answers if answer.expected is not None]
    if answerable:
        yield from group_rows(responder, answerable, group="")
    for category, inside in grouped(answers, lambda answer: answer.category).items():
        yield from group_rows(responder, inside, group=category)
    failed = [answer for answer in answers if answer.error]
    if failed:
        yield Row(responder, "failed", len(failed), unit="replies", n=len(answers), why=failed[0].error)


def group_rows(responder: str, answers: Sequence[ScoredAnswer], *, group: str) -> Iterator[Row]:
    """Yield the mean of each figure. Failed replies stay in the denominator; where all failed, there is no value."""
    for metric in dict.fromkeys(metric for answer in answers for metric in answer.figures):
        inside = [answer for answer in answers if metric in answer.figures]
        if all(answer.error for answer in inside):
            yield Row(responder, metric, None, unit="ratio", n=len(inside), group=group, why=inside[0].error)
            continue
        by_case = grouped(inside, lambda answer: answer.case)
        figures = {case: [answer.figures[metric] for answer in own] for case, own in by_case.items()}
        if metric == TOKEN_F1:
            yield mean_row(responder, metric, figures, group=group)
        else:
            are_so = {case: [bool(value) for value in values] for case, values in figures.items()}
            yield ratio_row(responder, metric, are_so, group=group)
