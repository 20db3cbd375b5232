"""Measuring retrievers by the evidence of a benchmark's questions: each case in an index of its own, no language model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.adapters.kept_vectors import KeptVectors
from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.catalogue import AUTO, only_cases, read_cases
from evaluation.core.errors import EvaluationError, UnknownName
from evaluation.core.report import Row
from evaluation.core.retrieval import (
    AskedQuestion,
    CaseEvidence,
    QuestionOutcome,
    evidence_rows,
    question_figures,
    read_evidence,
    retrieval_rows,
)
from evaluation.core.runs.items import of_each_category
from evaluation.core.types import Case
from evaluation.services.case_digests import case_digests
from evaluation.services.case_index import CaseDigests, CaseIndex, case_index
from memory import bootstrap
from memory.core.errors import RetrieverUnfit
from memory.core.ports import DialogueIndex, Retriever
from memory.core.sentence_graph.catalogue import RETRIEVERS, make_retriever
from memory.core.sentence_graph.config import PRESETS, SgmemConfig
from memory.core.sentence_graph.digests.types import DigestWriters
from memory.core.sentence_graph.fused.config import FUSED_WITHOUT
from memory.core.sentence_graph.fused.retriever import FusedRetriever
from memory.core.types import Retrieval, RetrievalQuery, Unit

WITHOUT = "fused_without_"
ABLATIONS = {f"{WITHOUT}{part}": config for part, config in FUSED_WITHOUT.items()}
DIGEST_ENDINGS = ("_f", "_mfi")
DIGEST_READERS = frozenset({"memory_bank", "ld_agent", "long_mem_eval", "memory_scope", "rmm"})
DEFAULT_PRESET = "longmemeval"
NO_DIGESTS = "no digests were written (--no-digests)"


@dataclass(frozen=True)
class RetrievalPlan:
    """What to measure: retrievers in order, cut-offs, SGMem's hyperparameters, and the engine that writes digests, if any."""

    retrievers: tuple[str, ...]
    cuts: tuple[int, ...]
    config: SgmemConfig
    writers: DigestWriters | None = None

    def unfit(self, name: str) -> str:
        """Return why a retriever cannot be measured; "" where it can."""
        return NO_DIGESTS if reads_digests(name) and self.writers is None else ""


@dataclass(frozen=True)
class Answered:
    """A question, a retriever's result for it, and the seconds that it took."""

    asked: AskedQuestion
    index: CaseIndex
    retrieval: Retrieval
    seconds: float


@dataclass(frozen=True)
class RetrievalResult:
    """The figures of all questions, what was wrong with the evidence, and the retrievers that could not be measured."""

    outcomes: tuple[QuestionOutcome, ...]
    evidence: tuple[CaseEvidence, ...]
    unfit: Mapping[str, str]
    cuts: tuple[int, ...]
    seed: int

    def rows(self) -> list[Row]:
        lacking = [
            Row(name, metric, None, unit="ratio", n=0, why=why)
            for name, why in self.unfit.items()
            for metric in (*(f"{kind}_recall@{k}" for k in self.cuts for kind in ("session", "turn")), "mrr")
        ]
        return [*retrieval_rows(self.outcomes, seed=self.seed), *lacking, *evidence_rows(self.evidence)]


def retrieval_evaluate(
    *,
    path: Path,
    plan: RetrievalPlan,
    format: str = AUTO,
    only: str = "",
    limit: int | None = None,
    questions: int | None = None,
    vectors: Path | None = None,
    seed: int = 0,
    quiet: bool = False,
) -> RetrievalResult:
    """Ask every retriever every question of the file that has evidence. The file is read whole before anything is done."""
    names_check(plan.retrievers)
    cases = list(only_cases(read_cases(path, format=format), only=only, limit=limit))
    if not cases:
        raise UnknownName(f"{path.name} has no case {only!r}.")
    evidence = [measured(read_evidence(case), most=questions) for case in cases]
    asked = sum(len(one.asked) for one in evidence)
    if not asked:
        raise EvaluationError(f"{path.name}: no question that was asked for has evidence in its case.")
    embedder = KeptVectors(bootstrap.embedder(), vectors)
    unfit = {name: why for name in plan.retrievers if (why := plan.unfit(name))}
    answered: dict[str, list[Answered]] = {name: [] for name in plan.retrievers if name not in unfit}
    turns = sum(case.turn_count for case in cases)
    steps = turns + asked * len(answered)
    with progress_bar(steps, title=path.stem, unit="turns and questions", hidden=quiet) as bar:
        for case, read in zip(cases, evidence, strict=True):
            with embedder.keeping():
                ready = retrievers_ready(case, read, plan, embedder, unfit)
            bar.update(case.turn_count)
            for name, (index, retriever) in ready.items():
                answered[name] += questions_ask(read.asked, index, retriever, limit=max(plan.cuts), on_step=bar.update)
    outcomes = [
        outcome
        for name, all_of in answered.items()
        if all_of
        for outcome in judged(name, all_of, plan.cuts, kinds=ranked_kinds(one.retrieval for one in all_of))
    ]
    return RetrievalResult(tuple(outcomes), tuple(evidence), unfit, plan.cuts, seed)


