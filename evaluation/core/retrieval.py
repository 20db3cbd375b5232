"""Metrics of retrieval: recall at a cut-off, and the reciprocal rank of the first hit.

Recall is the share of the evidence among the first k of a ranking; the reciprocal rank is 1 over the rank of the first piece
of evidence, 0 where none is ranked (Manning, Raghavan and Schuetze, 2008, sections 8.3 and 8.4).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from evaluation.core.interval_rows import grouped, mean_row
from evaluation.core.report import Row
from evaluation.core.types import Case, CaseQuestion

NO_EVIDENCE = "a recall needs evidence, got none"


@dataclass(frozen=True)
class Sources:
    """The keys of the sessions and turns that a digest names as its sources."""

    sessions: frozenset[str] = frozenset()
    turns: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Found:
    """What a retriever found for one question, as keys of the case, best first.

    `sessions` are those of the ranked chunks, one a chunk, so a session may be repeated. It is None where the recipe ranks
    something else, which `why` names. `digests` has the sources of each kind of digest in order.
    """

    sessions: tuple[str, ...] | None = None
    turns: tuple[str, ...] | None = None
    digests: Mapping[str, tuple[Sources, ...]] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True)
class Evidence:
    """The keys of the sessions that contain a question's answer, and of the turns where the file names them."""

    sessions: frozenset[str]
    turns: frozenset[str] = frozenset()


@dataclass(frozen=True)
class QuestionOutcome:
    """The figures of one retriever for one question: a value, or None with the reason in `why`."""

    retriever: str
    case: str
    question_id: str
    category: str
    figures: Mapping[str, float | None]
    seconds: float
    why: Mapping[str, str] = field(default_factory=dict)


def covered_share(found: Collection[str], evidence: frozenset[str]) -> float:
    """Return the share of the evidence that was found. Raises `ValueError` where there is no evidence."""
    if not evidence:
        raise ValueError(NO_EVIDENCE)
    return len(evidence.intersection(found)) / len(evidence)


def reciprocal_rank(ranking: Sequence[str], evidence: frozenset[str]) -> float:
    """Return 1 over the rank, counted from 1, of the first evidence; 0 where none is ranked."""
    places = (place for place, key in enumerate(ranking, start=1) if key in evidence)
    first = next(places, None)
    return 1 / first if first else 0.0


def session_recall(found: Found, evidence: Evidence, k: int) -> float | None:
    """Return the recall of evidence sessions at k; sources of the first k digests of each kind count as found."""
    if found.sessions is None and not found.digests:
        return None
    return covered_share(context_sessions(found, k), evidence.sessions)


def turn_recall(found: Found, evidence: Evidence, k: int) -> float | None:
    """Return the recall of evidence turns at k; None where no turns are ranked or the file names none."""
    if found.turns is None or not evidence.turns:
        return None
    of_digests = {turn for ranking in found.digests.values() for sources in ranking[:k] for turn in sources.turns}
    return covered_share(of_digests.union(found.turns[:k]), evidence.turns)


def context_sessions(found: Found, k: int) -> set[str]:
    """Return the sessions of the first k chunks and of the first k digests of each kind."""
    of_digests = {
        session for ranking in found.digests.values() for sources in ranking[:k] for session in sources.sessions
    }
    return of_digests.union((found.sessions or ())[:k])


def question_figures(
    found: Found, evidence: Evidence, cuts: Sequence[int]
) -> tuple[dict[str, float | None], dict[str, str]]:
    """Return all figures of a question, and the reason for each that is None."""
    figures: dict[str, float | None] = {}
    for k in cuts:
        figures[f"session_recall@{k}"] = session_recall(found, evidence, k)
        figures[f"turn_recall@{k}"] = turn_recall(found, evidence, k)
    figures["mrr"] = None if found.sessions is None else reciprocal_rank(found.sessions, evidence.sessions)
    has_turns = found.turns is not None and bool(evidence.turns)
    figures["turn_mrr"] = reciprocal_rank(found.turns or (), evidence.turns) if has_turns else None
    for k in cuts if found.digests else ():
        figures[f"sessions_in_context@{k}"] = float(len(context_sessions(found, k)))
    no_turns = "the file names no turns as evidence" if found.turns is not None else found.why
    return figures, {
        name: no_turns if "turn" in name else found.why for name, value in figures.items() if value is None
    }


NOT_A_RATIO = "sessions_in_context"


def retrieval_rows(outcomes: Sequence[QuestionOutcome], *, seed: int = 0) -> list[Row]:
    """Return the figures of each retriever over all questions and by category, then each against the first retriever."""
    by_retriever = grouped(outcomes, lambda outcome: outcome.retriever)
    rows = [row for name, own in by_retriever.items() for row in retriever_rows(name, own, seed=seed)]
    first, *others = by_retriever or [""]
    for name in others:
        rows += comparison_rows(by_retriever[name], by_retriever[first], seed=seed)
    return rows


def retriever_rows(name: str, outcomes: Sequence[QuestionOutcome], *, seed: int) -> Iterator[Row]:
    for group in groups_of(outcomes):
        inside = [one for one in outcomes if group in ("", one.category)]
        for metric in metrics_of(outcomes):
            yield figure_row(name, metric, inside, group=group, seed=seed)
    seconds = fmean(one.seconds for one in outcomes)
    yield Row(name, "seconds_per_query", seconds, unit="s", n=len(outcomes))


