"""Lets an engine answer the items of a project: batches in the order in which the items were added, by one worker at a time.

A batch is written when it is answered, so a worker that takes over goes on behind it. No transaction is open while a model
is asked. A reply that cannot be read fails its item alone; an engine that does not answer stops the pass, with the reason.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from evaluation.core.annotation.drafts import UNCERTAIN, drawn, place_of
from evaluation.core.errors import AnnotationRefused
from evaluation.models import AnnotationItem, AnnotationProject, MachinePass
from evaluation.services.annotation.players import PLAYERS, MachineAnswer, Player
from evaluation.services.annotation.standing import item_restand
from evaluation.services.facts import AT_ONCE
from evaluation.services.score_promises import SCORE_QUEUE
from evaluation.services.scores import MAX_ATTEMPTS
from memory import bootstrap
from memory.adapters.outages import is_away
from memory.adapters.precedence import precedence
from memory.core.errors import MemoryCoreError, UnparsableReply
from memory.models import OutboxRecord
from memory.services.leases import Lease, LeaseLost, is_free, lease_take

logger = logging.getLogger(__name__)

MACHINE_TASK = "evaluation.answer_items"
RUN_S = 60.0
IDLE = timedelta(seconds=30)
WENT_WRONG = "Something went wrong while the machine answered. What it answered is kept. Ask again."


@transaction.atomic
def machine_promise(*, project: AnnotationProject, engine: str = "", is_here: bool = False) -> MachinePass:
    """Queue the machine's answers to the items that have none; `is_here`, the caller gives them, and no worker is asked.

    `engine` is the configured one where it is empty. Raises `AnnotationRefused` for a kind that no machine answers, and
    what an engine raises that is not served.
    """
    if project.kind not in PLAYERS:
        raise AnnotationRefused("No machine answers the questions of this kind of project. People do.")
    bootstrap.engine(engine)
    anew = {"is_done": False, "after": 0, "failed": 0, "why": "", "attempts": 0, "asked_at": timezone.now()}
    promised, _ = MachinePass.objects.update_or_create(project=project, defaults={"engine": engine, **anew})
    if not is_here:
        machine_enqueue(project.pk)
    return promised


def machine_enqueue(project_id: int) -> None:
    OutboxRecord.objects.create(task=MACHINE_TASK, arguments={"project_id": project_id}, queue=SCORE_QUEUE)


def unclaimed() -> QuerySet[MachinePass]:
    """Return the passes that wait for a worker."""
    return MachinePass.objects.filter(is_free(), is_done=False, why="")


def machines_sweep() -> None:
    """Ask for a worker for each pass whose task or worker was lost."""
    with transaction.atomic():
        for project_id in unclaimed().filter(asked_at__lt=timezone.now() - IDLE).values_list("project_id", flat=True):
            MachinePass.objects.filter(project=project_id).update(asked_at=timezone.now())
            machine_enqueue(project_id)


def machine_run(
    *, project_id: int, seconds: float = RUN_S, on_items: Callable[[int], object] = lambda count: None
) -> int:
    """Answer items of a project, and return how many were; after `seconds` the rest is another task's."""
    give_up = time.monotonic() + seconds
    answered = 0
    rows = MachinePass.objects.filter(project=project_id, is_done=False, why="")
    lease = lease_take(rows, attempts=F("attempts") + 1)
    if lease is None:
        return 0
    try:
        with lease.kept_alive():
            promised = lease.held.select_related("project").get()
            player = player_of(promised)
            while items := waiting(promised) or pass_end(lease):
                precedence.give_way()
                answers = answers_of(player, items)
                promised = answers_write(lease, items, answers)
                answered += sum(answer is not None for answer in answers)
                on_items(len(items))
                if time.monotonic() >= give_up:
                    pass_leave(lease, project_id)
                    return answered
    except LeaseLost:
        logger.info("The answers to project %s are another worker's now.", project_id)
    except MemoryCoreError as error:
        pass_stop(lease, str(error))
    except Exception as error:
        if is_away(error):
            raise
        logger.exception("The items of project %s could not be answered.", project_id)
        pass_stop(lease, WENT_WRONG)
    return answered


def player_of(promised: MachinePass) -> Player:
    if promised.attempts > MAX_ATTEMPTS:
        raise Interrupted(f"The pass was interrupted {MAX_ATTEMPTS} times at the same items. Ask again.")
    return PLAYERS[promised.project.kind](bootstrap.engine(promised.engine))


class Interrupted(MemoryCoreError):
    """A pass that ended its workers again and again."""


def waiting(promised: MachinePass) -> list[AnnotationItem]:
    rows = AnnotationItem.objects.filter(project=promised.project_id, machine__isnull=True, pk__gt=promised.after)
    return list(rows.order_by("pk")[:AT_ONCE])


def answers_of(player: Player, items: Sequence[AnnotationItem]) -> list[MachineAnswer | None]:
    """Return the answers, None where a reply cannot be read. Raises `MemoryCoreError` where no item can be answered."""
    try:
        return [*player(items)]
    except UnparsableReply:
        return [answer_alone(player, item) for item in items]


def answer_alone(player: Player, item: AnnotationItem) -> MachineAnswer | None:
    try:
        [answer] = player([item])
    except UnparsableReply as error:
        logger.warning("Item %s got no answer of the machine: %s", item.pk, error)
        return None
    return answer


def answers_write(
    lease: Lease, items: Sequence[AnnotationItem], answers: Sequence[MachineAnswer | None]
) -> MachinePass:
    """Write the answers to a batch, and return the pass as it is then. Raises `LeaseLost`."""
    with lease.committing() as promised:
        for item, answer in zip(items, answers, strict=True):
            if answer is None:
                continue
            changes: dict[str, object] = {"machine": answer.answer, "machine_by": answer.by}
            if promised.project.order == UNCERTAIN:
                changes["place"] = place_of(answer.uncertainty, drawn(promised.project_id, item.key))
            if AnnotationItem.objects.filter(pk=item.pk, machine__isnull=True).update(**changes):
                item_restand(item)
        promised.after, promised.attempts = items[-1].pk, 0
        promised.failed += sum(answer is None for answer in answers)
        promised.save(update_fields=["after", "attempts", "failed"])
    return promised


def pass_end(lease: Lease) -> list[AnnotationItem]:
    """Mark the pass as done, or return the items that were added in the meantime. Raises `LeaseLost`."""
    with lease.committing() as promised:
        if items := waiting(promised):
            return items
        lease.held.update(is_done=True, lease_token=None, lease_until=None)
    return []


def pass_leave(lease: Lease, project_id: int) -> None:
    with transaction.atomic():
        lease.held.update(lease_token=None, lease_until=None, asked_at=timezone.now())
        machine_enqueue(project_id)


def pass_stop(lease: Lease, why: str) -> None:
    lease.held.update(why=why, lease_token=None, lease_until=None)
