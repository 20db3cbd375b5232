"""What a run may measure: responders that an engine can play, retrievers that there are."""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings

from conversations.bootstrap import responder_check, responder_names
from conversations.core.errors import ConversationError
from evaluation.core.errors import RunRefused
from evaluation.core.runs.plan import RETRIEVAL, RunPlan
from evaluation.services.asking import responders_check
from evaluation.services.retrieval import names_check
from memory import bootstrap
from memory.core.errors import MemoryCoreError
from memory.core.sentence_graph.catalogue import RETRIEVERS

ALL = "all"


def plan_settle(plan: RunPlan) -> RunPlan:
    """Return the plan with its engine and its systems by name; of `all`, those that cannot be played are left out, with why.

    Raises `EvaluationError` for what is named and cannot be played.
    """
    settled = replace(plan, engine=plan.engine or settings.DSMART_ENGINE)
    try:
        bootstrap.engine(settled.engine)
    except MemoryCoreError as error:
        raise RunRefused(str(error)) from error
    settled = retrievers_settle(settled) if plan.kind == RETRIEVAL else responders_settle(settled)
    settled.check()
    return settled


def retrievers_settle(plan: RunPlan) -> RunPlan:
    if plan.systems == (ALL,):
        return replace(plan, systems=RETRIEVERS)
    names_check(plan.systems)
    return plan


def responders_settle(plan: RunPlan) -> RunPlan:
    asks_all = plan.systems == (ALL,)
    names = list(responder_names() if asks_all else plan.systems)
    responders_check(names)
    left_out = {name: why for name in names if (why := unplayable(name, plan.engine))}
    if left_out and not asks_all:
        raise RunRefused(next(iter(left_out.values())))
    playable = tuple(name for name in names if name not in left_out)
    return replace(plan, systems=playable, left_out=tuple(left_out.items()))


def unplayable(responder: str, engine: str) -> str:
    """Return why an engine cannot play a responder; "" where it can."""
    try:
        responder_check(responder, engine=engine)
    except ConversationError as error:
        return str(error)
    return ""
