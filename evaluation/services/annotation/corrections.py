"""Corrects a space's memory by what people settled of its conflicts: audited edits, each of which can be undone."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction

from evaluation.core.errors import AnnotationRefused
from evaluation.models import AnnotationItem, AnnotationProject
from evaluation.selectors.annotation.roles import role_required
from evaluation.services.annotation.audit import event_add
from evaluation.services.annotation.overrides import FINAL
from memory.models import ConflictRecord
from memory.selectors import spaces_of
from memory.services.edits.audit import EditRefused
from memory.services.edits.decide import Verdict, conflict_decide, conflict_leave_both

CONFLICT_KIND = "conflict_verdict"
Decision = ConflictRecord.Decision
# What people settled, as a decision of the memory; where they say that it is unclear, there is none.
DECIDED = {"replaces": Decision.SUPERSEDED, "both_hold": Decision.BOTH, "old_stands": Decision.KEPT}
ASKED = {Decision.SUPERSEDED: Verdict.ACCEPT, Decision.KEPT: Verdict.REVERSE}


@dataclass(frozen=True)
class PlannedCorrection:
    """A conflict that people settled otherwise than the memory did; `old` and `new` are its sides in words."""

    item: AnnotationItem
    conflict: ConflictRecord
    old: str
    new: str
    now: str
    then: Decision


@dataclass(frozen=True)
class Corrected:
    """How many conflicts were decided anew, and why others could not be."""

    count: int
    refused: tuple[str, ...] = ()


def corrections_planned(project: AnnotationProject, *, by: User) -> list[PlannedCorrection]:
    """Return the conflicts that would be decided anew.

    Raises `AnnotationRefused` for another kind of project, and `PermissionDenied` for who may not change the memory.
    """
    role_required(project.space_id, by, "curate")
    if not spaces_of(by).filter(pk=project.space_id).exists():
        raise PermissionDenied("Only members of the memory may change it.")
    if project.kind != CONFLICT_KIND:
        raise AnnotationRefused("Only what people say of conflicts corrects the memory.")
    rows = AnnotationItem.objects.filter(
        project=project, standing__in=FINAL, gold__isnull=True, conflict__space=project.space_id
    )
    return [
        PlannedCorrection(item, conflict, item.content["old"], item.content["new"], conflict.decision, then)
        for item in rows.select_related("conflict").order_by("pk")
        if (conflict := item.conflict) is not None
        and (then := DECIDED.get((item.final or {}).get("verdict", ""))) is not None
        and then != conflict.decision
    ]


def corrections_apply(*, project: AnnotationProject, by: User) -> Corrected:
    """Decide conflicts as people settled them, each as an edit of its own. One that changed since it was shown is refused."""
    count, refused = 0, []
    for one in corrections_planned(project, by=by):
        conflict, seen = one.conflict, one.item.source.get("seen", "")
        about = {"item": one.item.pk, "conflict": conflict.pk, "decision": one.then}
        try:
            with transaction.atomic():
                if one.then == Decision.BOTH:
                    conflict_leave_both(conflict=conflict, by=by, seen=seen)
                else:
                    conflict_decide(conflict=conflict, decision=ASKED[one.then], by=by, seen=seen)
                event_add(space=project.space_id, project=project, by=by, what="correct", about=about)
        except EditRefused as error:
            refused.append(f"{one.new} / {one.old}: {error}")
        except ConflictRecord.DoesNotExist:
            refused.append("A conflict was forgotten meanwhile.")
        else:
            count += 1
    return Corrected(count, tuple(refused))