def measured(read: CaseEvidence, *, most: int | None) -> CaseEvidence:
    """Return the evidence of a case with the first questions of each category that have any."""
    kept = of_each_category([one.question for one in read.asked], most)
    return replace(read, asked=tuple(one for one in read.asked if one.question in kept))


def preset_of(name: str, benchmark: str) -> SgmemConfig:
    """Return SGMem's hyperparameters by name, those of the benchmark for `auto`."""
    chosen = benchmark if name == AUTO and benchmark in PRESETS else name
    chosen = DEFAULT_PRESET if chosen == AUTO else chosen
    if chosen not in PRESETS:
        raise UnknownName(f"There are no hyperparameters {chosen!r}. There are: {', '.join(PRESETS)}.")
    return PRESETS[chosen]


def names_check(names: Sequence[str]) -> None:
    """Raise `UnknownName` for a retriever that does not exist, and for one that is named twice."""
    for name in names:
        if name not in RETRIEVERS and name not in ABLATIONS:
            known = ", ".join([*RETRIEVERS, *ABLATIONS])
            raise UnknownName(f"There is no retriever {name!r}. There are: {known}.")
    if len(set(names)) < len(names):
        raise UnknownName("A retriever is named twice.")


def reads_digests(name: str) -> bool:
    return name.endswith(DIGEST_ENDINGS) or name in DIGEST_READERS


def retrievers_ready(
    case: Case, read: CaseEvidence, plan: RetrievalPlan, embedder: KeptVectors, unfit: dict[str, str]
) -> dict[str, tuple[CaseIndex, Retriever]]:
    """Return the retrievers over a case's index, each warmed up with one question so that embedding does not count as search.

    Retrievers that lack something are added to `unfit`.
    """
    segmenter = bootstrap.segmenter()
    is_digested = plan.writers is not None and any(reads_digests(name) for name in plan.retrievers)
    digests = CaseDigests()
    if is_digested and plan.writers is not None:
        digests = case_digests(case, writers=plan.writers, embedder=embedder, segmenter=segmenter)
    index = case_index(case, embedder=embedder, segmenter=segmenter, digests=digests)
    ready: dict[str, tuple[CaseIndex, Retriever]] = {}
    for name in plan.retrievers:
        if name in unfit:
            continue
        try:
            retriever = retriever_over(index.index, name, plan.config)
        except RetrieverUnfit as error:
            unfit[name] = str(error)
            continue
        if read.asked:
            retriever.retrieve(query_of(read.asked[0]), limit=max(plan.cuts))
        ready[name] = index, retriever_over(index.index, name, plan.config)
    return ready


def retriever_over(index: DialogueIndex, name: str, config: SgmemConfig) -> Retriever:
    """Return a retriever. Raises `RetrieverUnfit`."""
    if name in ABLATIONS:
        return FusedRetriever(index, config=ABLATIONS[name], name=name)
    return make_retriever(name, index, config=config, relevance=bootstrap.relevance_model())


def query_of(asked: AskedQuestion) -> RetrievalQuery:
    question = asked.question
    return RetrievalQuery(question.question, question.asked_at, question.asked_by)


def questions_ask(
    asked: Sequence[AskedQuestion],
    index: CaseIndex,
    retriever: Retriever,
    *,
    limit: int,
    on_step: Callable[[int], object],
) -> Iterator[Answered]:
    for one in asked:
        began = time.perf_counter()
        retrieval = retriever.retrieve(query_of(one), limit=limit)
        yield Answered(one, index, retrieval, time.perf_counter() - began)
        on_step(1)


def ranked_kinds(retrievals: Iterable[Retrieval]) -> frozenset[Unit]:
    """Return the units that a recipe ranks, as far as it found any."""
    return frozenset(unit for one in retrievals for unit, chunks in one.chunks.items() if chunks)


def judged(
    name: str, answered: Sequence[Answered], cuts: Sequence[int], *, kinds: frozenset[Unit]
) -> Iterator[QuestionOutcome]:
    """Yield the figures of every question, for the `kinds` that the recipe ranks."""
    why = unranked_reason(answered[0].retrieval, kinds)
    for one in answered:
        found = replace(one.index.found(one.retrieval, kinds=kinds), why=why)
        figures, reasons = question_figures(found, one.asked.evidence, cuts)
        question = one.asked.question
        yield QuestionOutcome(name, one.asked.case, question.id, question.category, figures, one.seconds, reasons)


def unranked_reason(retrieval: Retrieval, kinds: frozenset[Unit]) -> str:
    if kinds:
        return f"the recipe ranks {' and '.join(sorted(f'{kind}s' for kind in kinds))}, no turns"
    return "the recipe ranks digests, no chunks" if retrieval.digests else retrieval.reason or "it ranks nothing"
