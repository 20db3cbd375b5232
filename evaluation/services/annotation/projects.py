"""Makes, closes and deletes annotation projects, and adds versions of their guidelines."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.errors import AnnotationRefused
from evaluation.models import (
    Annotation,
    AnnotationItem,
    AnnotationProject,
    Guideline,
    ItemLease,
    ItemSkip,
    MachinePass,
    ProjectOrder,
    QueuePlace,
    Settlement,
)
from evaluation.selectors.annotation.roles import role_required
from evaluation.services.annotation.audit import event_add
from memory.core.plain_text import has_words, storable
from memory.models import Space

NAME_LIMIT, GUIDELINE_LIMIT = 120, 50_000
MOST_ANNOTATORS, LONGEST_LEASE, RAREST_GOLD = 9, 24 * 60, 1_000


@transaction.atomic
def project_make(
    *,
    space: Space,
    by: User,
    name: str,
    kind: str,
    annotators: int = 2,
    gold_every: int = 0,
    order: str = ProjectOrder.RANDOM,
    lease_minutes: int = 30,
    guideline: str = "",
) -> AnnotationProject:
    """Make a project without items; its guideline begins as that of its kind where none is given.

    Raises `AnnotationRefused`, and `UnknownName` for a kind that there is not.
    """
    role_required(space, by, "curate")
    known = kind_named(kind)
    refuse_unless(
        has_words(name) and len(name) <= NAME_LIMIT, f"Give the project a name of at most {NAME_LIMIT} characters."
    )
    refuse_unless(1 <= annotators <= MOST_ANNOTATORS, f"An item is labelled by 1 to {MOST_ANNOTATORS} people.")
    refuse_unless(
        gold_every == 0 or 2 <= gold_every <= RAREST_GOLD,
        f"One item in 2 to {RAREST_GOLD} can be a gold check, or none of them (0).",
    )
    refuse_unless(1 <= lease_minutes <= LONGEST_LEASE, f"An item is given for 1 to {LONGEST_LEASE} minutes.")
    refuse_unless(
        order in ProjectOrder.values, f"There is no order {order!r}. Orders: {', '.join(ProjectOrder.values)}."
    )
    project = AnnotationProject.objects.create(
        space=space,
        created_by=by,
        name=storable(name.strip()),
        kind=known.name,
        annotators=annotators,
        gold_every=gold_every,
        order=order,
        lease_minutes=lease_minutes,
    )
    Guideline.objects.create(project=project, version=1, text=guideline_read(guideline or known.guideline), by=by)
    event_add(space=space, project=project, by=by, what="make", about={"name": project.name, "kind": kind})
    return project


def guideline_read(text: str) -> str:
    text = storable(text.strip())
    refuse_unless(
        has_words(text) and len(text) <= GUIDELINE_LIMIT,
        f"Write a guideline of at most {GUIDELINE_LIMIT} characters, so that everybody labels by the same rules.",
    )
    return text


@transaction.atomic
def guideline_add(*, project: AnnotationProject, text: str, by: User) -> Guideline:
    """Let a new version of the guideline count from now on; labels keep the version that they were made under."""
    role_required(project.space_id, by, "curate")
    text = guideline_read(text)
    AnnotationProject.objects.select_for_update(no_key=True).get(pk=project.pk)
    last = Guideline.objects.filter(project=project).aggregate(last=Max("version"))["last"]
    made = Guideline.objects.create(project=project, version=last + 1, text=text, by=by)
    event_add(space=project.space_id, project=project, by=by, what="guideline", about={"version": made.version})
    return made


def project_close(*, project: AnnotationProject, by: User) -> None:
    """Let nobody label any more; what was said stays, and disputes can still be settled."""
    _closed(project, by, is_closed=True)


def project_reopen(*, project: AnnotationProject, by: User) -> None:
    _closed(project, by, is_closed=False)


@transaction.atomic
def _closed(project: AnnotationProject, by: User, *, is_closed: bool) -> None:
    role_required(project.space_id, by, "curate")
    if AnnotationProject.objects.filter(pk=project.pk, is_closed=not is_closed).update(is_closed=is_closed):
        event_add(space=project.space_id, project=project, by=by, what="close" if is_closed else "reopen", about={})
    project.is_closed = is_closed


@transaction.atomic
def project_delete(*, project: AnnotationProject, by: User) -> None:
    """Delete a project with all that people said in it: only an owner may. That it was deleted is written down."""
    role_required(project.space_id, by, "own")
    # Locked in the order in which others lock, so that nobody adds to what goes: machine, items, project, queue.
    MachinePass.objects.filter(project=project).delete()
    items = AnnotationItem.objects.filter(project=project).order_by("pk")
    count = len(items.select_for_update(no_key=True).values_list("pk"))
    for locked in (AnnotationProject.objects.filter(pk=project.pk), QueuePlace.objects.filter(project=project)):
        list(locked.select_for_update())
    # Table by table: a cascade would read every row, and take minutes for a large project.
    for said in (Annotation, ItemLease, ItemSkip, Settlement):
        said.objects.filter(item__project=project).delete()
    items.order_by()._raw_delete(items.db)
    AnnotationProject.objects.filter(pk=project.pk).delete()
    about = {"name": project.name, "items": count}
    event_add(space=project.space_id, project=None, by=by, what="delete", about=about)


def refuse_unless(is_right: bool, sentence: str) -> None:
    if not is_right:
        raise AnnotationRefused(sentence)
