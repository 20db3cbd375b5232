"""Report rows of retrieval: each figure with its interval, the comparison with the first retriever, and missing figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from evaluation.core.interval_rows import grouped, mean_row
from evaluation.core.report import Row
from evaluation.core.retrieval import QuestionOutcome

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
