"""What a run may measure: responders that an engine can play, retrievers that there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.conf import settings

from conversations import bootstrap as conversation_bootstrap
from conversations.core.errors import ConversationError
from evaluation.core.errors import RunRefused
from evaluation.core.runs.plan import RETRIEVAL, RunPlan
from evaluation.services.responder_names import responders_check
from evaluation.services.retrieval import NO_DIGESTS, names_check, preset_of, reads_digests, retriever_over
from memory import bootstrap
from memory.core.errors import MemoryCoreError, RetrieverUnfit
from memory.core.sentence_graph.catalogue import RETRIEVERS
from memory.core.sentence_graph.in_memory import InMemoryIndex
from memory.models import Space
from memory.services.added_engines import engine_offered_check

ALL = "all"


def plan_settle(plan: RunPlan, space: Space) -> RunPlan:
    """Return the plan with its engine and its systems by name; of `all`, those that cannot be played are left out, with why.

    Raises `EvaluationError` for what is named and cannot be played.
    """
    settled = replace(plan, engine=plan.engine or settings.DSMART_ENGINE)
    engines_check(settled, space)
    if plan.judge and plan.kind == RETRIEVAL:
        raise RunRefused("Retrievers give no reply that could be judged. Leave the judge out.")
    settled = retrievers_settle(settled) if plan.kind == RETRIEVAL else responders_settle(settled)
    settled.check()
    return settled


def engines_check(plan: RunPlan, space: Space) -> None:
    """Raise `RunRefused` where the engine of a plan, or the one behind its judge, may not be used in a space."""
    for name in filter(None, (plan.engine, plan.judge.partition("@")[2])):
        try:
            engine_offered_check(name=name, space=space)
        except MemoryCoreError as error:
            raise RunRefused(str(error)) from error


def retrievers_settle(plan: RunPlan) -> RunPlan:
    names = RETRIEVERS if plan.systems == (ALL,) else plan.systems
    names_check(names)
    return without_unfit(plan, names, {name: why for name in names if (why := unfit(name, plan))})


def responders_settle(plan: RunPlan) -> RunPlan:
    names = list(conversation_bootstrap.responder_names() if plan.systems == (ALL,) else plan.systems)
    responders_check(names)
    return without_unfit(plan, names, {name: why for name in names if (why := unplayable(name, plan.engine))})


def without_unfit(plan: RunPlan, names: Sequence[str], left_out: Mapping[str, str]) -> RunPlan:
    if left_out and plan.systems != (ALL,):
        raise RunRefused(next(iter(left_out.values())))
    playable = tuple(name for name in names if name not in left_out)
    return replace(plan, systems=playable, left_out=tuple(left_out.items()))


def unfit(retriever: str, plan: RunPlan) -> str:
    """Return why a retriever cannot be measured; "" where it can."""
    if reads_digests(retriever) and not plan.writes_digests:
        return NO_DIGESTS
    nothing = InMemoryIndex([], embedder=bootstrap.embedder(), segmenter=bootstrap.segmenter())
    try:
        retriever_over(nothing, retriever, preset_of(plan.preset, plan.format))
    except RetrieverUnfit as error:
        return str(error)
    return ""


def unplayable(responder: str, engine: str) -> str:
    """Return why an engine cannot play a responder; "" where it can."""
    try:
        conversation_bootstrap.responder_check(responder, engine=engine)
    except ConversationError as error:
        return str(error)
    return ""
