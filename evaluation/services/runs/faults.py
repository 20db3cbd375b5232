"""What may go wrong with an item, and what with the engine of a whole run."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.db import InterfaceError, OperationalError
from django.db.models import QuerySet

from conversations.core.errors import ConversationError
from conversations.models import Conversation, Reply
from evaluation.core.errors import EvaluationError
from evaluation.core.runs.answers import Figure
from evaluation.models import RunItem
from evaluation.services.runs.claims import Interrupted, Outcome
from memory import bootstrap
from memory.core.errors import EmbedderChanged, MemoryCoreError, ModelNotFound, ModelUnreachable, UnknownEngine
from memory.core.tracing import CallOutcome, ModelCall
from memory.models import MAINTENANCE, MaintenanceState, Space, StepRecord
from memory.services.leases import LeaseLost

logger = logging.getLogger(__name__)

# With these no item of the run would fare better.
OF_THE_ENGINE = (ModelUnreachable, ModelNotFound, UnknownEngine, EmbedderChanged)


class EngineGone(Exception):
    """Raised where the engine of a run does not answer at all. The message is a sentence for a person."""


# These are no fault of an item: its worker ends, and another one goes on.
OF_THE_WORKER = (OperationalError, InterfaceError, LeaseLost, Interrupted, EngineGone)


def gone(engine: str) -> str:
    """Return why this process does not serve an engine; "" where it does. Loads nothing."""
    try:
        bootstrap.engine(engine)
    except MemoryCoreError as error:
        return str(error)
    return ""


def error_of(fault: Exception, what: str) -> str:
    """Return the error of an item from what was raised. Raises `EngineGone`, and again what is the worker's own.

    Members read it: what is no error of ours is told by its kind, and the log has its words.
    """
    if isinstance(fault, OF_THE_ENGINE):
        raise EngineGone(str(fault)) from fault
    if isinstance(fault, OF_THE_WORKER):
        raise fault
    if not isinstance(fault, MemoryCoreError | ConversationError | EvaluationError):
        logger.error("%s failed.", what, exc_info=fault)
        return f"Something unexpected went wrong ({type(fault).__name__}). The log of the server says what."
    return str(fault) or type(fault).__name__


def memory_check(space: Space) -> None:
    """Raise `EngineGone` where a round of a space could not be read because the engine did not answer."""
    calls = calls_unanswered().filter(
        trace__space=space, trace__part=MAINTENANCE, trace__round__maintenance=MaintenanceState.FAILED
    )
    why = calls.order_by("trace__round").values_list("trace__round__maintenance_error", flat=True).first()
    if why is not None:
        raise EngineGone(why)


def reply_check(conversation: Conversation, fault: Exception) -> None:
    """Raise `EngineGone` where a conversation broke off because the engine did not answer its last reply."""
    last = Reply.objects.filter(conversation=conversation, is_current=True).order_by("-pk").first()
    if last is not None and calls_unanswered().filter(trace__replytrace__reply=last).exists():
        raise EngineGone(str(fault)) from fault


def calls_unanswered() -> QuerySet[StepRecord]:
    return StepRecord.objects.filter(
        kind=ModelCall.kind, figures__outcome=CallOutcome.FAILED, figures__error=ModelUnreachable.__name__
    )


def failed_outcome(item: RunItem, error: str, metrics: Sequence[str]) -> Outcome:
    """Return the end of an item that failed, with the figures that it would have had, so that they count."""
    return Outcome(item, tuple(Figure(name, None, error) for name in metrics), error=error)
