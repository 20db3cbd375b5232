"""Plays a case of a retrieval run: an index in memory, each retriever over it, and each question put to each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from evaluation.adapters.kept_vectors import KeptVectors
from evaluation.core.naming import KEY_LIMIT, fitted
from evaluation.core.retrieval import QuestionOutcome, read_evidence
from evaluation.core.runs.answers import Figure
from evaluation.core.runs.identity import case_of
from evaluation.core.runs.plan import RunPlan
from evaluation.core.types import Case
from evaluation.models import RunItem
from evaluation.services.case_index import CaseIndex
from evaluation.services.retrieval import (
    Answered,
    RetrievalPlan,
    judged,
    preset_of,
    query_of,
    questions_ask,
    ranked_kinds,
    reads_digests,
    retrievers_ready,
)
from evaluation.services.runs.claims import Claim, Outcome
from evaluation.services.runs.faults import error_of, failed_outcome
from memory import bootstrap
from memory.adapters.precedence import precedence
from memory.core.ports import Retriever
from memory.core.types import RetrievalQuery, Unit


def retrieval_play(claim: Claim) -> None:
    """Ask each retriever what of the case it has not been asked; a retriever's figures of a case are written together."""
    waiting = claim.waiting()
    if not waiting:
        return
    parts = [list(part) for _, part in groupby(waiting, lambda item: (item.repeat, item.system))]
    names = tuple(dict.fromkeys(item.system for item in waiting))
    plan = retrieval_plan(claim.plan, names, claim.run.benchmark)
    case = case_of(claim.case.content)
    try:
        with (embedder := KeptVectors(bootstrap.embedder())).keeping():
            unfit = {name: why for name in names if (why := plan.unfit(name))}
            ready = retrievers_ready(case, read_evidence(case), plan, embedder, unfit)
    except Exception as fault:
        claim.write(retrieval_failed(claim, waiting, error_of(fault, f"The index of case {case.id}")))
        return
    for place, part in enumerate(parts):
        claim.go_on(may_give_up=place > 0)
        precedence.give_way()
        name = part[0].system
        try:
            outcomes = [] if name in unfit else outcomes_of(case, part, *ready[name], plan)
            error = unfit.get(name, "")
        except Exception as fault:
            error = error_of(fault, f"The retriever {name} on case {case.id}")
        claim.write(retrieval_failed(claim, part, error) if error else outcomes)


def retrieval_plan(plan: RunPlan, names: tuple[str, ...], benchmark: str) -> RetrievalPlan:
    """Return what `evaluate retrieval` would measure of these retrievers."""
    writers = None
    if plan.writes_digests and any(map(reads_digests, names)):
        writers = bootstrap.digest_writers(bootstrap.engine(plan.engine))
    return RetrievalPlan(names, plan.cuts, preset_of(plan.preset, benchmark), writers)


def retrieval_failed(claim: Claim, items: Sequence[RunItem], error: str) -> list[Outcome]:
    metrics = [*(f"{kind}_recall@{k}" for k in claim.plan.cuts for kind in ("session", "turn")), "mrr"]
    return [failed_outcome(item, error, metrics) for item in items]


def outcomes_of(
    case: Case, items: list[RunItem], index: CaseIndex, retriever: Retriever, plan: RetrievalPlan
) -> list[Outcome]:
    """Return how the questions of a case went with one retriever."""
    limit = max(plan.cuts)
    asked = {fitted(one.question.id, KEY_LIMIT): one for one in read_evidence(case).asked}
    answered = list(
        questions_ask([asked[item.key] for item in items], index, retriever, limit=limit, on_step=lambda count: None)
    )
    kinds = ranked_kinds(one.retrieval for one in answered)
    if not kinds:
        # A case may have one question, for which nothing was found: what the recipe ranks is told by the words of the case.
        kinds = ranked_kinds([retriever.retrieve(first_words(case, answered[0]), limit=limit)])
    judged_all = judged(items[0].system, answered, plan.cuts, kinds=kinds)
    return [
        outcome_of(item, figures, one, kinds) for item, figures, one in zip(items, judged_all, answered, strict=True)
    ]


def first_words(case: Case, answered: Answered) -> RetrievalQuery:
    words = next(turn.text for session in case.sessions for turn in session.turns if turn.text.strip())
    return replace(query_of(answered.asked), text=words)


def outcome_of(item: RunItem, judged: QuestionOutcome, answered: Answered, kinds: frozenset[Unit]) -> Outcome:
    found = answered.index.found(answered.retrieval, kinds=kinds)
    keys = found.turns if found.turns is not None else found.sessions or ()
    return Outcome(
        item,
        tuple(Figure(name, value, judged.why.get(name, "")) for name, value in judged.figures.items()),
        found=tuple(dict.fromkeys(fitted(key, KEY_LIMIT) for key in keys)),
        total_ms=judged.seconds * 1000,
        calls=0,
    )
