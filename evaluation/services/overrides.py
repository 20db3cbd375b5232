"""A person's score in place of a measured one. Rows are only added: the latest of an item and a metric counts."""

from __future__ import annotations

from django.contrib.auth.models import User

from evaluation.core.errors import OverrideRefused
from evaluation.core.runs.metrics import BY_PEOPLE, scale_of
from evaluation.models import ItemScore, ItemState, RunItem, ScoreOverride

COMMENT_LIMIT = 2_000


def score_override(*, item: RunItem, metric: str, value: float, comment: str, by: User) -> ScoreOverride:
    """Let a person's score count for one figure of an ended item: one that was measured, or one that people alone give.

    Raises `OverrideRefused`.
    """
    if item.state == ItemState.WAITING:
        raise OverrideRefused("This item has not ended yet. Override its score when it has.")
    if metric not in BY_PEOPLE and not ItemScore.objects.filter(item__run=item.run_id, metric=metric).exists():
        raise OverrideRefused(f"No item of this run has a score {metric!r}. Override one of those that there are.")
    low, high = scale_of(metric)
    if not low <= value <= high:
        raise OverrideRefused(f"{value} is no score of {metric}. Give a number from {low} to {high}.")
    return add(item, metric, value, comment.strip(), by)


def override_take_back(*, item: RunItem, metric: str, comment: str = "", by: User) -> ScoreOverride:
    """Let the measured score count again. Raises `OverrideRefused` where it does already."""
    latest = ScoreOverride.objects.filter(item=item, metric=metric).order_by("-pk").first()
    if latest is None or latest.value is None:
        raise OverrideRefused("The measured score counts already. There is nothing to take back.")
    return add(item, metric, None, comment.strip(), by)


def add(item: RunItem, metric: str, value: float | None, comment: str, by: User) -> ScoreOverride:
    if value is not None and not comment:
        raise OverrideRefused("Say in a few words why, so that others can judge your score.")
    if len(comment) > COMMENT_LIMIT:
        raise OverrideRefused(f"The comment has more than {COMMENT_LIMIT} characters. Shorten it.")
    return ScoreOverride.objects.create(item=item, metric=metric, value=value, comment=comment, by=by)
