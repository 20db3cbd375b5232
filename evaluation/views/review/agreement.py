"""How far people agree, with one another and with the machine: in figures with intervals, by label, by dataset, by pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from evaluation.core.annotation.agreement import (
    Comparison,
    Estimate,
    LabelAgreement,
    ProjectAgreement,
    QuestionAgreement,
    project_agreement,
)
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.annotation.types import Question
from evaluation.core.confusion import Confusion
from evaluation.selectors.annotation.agreement import patterns_counted
from evaluation.selectors.annotation.waiting import waiting_for
from evaluation.views.review.shell import project_shell, project_visible
from memory.services.accounts import person
from memory.views.own_pages import own_page

# Figures of agreement by their names: which term explains each.
FIGURES = (
    ("raw", "Same answer"),
    ("kappa", "Cohen's kappa"),
    ("alpha", "Krippendorff's alpha"),
    ("ordinal_alpha", "Alpha of ordered labels"),
    ("facts_f1", "F1 of the facts"),
)


@dataclass(frozen=True)
class Line:
    """A figure of one side by its name, as a line of a chart or of a table."""

    term: str
    title: str
    estimate: Estimate


@dataclass(frozen=True)
class Against:
    """Two sides that are compared: people with one another, or with the machine. Their chart begins at `first`, 0 or -1."""

    title: str
    rows_are: str
    columns_are: str
    comparison: Comparison
    lines: Sequence[Line]
    first: int
    table: Sequence[tuple[str, Sequence[tuple[int, int]]]]


@dataclass(frozen=True)
class Asked:
    """All that is told of one question."""

    question: Question
    sides: Sequence[Against]
    labels: Sequence[tuple[LabelAgreement, Sequence[float | None]]]
    datasets: Sequence[tuple[str, int, QuestionAgreement]]


@own_page
def agreement(request: HttpRequest, project_id: int) -> HttpResponse:
    project = project_visible(request, project_id, "read")
    kind = kind_named(project.kind)
    found = project_agreement(kind, patterns_counted(project))
    context = project_shell(
        request,
        project,
        "agreement",
        asked=[*asked_of(found)],
        progress=waiting_for(person(request.user), [project])[project.pk],
        is_table=request.GET.get("view") == "table",
    )
    return render(request, "evaluation/review/agreement.html", context)


def asked_of(found: ProjectAgreement) -> Iterator[Asked]:
    for place, one in enumerate(found.whole):
        sides = [*against(one)]
        if not sides:
            continue
        by_name = [{label.name: label.agreement for label in side.comparison.labels} for side in sides]
        labels = [(label, [known.get(label.name) for known in by_name]) for label in sides[0].comparison.labels]
        parts = [(name, items_in(of[place]), of[place]) for name, of in found.datasets.items()]
        yield Asked(one.question, sides, labels, parts if len(parts) > 1 else [])


def items_in(one: QuestionAgreement) -> int:
    return max((side.items for side in (one.people, one.machine) if side is not None), default=0)


def against(one: QuestionAgreement) -> Iterator[Against]:
    pairs = one.people.pairs if one.people is not None else ()
    sides = (pairs[0].one, pairs[0].other) if len(pairs) == 1 else ("one", "another")
    for title, rows, columns, comparison in (
        ("People with one another", *sides, one.people),
        ("People and the machine", "people", "the machine", one.machine),
    ):
        if comparison is not None:
            table = table_of(comparison.confusion, one.question)
            lines = lines_of(comparison)
            known = [end for line in lines for end in (line.estimate.value, line.estimate.low) if end is not None]
            yield Against(title, rows, columns, comparison, lines, -1 if min(known, default=0) < 0 else 0, table)


def lines_of(comparison: Comparison) -> list[Line]:
    found = ((name, title, getattr(comparison, name)) for name, title in FIGURES)
    return [Line(name, title, estimate) for name, title, estimate in found if estimate is not None]


def table_of(confusion: Confusion, question: Question) -> list[tuple[str, list[tuple[int, int]]]]:
    """Return the rows of a confusion table: the title of a label, and how often it met which, with its shade from 0 to 4."""
    named = {label.name: label.title for label in question.labels}
    order = [*named, *(label for label in confusion.labels if label not in named)]
    met = [label for label in order if label in confusion.labels]
    most = max(confusion.counts.values(), default=1)
    return [
        (
            named.get(row, row),
            [(confusion.counts[row, column], -(-4 * confusion.counts[row, column] // most)) for column in met],
        )
        for row in met
    ]
