"""Teams that annotate, their projects and items, for tests."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.http import StreamingHttpResponse

from evaluation.models import Annotation, AnnotationItem, AnnotationProject, ReviewMember
from evaluation.services.annotation.answers import answer_store
from evaluation.services.annotation.projects import project_make
from memory.models import Space
from memory.services import space_create

YES, NO, UNSURE = {"verdict": "true"}, {"verdict": "false"}, {"verdict": "not_enough_information"}


def account(name: str) -> User:
    return User.objects.create_user(name)


def team(**roles: str) -> tuple[Space, Mapping[str, User]]:
    """Return a space that `owner` owns, and its people by name: each is given the role that stands behind their name."""
    people = {name: account(name) for name in ("owner", *roles)}
    space = space_create(name="Team", owner=people["owner"])
    for name, role in roles.items():
        ReviewMember.objects.create(space=space, user=people[name], role=role)
    return space, people


def project(space: Space, by: User, *, items: int = 0, **options: Any) -> AnnotationProject:
    made = project_make(space=space, by=by, name="Facts", kind="fact_verdict", **options)
    for number in range(items):
        item(made, f"f{number}")
    return made


def item(project: AnnotationProject, key: str, **columns: Any) -> AnnotationItem:
    """Add an item behind those that there are."""
    made = AnnotationItem(
        project=project,
        key=key,
        place=AnnotationItem.objects.filter(project=project).count(),
        content={"fact": f"{key} is a fact."},
        wants=project.annotators,
    )
    for name, value in columns.items():
        setattr(made, name, value)
    made.save()
    return made


def says(user: User, item: AnnotationItem, answer: Any, **more: Any) -> Annotation:
    return answer_store(item=item, user=user, answer=answer, sent_as=more.pop("sent_as", uuid.uuid4()), **more)


def streamed(response: StreamingHttpResponse) -> str:
    """Return a streamed file as text."""

    async def read() -> bytes:
        return b"".join([piece async for piece in response])

    return async_to_sync(read)().decode()
