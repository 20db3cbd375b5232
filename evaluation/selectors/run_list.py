"""Reads the list of runs: what is asked for, a page of them, how far each is, and what there is to choose from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet

from evaluation.models import EvaluationRun
from evaluation.selectors.runs import runs_of
from memory.models import Membership
from memory.selectors.pages import Page, page_of

PAGE = 20
# The choices of the filters are those of so many newest runs.
CHOICES_OF = 500


@dataclass(frozen=True)
class RunsAsked:
    """What the list is filtered by; empty where all are asked for."""

    text: str = ""
    benchmark: str = ""
    system: str = ""
    engine: str = ""
    tag: str = ""
    state: str = ""
    who: int | None = None


@dataclass(frozen=True)
class RunChoices:
    benchmarks: list[str]
    systems: list[str]
    engines: list[str]
    tags: list[str]
    people: Sequence[User]
    systems_of: Mapping[str, list[str]]


def runs_page(user: User, asked: RunsAsked, *, before: str = "") -> Page[EvaluationRun]:
    """Return the newest runs of the user's spaces that are asked for, each with `may_delete`."""
    runs = runs_of(user).filter(asked_for(asked)).select_related("space", "created_by")
    return page_of(with_rights(runs, user), before=before, size=PAGE)


def asked_for(asked: RunsAsked) -> Q:
    words = Q(name__icontains=asked.text) | Q(data_name__icontains=asked.text) | Q(comment__icontains=asked.text)
    exact = {"benchmark": asked.benchmark, "engine": asked.engine, "state": asked.state, "created_by": asked.who}
    within = {"systems__contains": asked.system, "tags__contains": asked.tag}
    return (
        (words if asked.text else Q())
        & Q(**{name: value for name, value in exact.items() if value})
        & Q(**{name: [value] for name, value in within.items() if value})
    )


def with_rights(runs: QuerySet[EvaluationRun], user: User) -> QuerySet[EvaluationRun]:
    """Add whether the user may delete a run, and change what it is called: who made it may, and an owner of its space."""
    owned = Membership.objects.filter(space=OuterRef("space"), user=user, role=Membership.Role.OWNER)
    return runs.annotate(may_delete=Q(created_by=user) | Exists(owned))


def run_choices(user: User) -> RunChoices:
    """Return what the newest runs may be filtered by, in one query."""
    rows = list(
        runs_of(user)
        .select_related("created_by")
        .only("benchmark", "systems", "engine", "tags", "created_by__username", "created_by__first_name",
              "created_by__last_name")
        .order_by("-pk")[:CHOICES_OF]
    )  # fmt: skip
    people = {row.created_by.pk: row.created_by for row in rows if row.created_by is not None}
    return RunChoices(
        benchmarks=in_order(row.benchmark for row in rows),
        systems=in_order(system for row in rows for system in row.systems),
        engines=in_order(row.engine for row in rows),
        tags=in_order(tag for row in rows for tag in row.tags),
        systems_of={
            name: in_order(system for row in rows if row.benchmark == name for system in row.systems)
            for name in {row.benchmark for row in rows}
        },
        people=sorted(people.values(), key=lambda one: one.username),
    )


def in_order(names: Iterable[str]) -> list[str]:
    return sorted({name for name in names if name})
