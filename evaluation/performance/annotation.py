"""`bench annotation`: the next item and a stored label in a large project, while many label at once, and its agreement.

Three items in five are labelled by two people, whose labels and the machine's are drawn; the others are open. People label
at once through the API, each with a pause after each item, drawn between half and one and a half of what is given: nobody
works in step with others. They are threads of this process, so that what they wait for is the server's own time and that of
the database. The end of the queue is asked for by somebody who labelled all items of a tenth of the size and waits for
colleagues: the search then passes over each of them.
"""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import Barrier, Thread
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from evaluation.adapters.progress import progress_bar
from evaluation.core.annotation.agreement import project_agreement
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.annotation.patterns import pattern_of
from evaluation.core.costs import cost_rows
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.models import AnnotationItem, AnnotationProject, ItemStanding, ReviewMember, ReviewRole
from evaluation.performance.costs import ActionCosts, BenchOption, sizes
from evaluation.selectors.annotation.agreement import patterns_counted
from evaluation.services.annotation.answers import answer_store
from evaluation.services.annotation.projects import project_make
from evaluation.services.annotation.queue import items_take
from evaluation.services.spaces import evaluation_account, temporary_space
from memory.models import Space

HELP = "the next item, a stored label and the agreement of a project, at a number of items"
OPTIONS: tuple[BenchOption, ...] = (
    sizes("items", (200_000,), what="the project holds"),
    BenchOption("annotators", int, 20, "how many people label at once (default: 20)"),
    BenchOption("answers", int, 20, "how many items each of them labels (default: 20)"),
    BenchOption("pause", float, 3.0, "seconds that each waits after an item, on average (default: 3)"),
)
KIND = "fact_verdict"
LABELS = ("true", "false", "not_enough_information", "not_a_claim")
WEIGHTS = (6, 2, 2, 1)
DATASETS = ("hybrid", "opendialkg", "wizard")
FINISHED_OF_FIVE = 3
WARM_UP = 5
ROUNDS = 40
# Beside what each labels: what warms up, and what they hold at the end.
HELD = 3
BATCH = 2_000
WORDS = (
    "The place that was named lies on the river, north of the old town, and has been open to the public since then. "
)
# Two people for each finished item, one for each item of the project that waits for colleagues.
LABELLED = """
insert into evaluation_annotation (item_id, by_id, name, guideline_id, answer, comment, sent_as, created_at)
select item.id, person.id, person.username, %(guideline)s, '{"verdict": "true"}', '', gen_random_uuid(), now()
from evaluation_annotationitem item
join lateral unnest(%(people)s::int[]) with ordinality as who(id, rank)
on (item.id + who.rank) %% cardinality(%(people)s::int[]) < %(each)s
join auth_user person on person.id = who.id
where item.project_id = %(project)s and (item.standing <> 'open' or %(each)s = 1)
"""
TABLES = ("annotationitem", "annotation", "itemlease", "itemskip", "settlement")


def measure(options: Mapping[str, Any]) -> list[Row]:
    return [row for items in options["items"] for row in measure_at(items, options)]


