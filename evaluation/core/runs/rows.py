"""The rows of a run: each figure of each system with its interval, what failed, what is unscored, what it took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evaluation.core.costs import cost_rows
from evaluation.core.interval_rows import grouped, mean_row, ratio_row
from evaluation.core.report import Row
from evaluation.core.runs.metrics import EffectiveScore, ItemCost, metric_of

NONE_SCORED = "no item has this figure"


def score_rows(scores: Sequence[EffectiveScore], *, has_positions: bool) -> list[Row]:
    """Return each system's figures: of all items, of each category, and in dialogues of each turn.

    Items of one case are one cluster. What failed counts as 0; what is unscored is out of the denominator, and counted.
    """
    rows: list[Row] = []
    for system, own in grouped(scores, lambda one: one.system).items():
        for metric, inside in grouped(own, lambda one: one.metric).items():
            rows += metric_rows(system, metric, inside, has_positions=has_positions)
    return rows


def metric_rows(system: str, metric: str, scores: Sequence[EffectiveScore], *, has_positions: bool) -> Iterator[Row]:
    yield figure_row(system, metric, scores)
    for category, inside in grouped(scores, lambda one: one.category).items():
        if category:
            yield figure_row(system, metric, inside, group=category)
    if has_positions:
        for position, inside in grouped(sorted(scores, key=lambda one: one.position), position_of).items():
            yield figure_row(system, metric, inside, group=position)
    lacking = [one for one in scores if one.value is None]
    if lacking:
        yield Row(system, f"{metric}_unscored", len(lacking), "items", len(scores), why=first_why(lacking))


def position_of(score: EffectiveScore) -> str:
    return f"turn {score.position}"


def figure_row(system: str, metric: str, scores: Sequence[EffectiveScore], *, group: str = "") -> Row:
    """Return the mean of a figure over the items that have it."""
    kind = metric_of(metric)
    clusters: dict[str, list[float]] = {}
    for one in scores:
        if one.value is not None:
            clusters.setdefault(one.case_key, []).append(one.value)
    none = first_why(scores) or NONE_SCORED
    if kind.is_share and all(value in (0.0, 1.0) for values in clusters.values() for value in values):
        shares = {case: [value == 1.0 for value in values] for case, values in clusters.items()}
        return ratio_row(system, metric, shares, group=group, none=none)
    return mean_row(system, metric, clusters, unit=kind.unit, group=group, none=none)


def first_why(scores: Sequence[EffectiveScore]) -> str:
    return next((one.why for one in scores if one.value is None and one.why), "")


def item_rows(items: Sequence[ItemCost]) -> list[Row]:
    """Return for each system how many items ended and failed, and what a reply took."""
    return [row for system, own in grouped(items, lambda one: one.system).items() for row in system_rows(system, own)]


def system_rows(system: str, items: Sequence[ItemCost]) -> Iterator[Row]:
    failed = [one for one in items if one.error]
    yield Row(system, "items", len(items), "items")
    yield Row(system, "failed", len(failed), "items", len(items), why=failed[0].error if failed else "")
    seconds = {case: [one.total_ms / 1000 for one in own if one.total_ms is not None] for case, own in by_case(items)}
    yield mean_row(system, "seconds", seconds, unit="s", none="no item has ended well")
    yield from figures_of(system, "calls", {case: [one.calls for one in own] for case, own in by_case(items)})
    yield from figures_of(system, "tokens", {case: [one.tokens for one in own] for case, own in by_case(items)})
    for prefix, times in (
        ("", [one.total_ms for one in items if one.total_ms is not None]),
        ("first_token_", [one.first_token_ms for one in items if one.first_token_ms is not None]),
    ):
        if times:
            yield from cost_rows(system, times, prefix=prefix)


def by_case(items: Sequence[ItemCost]) -> list[tuple[str, list[ItemCost]]]:
    return list(grouped(items, lambda one: one.case_key).items())


def figures_of(system: str, metric: str, counts: Mapping[str, Sequence[int | None]]) -> Iterator[Row]:
    """Yield the mean number a reply; that of what nothing tells is not known."""
    known = {case: [float(count) for count in own if count is not None] for case, own in counts.items()}
    yield mean_row(system, metric, known, unit=metric, none=f"nothing tells the {metric}")


def left_out_rows(left_out: Sequence[tuple[str, str]], metric: str) -> list[Row]:
    """Return a row for each system that was asked for and could not be played."""
    return [Row(system, metric, None, "ratio", 0, why=why) for system, why in left_out]


def in_order(rows: Sequence[Row], systems: Sequence[str]) -> list[Row]:
    """Return the rows of the systems in their order, those of one system together."""
    by_name = grouped(rows, lambda row: row.name)
    return [row for system in systems for row in by_name.get(system, ())]
