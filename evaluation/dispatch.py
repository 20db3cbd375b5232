"""Listens to memory's signals and hands lost work to Celery again.

Every process listens, also a command that measures nothing: services are imported when there is something to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from celery import current_app
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils import timezone

from evaluation.models import FactGround
from memory import events

GRACE = timedelta(seconds=5)


@receiver(events.round_ended, dispatch_uid="promise scores of an ended round")
def promise_scores(round_id: int, **signal: object) -> None:
    """Queue the scores, and the checks that the conversation asks for, in the transaction that ends the round."""
    from evaluation.services.fact_promises import checks_promise
    from evaluation.services.score_promises import scores_promise

    scores_promise(round_id=round_id)
    checks_promise(round_id=round_id)


@receiver(events.words_forgotten, dispatch_uid="forget the facts of forgotten words")
def forget_facts(turn_id: int, **signal: object) -> None:
    from evaluation.services.annotation.from_conversations import turn_forget
    from evaluation.services.fact_promises import facts_forget

    turn_forget(turn_id=turn_id)
    facts_forget(turn_id=turn_id)


@receiver(events.rounds_leaving, dispatch_uid="keep the checks that rest on rounds that are put aside")
def keep_grounds(round_ids: Sequence[int], **signal: object) -> None:
    from evaluation.services.fact_promises import grounds_keep

    grounds_keep(round_ids)


@receiver(post_delete, sender=FactGround, dispatch_uid="forget the items that show a forgotten ground")
def forget_ground(instance: FactGround, origin: object, **signal: object) -> None:
    """Forget the items of a ground's check: once for all its grounds that one deletion takes."""
    from evaluation.services.annotation.from_conversations import grounds_forget

    forgotten = vars(origin).setdefault("_checks_of_forgotten_items", set())
    if instance.check_of_id not in forgotten:
        forgotten.add(instance.check_of_id)
        grounds_forget(check_id=instance.check_of_id)


def sweep() -> None:
    """Queue the tasks again for scores, checks, runs and answers of machines whose task or worker was lost."""
    from evaluation.services import fact_checks
    from evaluation.services.annotation.machine import machines_sweep
    from evaluation.services.fact_promises import CHECK_TASK
    from evaluation.services.runs.state import runs_sweep
    from evaluation.services.score_promises import SCORE_QUEUE, SCORE_TASK
    from evaluation.services.scores import unclaimed

    runs_sweep()
    machines_sweep()
    for left, task in ((unclaimed(), SCORE_TASK), (fact_checks.unclaimed(), CHECK_TASK)):
        if left.filter(created_at__lt=timezone.now() - GRACE).exists():
            current_app.send_task(task, queue=SCORE_QUEUE)
