"""What a sample is drawn by, and how it becomes items of a project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q

from evaluation.core.annotation.drafts import RANDOM, ItemDraft, first_of
from evaluation.core.errors import AnnotationRefused
from evaluation.models import AnnotationProject, ProjectOrder
from evaluation.selectors.annotation.roles import role_required
from evaluation.services.annotation.filling import items_add
from evaluation.services.annotation.machine import machine_promise
from evaluation.services.annotation.players import PLAYERS
from memory.selectors import spaces_of

MOST = 20_000


@dataclass(frozen=True)
class Sample:
    """How many are drawn, by which order, and for which seed; `since` and `until` are days that count, in UTC."""

    limit: int = 100
    order: str = RANDOM
    seed: int = 0
    since: date | None = None
    until: date | None = None

    def within(self, column: str) -> Q:
        """Return the condition that a moment is in the days asked for."""
        asked = Q()
        if self.since is not None:
            asked &= Q(**{f"{column}__gte": datetime.combine(self.since, time(), UTC)})
        if self.until is not None:
            asked &= Q(**{f"{column}__lte": datetime.combine(self.until, time.max, UTC)})
        return asked

    def drawn(self, drafts: Sequence[ItemDraft]) -> list[ItemDraft]:
        return first_of(drafts, order=self.order, seed=self.seed, limit=self.limit)


def sample_check(project: AnnotationProject, by: User, sample: Sample) -> None:
    """Raise what speaks against a sample: its numbers, or that who asks may not read what it is drawn from."""
    role_required(project.space_id, by, "curate")
    if not spaces_of(by).filter(pk=project.space_id).exists():
        raise PermissionDenied("Only members of the memory may draw from what was said in it.")
    if not 1 <= sample.limit <= MOST:
        raise AnnotationRefused(f"A sample has 1 to {MOST:,} items.")
    if sample.order not in ProjectOrder.values:
        raise AnnotationRefused(f"There is no order {sample.order!r}. Orders: {', '.join(ProjectOrder.values)}.")


@transaction.atomic
def sample_add(*, project: AnnotationProject, by: User, drafts: Sequence[ItemDraft]) -> int:
    """Add a sample, and ask the machine about what it has not answered; return how many items are new."""
    added = items_add(project=project, drafts=drafts, by=by)
    if added and project.kind in PLAYERS and any(draft.machine is None for draft in drafts):
        machine_promise(project=project)
    return added
