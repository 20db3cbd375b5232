"""Brings files of items in: as a new project, or into one that is there. All of a file, or nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from evaluation.core.annotation.drafts import ItemRecord
from evaluation.core.errors import AnnotationRefused, MalformedAnnotation, MalformedBenchmark
from evaluation.core.naming import NAME_LIMIT, fitted
from evaluation.models import AnnotationProject, Guideline
from evaluation.selectors.annotation.roles import role_required
from evaluation.services.annotation.files.recognising import ItemFile, item_file
from evaluation.services.annotation.filling import records_add
from evaluation.services.annotation.projects import guideline_read, project_make
from memory.models import Space

PEOPLE = "people"


@transaction.atomic
def project_import(
    *,
    space: Space,
    by: User,
    path: Path,
    name: str = "",
    kind: str = "",
    labelled_by: str = PEOPLE,
    limit: int | None = None,
    **settings: Any,
) -> tuple[AnnotationProject, int]:
    """Make a project of a file, and return it with the number of its items.

    `settings` are those of `project_make`; where they say nothing, those of the file count. Labels that a file gives to
    nobody are `labelled_by`'s. Raises `MalformedAnnotation` that names the row and the field, and `AnnotationRefused`.
    """
    role_required(space, by, "curate")
    file = told(path, kind, labelled_by)
    given = {**file.settings, **{key: value for key, value in settings.items() if value is not None}}
    called = name or given.pop("name", "") or fitted(path.stem, NAME_LIMIT)
    first = next((one.text for one in file.guidelines if one.version == 1), "")
    given.pop("name", None)
    project = project_make(space=space, by=by, name=called, kind=file.kind.name, guideline=first, **given)
    guidelines_take(project, file)
    return project, items_take_in(project, file, path, by, limit)


@transaction.atomic
def items_import(
    *, project: AnnotationProject, by: User, path: Path, labelled_by: str = PEOPLE, limit: int | None = None
) -> int:
    """Add the items of a file to a project, and return how many are new. Raises as `project_import`."""
    role_required(project.space_id, by, "curate")
    file = told(path, project.kind, labelled_by)
    if file.kind.name != project.kind:
        raise AnnotationRefused(f"{path.name} is for a project of the kind {file.kind.name}, not {project.kind}.")
    return items_take_in(project, file, path, by, limit)


def told(path: Path, kind: str, labelled_by: str) -> ItemFile:
    try:
        return item_file(path, kind=kind, labelled_by=labelled_by)
    except MalformedBenchmark as error:
        raise MalformedAnnotation(str(error)) from error


def guidelines_take(project: AnnotationProject, file: ItemFile) -> None:
    """Keep the versions of the guideline that a file has, with their times."""
    for one in file.guidelines:
        values = {"text": guideline_read(one.text)} | ({} if one.at is None else {"created_at": one.at})
        Guideline.objects.update_or_create(project=project, version=one.version, defaults=values)


def items_take_in(project: AnnotationProject, file: ItemFile, path: Path, by: User, limit: int | None) -> int:
    read = 0

    def counted() -> Iterator[ItemRecord]:
        nonlocal read
        for record in islice(file.read(), limit):
            read += 1
            yield record

    try:
        added = records_add(project=project, records=counted(), by=by, what="import")
    except MalformedBenchmark as error:
        raise MalformedAnnotation(str(error)) from error
    if not read:
        raise MalformedAnnotation(f"{path.name}: there is no record in it.")
    return added