def measure_at(items: int, options: Mapping[str, Any]) -> list[Row]:
    """Return the rows of one size. Raises `EvaluationError` for too few items, and where the API refuses an answer."""
    group, quiet = str(items), options["quiet"]
    wanted = WARM_UP + ROUNDS + options["annotators"] * (options["answers"] + HELD)
    if items * (5 - FINISHED_OF_FIVE) // 5 < wanted:
        raise EvaluationError(f"{items} items are too few for what is labelled, {wanted}. Give more --items.")
    with temporary_space(title="bench annotation") as space, people(space, options["annotators"]) as annotators:
        project = project_filled(space, annotators, items=items, quiet=quiet)
        done = project_done(space, annotators[0], items=items // 10)
        with connection.cursor() as cursor:
            for table in TABLES:
                cursor.execute(f"vacuum analyze evaluation_{table}")
        agreement, taking, ending = (
            ActionCosts(name, WARM_UP) for name in ("agreement", "next item", "end of the queue")
        )
        for _ in range(WARM_UP + ROUNDS):
            with agreement.one():
                project_agreement(kind_named(KIND), patterns_counted(project))
            with taking.one():
                leases = items_take(project=project, user=annotators[0])
            answer_store(item=leases[0].item, user=annotators[0], answer={"verdict": "true"}, sent_as=uuid.uuid4())
            with ending.one():
                if items_take(project=done, user=annotators[0]):
                    raise EvaluationError("Somebody was given an item that they had labelled.")
        at_once = labelled_at_once(project, annotators, options)
    rows = [row for costs in (agreement, taking, ending) for row in costs.rows(group)]
    for name, times in (
        ("store at once", [one for each in at_once for one in each.stored]),
        ("next item at once", [one for each in at_once for one in each.taken]),
    ):
        rows += cost_rows(name, times, group=group)
    return rows


@contextmanager
def people(space: Space, count: int) -> Iterator[list[User]]:
    """Give people who label in the space, and remove their accounts afterwards."""
    run = uuid.uuid4().hex[:8]
    accounts = [User.objects.create_user(f"bench-{run}-{number}") for number in range(count)]
    try:
        for account in accounts:
            ReviewMember.objects.create(space=space, user=account, role=ReviewRole.ANNOTATOR)
        yield accounts
    finally:
        for account in accounts:
            account.delete()


def project_filled(space: Space, annotators: Sequence[User], *, items: int, quiet: bool) -> AnnotationProject:
    project = project_make(space=space, by=evaluation_account(), name="Bench", kind=KIND)
    chooser = random.Random(items)
    names = [account.get_username() for account in annotators]
    with progress_bar(items, title="items", unit="items", hidden=quiet) as bar:
        for start in range(0, items, BATCH):
            numbers = range(start, min(start + BATCH, items))
            AnnotationItem.objects.bulk_create(item_drawn(project, number, names, chooser) for number in numbers)
            bar.update(len(numbers))
    labels_add(project, annotators, each=2)
    return project


def project_done(space: Space, annotator: User, *, items: int) -> AnnotationProject:
    """Return a project of which one person labelled all, and nobody else anything."""
    project = project_make(space=space, by=evaluation_account(), name="Done", kind=KIND)
    AnnotationItem.objects.bulk_create((item_made(project, number, wants=1) for number in range(items)), BATCH)
    labels_add(project, [annotator], each=1)
    return project


def item_drawn(project: AnnotationProject, number: int, names: Sequence[str], chooser: random.Random) -> AnnotationItem:
    machine, one, other = chooser.choices(LABELS, WEIGHTS, k=3)
    if number % 5 >= FINISHED_OF_FIVE:
        return item_made(project, number, machine={"verdict": machine})
    pair = chooser.randrange(len(names))
    standing = ItemStanding.AGREED if one == other else ItemStanding.DISPUTED
    pattern = pattern_drawn(names[pair], names[pair - 1], one, other, machine)
    return item_made(
        project,
        number,
        machine={"verdict": machine},
        final={"verdict": one} if one == other else None,
        standing=standing,
        wants=0,
        pattern=pattern,
    )


@cache
def pattern_drawn(name: str, colleague: str, one: str, other: str, machine: str) -> str:
    people = {name: {"verdict": one}, colleague: {"verdict": other}}
    final = {"verdict": one} if one == other else None
    return pattern_of(kind_named(KIND), people=people, machine={"verdict": machine}, final=final)


def item_made(project: AnnotationProject, number: int, **columns: Any) -> AnnotationItem:
    content = {
        "fact": f"Place {number} lies on the river.",
        "dialogue": [{"speaker": "user", "text": f"Where is place {number}?"}, {"speaker": "assistant", "text": WORDS}],
        "evidence": [{"title": f"Place {number}", "text": WORDS * 5}],
    }
    return AnnotationItem(
        project=project,
        place=float(number),
        key=f"{number}",
        dataset=DATASETS[number % len(DATASETS)],
        content=content,
        **{"wants": project.annotators, **columns},
    )


def labels_add(project: AnnotationProject, annotators: Sequence[User], *, each: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            LABELLED,
            {
                "project": project.pk,
                "guideline": project.guidelines.get().pk,
                "people": [account.pk for account in annotators],
                "each": each,
            },
        )


@dataclass
class Labelling:
    """What one person waited for, in milliseconds, and why they could not go on."""

    stored: list[float] = field(default_factory=list)
    taken: list[float] = field(default_factory=list)
    failure: str = ""


def labelled_at_once(
    project: AnnotationProject, annotators: Sequence[User], options: Mapping[str, Any]
) -> list[Labelling]:
    together, all_of = Barrier(len(annotators)), [Labelling() for _ in annotators]

    def label(user: User, own: Labelling, later: float) -> None:
        pauses = random.Random(later)
        try:
            client = Client(SERVER_NAME="localhost")
            client.force_login(user)
            together.wait()
            time.sleep(later)
            for _ in range(options["answers"] + 1):
                held = asked(client, reverse("api-annotation-take", args=[project.pk]), {}, own.taken)
                body = {"answer": {"verdict": "true"}, "sent_as": str(uuid.uuid4()), "token": held[0]["token"]}
                asked(client, reverse("api-annotation-answers", args=[held[0]["item"]]), body, own.stored)
                time.sleep(options["pause"] * pauses.uniform(0.5, 1.5))
        except EvaluationError as error:
            own.failure = str(error)
        finally:
            connection.close()

    spread = options["pause"] / len(annotators)
    threads = [
        Thread(target=label, args=(user, own, number * spread))
        for number, (user, own) in enumerate(zip(annotators, all_of, strict=True))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures := [one.failure for one in all_of if one.failure]:
        raise EvaluationError(failures[0])
    # The first of each is the warm-up: it loads what all share.
    return [Labelling(one.stored[1:], one.taken[1:]) for one in all_of]


def asked(client: Client, path: str, body: dict[str, Any], times: list[float]) -> Any:
    began = time.perf_counter()
    answer = client.post(path, body, content_type="application/json")
    times.append((time.perf_counter() - began) * 1000)
    if answer.status_code not in (200, 201):
        raise EvaluationError(f"{path} answered {answer.status_code}: {answer.content.decode()[:200]}")
    return answer.json()
