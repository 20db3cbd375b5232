"""Writes a project out: all that was said of its items, or what people ended with as data to learn from and to measure by."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Prefetch, QuerySet

from evaluation.benchmarks.finedialfact import ASKER, LABELS, SPEAKER
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.errors import AnnotationRefused
from evaluation.models import Annotation, AnnotationItem, AnnotationProject, Guideline
from evaluation.selectors.annotation.items import settlements_marked
from evaluation.selectors.annotation.roles import role_required
from evaluation.services.annotation.audit import export_note
from evaluation.services.annotation.files.lines import VERSION, record_told
from evaluation.services.annotation.files.tables import table_lines
from evaluation.services.annotation.overrides import FACT_KIND, FINAL

A_BATCH = 500
MESSAGE_KIND = "message_facts"
STATUS_NAMES = {status.value: name for name, status in LABELS.items()}
NOT_A_CLAIM = "not_a_claim"
Written = Callable[[AnnotationProject, bool], Iterator[str]]


def project_export(*, project: AnnotationProject, by: User, form: str, is_full: bool = False) -> Iterator[str]:
    """Return the pieces of a file of a project's items: those that people ended with, or all of them.

    Whoever takes all of them out labels nothing more in the project. `form` is one of `WRITTEN`. Raises `AnnotationRefused`.
    """
    role_required(project.space_id, by, "curate")
    if form not in WRITTEN:
        raise AnnotationRefused(f"There is no form {form!r}. Forms: {', '.join(WRITTEN)}.")
    kind = NEEDED.get(form, project.kind)
    if kind != project.kind:
        raise AnnotationRefused(f"The form {form} is for projects of the kind {kind}, not {project.kind}.")
    if is_full and form in NEEDED:
        raise AnnotationRefused(f"The form {form} holds what people ended with, and nothing of open items.")
    export_note(project=project, by=by, form=form, is_full=is_full)
    return WRITTEN[form](project, is_full)


def items_of(project: AnnotationProject, is_full: bool) -> QuerySet[AnnotationItem]:
    items = AnnotationItem.objects.filter(project=project).order_by("place", "pk")
    if not is_full:
        items = items.filter(standing__in=FINAL, gold__isnull=True)
    return items.prefetch_related(
        Prefetch("annotations", Annotation.objects.select_related("guideline").order_by("pk")),
        Prefetch("settlements", settlements_marked()),
    )


def told(project: AnnotationProject, is_full: bool) -> Iterator[AnnotationItem]:
    return items_of(project, is_full).iterator(chunk_size=A_BATCH)


def json_lines(project: AnnotationProject, is_full: bool) -> Iterator[str]:
    guidelines = Guideline.objects.filter(project=project)
    yield line(
        {
            "annotation": VERSION,
            "kind": project.kind,
            "name": project.name,
            "annotators": project.annotators,
            "gold_every": project.gold_every,
            "order": project.order,
            "lease_minutes": project.lease_minutes,
            "guidelines": [
                {"version": one.version, "text": one.text, "at": one.created_at.isoformat()} for one in guidelines
            ],
        }
    )
    for item in told(project, is_full):
        yield line(record_told(item))


def table(project: AnnotationProject, is_full: bool) -> Iterator[str]:
    return table_lines(map(record_told, told(project, is_full)), kind_named(project.kind))


def verified_facts(project: AnnotationProject, is_full: bool) -> Iterator[str]:
    """Yield what `manage.py evaluate facts` reads: people's verdicts in FineDialFact's form, each with where it is from."""
    yield "[\n"
    for number, item in enumerate(told(project, is_full)):
        yield (",\n" if number else "") + json.dumps(fact_told(item), ensure_ascii=False)
    yield "\n]\n"


def fact_told(item: AnnotationItem) -> dict[str, Any]:
    speaker, final = item.source.get("speaker", ""), item.final or {}
    *before, last = item.content.get("dialogue") or [{"speaker": "", "text": ""}]
    return {
        "id": item.cluster or item.key,
        "atomic_fact": item.content["fact"],
        "history": [[SPEAKER if one["speaker"] == speaker else ASKER, one["text"]] for one in before],
        ASKER: last["text"],
        "evidence": [
            {"id": str(place), **passage} for place, passage in enumerate(item.content.get("evidence", ()), start=1)
        ],
        "isFactualClaim": "non-verifiable" if final["verdict"] == NOT_A_CLAIM else "verifiable",
        "factualLabel": status_name(final),
        "annotators": {one.name: status_name(one.answer) for one in item.annotations.all() if one.undone_at is None},
        "provenance": provenance(item),
    }


def status_name(answer: Mapping[str, str]) -> str:
    """Return FineDialFact's name of a verdict; it has none of its own for what claims nothing."""
    return STATUS_NAMES.get(answer["verdict"], "Not Enough Info")


def provenance(item: AnnotationItem) -> dict[str, Any]:
    """Return where a label is from: the project and its item, who ended it how, and under which guidelines."""
    labels = [one for one in item.annotations.all() if one.undone_at is None]
    settled = list(item.settlements.all())[-1:]
    return {
        "project": item.project_id,
        "item": item.key,
        "standing": item.standing,
        "annotators": [one.name for one in labels],
        "guidelines": sorted({one.guideline.version for one in labels}),
        "settled_by": [one.name for one in settled],
        "reason": [one.reason for one in settled],
        "at": max([*(one.created_at for one in labels), *(one.created_at for one in settled)]).isoformat(),
    }


def labelled_messages(project: AnnotationProject, is_full: bool) -> Iterator[str]:
    """Yield what `manage.py train message-reader --own` and `evaluate messages` read: messages with people's facts."""
    for item in told(project, is_full):
        yield line(
            {
                "p": item.content.get("before", ""),
                "s": item.content["message"],
                "r": item.stratum or "own",
                "f": (item.final or {})["facts"],
                "src": f"review/{item.project_id}/{item.key}",
                "provenance": provenance(item),
            }
        )


def line(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False) + "\n"


WRITTEN: dict[str, Written] = {
    "jsonl": json_lines,
    "csv": table,
    "facts": verified_facts,
    "messages": labelled_messages,
}
NEEDED = {"facts": FACT_KIND, "messages": MESSAGE_KIND}