def groups_of(outcomes: Sequence[QuestionOutcome]) -> list[str]:
    """Return "" for all questions, then the categories in order of appearance."""
    return list(dict.fromkeys(["", *(one.category for one in outcomes)]))


def metrics_of(outcomes: Sequence[QuestionOutcome]) -> list[str]:
    return list(dict.fromkeys(metric for one in outcomes for metric in one.figures))


def figure_row(name: str, metric: str, outcomes: Sequence[QuestionOutcome], *, group: str, seed: int) -> Row:
    """Return the mean over the questions that have the figure; where none has it, why."""
    unit = "sessions" if metric.startswith(NOT_A_RATIO) else "ratio"
    clusters = {case: list(figures.values()) for case, figures in figures_by_case(outcomes, metric).items()}
    none = first_reason(outcomes, metric)
    return mean_row(name, metric, clusters, unit=unit, group=group, none=none, seed=seed)


def first_reason(outcomes: Sequence[QuestionOutcome], metric: str) -> str:
    return next((one.why[metric] for one in outcomes if metric in one.why), "no question has it")


def figures_by_case(outcomes: Sequence[QuestionOutcome], metric: str) -> dict[str, dict[str, float]]:
    """Return the existing figures by case and question."""
    found: dict[str, dict[str, float]] = {}
    for one in outcomes:
        value = one.figures.get(metric)
        if value is not None:
            found.setdefault(one.case, {})[one.question_id] = value
    return found


def comparison_rows(ours: Sequence[QuestionOutcome], first: Sequence[QuestionOutcome], *, seed: int) -> Iterator[Row]:
    """Yield the mean difference of a retriever to the first one, over the questions where both have the figure."""
    name = f"{ours[0].retriever} against {first[0].retriever}"
    for metric in metrics_of(ours):
        if metric.startswith(NOT_A_RATIO):
            continue
        differences = paired_differences(figures_by_case(ours, metric), figures_by_case(first, metric))
        none = first_reason([*ours, *first], metric)
        yield mean_row(name, f"{metric}_difference", differences, none=none, seed=seed)


def paired_differences(
    ours: Mapping[str, Mapping[str, float]], first: Mapping[str, Mapping[str, float]]
) -> dict[str, list[float]]:
    """Return by case the differences of the questions that both have."""
    return {
        case: [value - first[case][question] for question, value in figures.items() if question in first[case]]
        for case, figures in ours.items()
        if case in first
    }


SHOWN = 5


@dataclass(frozen=True)
class AskedQuestion:
    """A question with its evidence in the case."""

    case: str
    question: CaseQuestion
    evidence: Evidence


@dataclass(frozen=True)
class UnknownEvidence:
    """References of a question, as the file has them, that name no turn or session of its case."""

    case: str
    question_id: str
    references: tuple[str, ...]
    leaves_nothing: bool


@dataclass(frozen=True)
class CaseEvidence:
    """The measurable questions of a case, the unknown references, and the number of questions without evidence."""

    asked: tuple[AskedQuestion, ...]
    unknown: tuple[UnknownEvidence, ...]
    without_evidence: int


def read_evidence(case: Case) -> CaseEvidence:
    """Return the questions of a case that have evidence, and what is wrong with the others."""
    session_of = {turn.key: session.key for session in case.sessions for turn in session.turns}
    sessions = {session.key for session in case.sessions}
    asked: list[AskedQuestion] = []
    unknown: list[UnknownEvidence] = []
    for question in case.questions:
        turns = frozenset(key for key in (*question.evidence, *question.marked) if key in session_of)
        named = frozenset(key for key in question.evidence if key in sessions and key not in turns)
        evidence = Evidence(sessions=named | {session_of[key] for key in turns}, turns=turns)
        if evidence.sessions:
            asked.append(AskedQuestion(case.id, question, evidence))
        stray = tuple(key for key in question.evidence if key not in turns and key not in named)
        if stray:
            unknown.append(UnknownEvidence(case.id, question.id, stray, leaves_nothing=not evidence.sessions))
    without = sum(not question.evidence for question in case.questions)
    return CaseEvidence(tuple(asked), tuple(unknown), without)


def evidence_rows(cases: Sequence[CaseEvidence]) -> Iterator[Row]:
    """Yield the numbers of measured and left-out questions, and the references that name nothing."""
    unknown = [one for case in cases for one in case.unknown]
    measured = sum(len(case.asked) for case in cases)
    lost = sum(one.leaves_nothing for one in unknown)
    without = sum(case.without_evidence for case in cases)
    total = measured + lost + without
    yield Row("questions", "measured", measured, unit="questions", n=total)
    yield Row(
        "questions",
        "without_evidence",
        without,
        unit="questions",
        n=total,
        why="the file names no evidence for them" if without else "",
    )
    yield Row(
        "questions",
        "evidence_names_nothing",
        lost,
        unit="questions",
        n=total,
        why="none of their evidence is in the case" if lost else "",
    )
    references = [
        f"{reference!r} of {one.case}, question {one.question_id}" for one in unknown for reference in one.references
    ]
    more = f" and {len(references) - SHOWN} more" if len(references) > SHOWN else ""
    why = f"no turn or session of the case: {', '.join(references[:SHOWN])}{more}" if references else ""
    yield Row("evidence", "references_unknown", len(references), unit="references", why=why)
