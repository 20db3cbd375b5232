"""Writes down who did what in the annotation of a space. Nothing of it is ever changed."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from evaluation.models import AnnotationProject, ItemLease, ReviewEvent
from evaluation.selectors.annotation.events import UNBLIND
from memory.models import Space


def event_add(
    *, space: Space | int, project: AnnotationProject | None, by: User, what: str, about: dict[str, Any]
) -> ReviewEvent:
    """Write an event in the caller's transaction. `by` stays named when the account is gone."""
    return ReviewEvent.objects.create(
        space_id=space if isinstance(space, int) else space.pk,
        project=project,
        by=by,
        name=by.get_username(),
        what=what,
        about=about,
    )


def export_note(*, project: AnnotationProject, by: User, form: str, is_full: bool) -> ReviewEvent:
    """Write down that labels were taken out.

    Who takes those of open items too labels nothing more in the project, and what they hold is free again.
    """
    what = UNBLIND if is_full else "export"
    if is_full:
        ItemLease.objects.filter(item__project=project, user=by).delete()
    return event_add(space=project.space_id, project=project, by=by, what=what, about={"form": form})
