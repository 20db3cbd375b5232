"""Settles what stayed unknown: by an answer on its page, or by what is said in a chat later on."""

from django.db import transaction
from django.db.models import OuterRef, QuerySet
from django.utils import timezone

from conversations.core import wishes
from conversations.core.errors import MessageRefused
from conversations.core.tracing.answered import Answered, Answering
from conversations.models import Conversation, Reply
from conversations.selectors import IS_OPEN, STAYED_UNKNOWN, unknowns_in
from conversations.services.asking import question_ask
from conversations.services.messages import message_post
from memory.adapters.precedence import precedence
from memory.bootstrap.models import BUILTIN
from memory.core.errors import MemoryCoreError
from memory.models import OutboxRecord, StepRecord
from memory.services.accounts import speaker_name

SETTLE_TASK = "conversations.settle_unknowns"
SETTLE_QUEUE = "maintenance"
# So many of the newest are asked again after a message.
ASKED_AGAIN = 12
BY_RULE = "d_smart"


def unknown_steps() -> QuerySet[StepRecord]:
    """Return, for use in a query of conversations, the steps of their spaces that tell that something is unknown still."""
    return StepRecord.objects.filter(STAYED_UNKNOWN, IS_OPEN, space=OuterRef("space"))


def settling_promise(*, round_id: int) -> None:
    """Queue, in the caller's transaction, another look at what is unknown."""
    OutboxRecord.objects.create(task=SETTLE_TASK, arguments={"round_id": round_id}, queue=SETTLE_QUEUE)


def unknowns_settle(*, round_id: int) -> int:
    """Ask the newest unknown questions again after a round was learnt; return how many it settled."""
    conversation = Conversation.objects.select_related("owner", "space").filter(session__rounds=round_id).first()
    if conversation is None:
        return 0
    owner, settled = conversation.owner, 0
    for row in unknowns_in(owner, conversation.space)[:ASKED_AGAIN]:
        precedence.give_way()
        if is_known(row.words["question"], space_id=conversation.space_id, asked_by=speaker_name(owner)):
            settled += settle(row, round_id=round_id)
    return settled


def is_known(question: str, *, space_id: int, asked_by: str) -> bool:
    """Return whether the built-in engine answers a question by what is remembered now."""
    try:
        answer = question_ask(
            space_id=space_id,
            question=question,
            asked_by=asked_by,
            asked_at=timezone.localtime(),
            responder=BY_RULE,
            engine=BUILTIN,
        )
    except MemoryCoreError:
        return False
    told = [one.step.outcome for one in answer.trace if isinstance(one.step, Answered)]
    return Answering.KNOWN in told and Answering.UNKNOWN not in told


@transaction.atomic
def unknown_answer(*, unknown: StepRecord, conversation: Conversation, text: str) -> Reply:
    """Say the answer to an unknown question in its conversation, in the person's words, and settle it.

    Raises what `message_post` raises, and `MessageRefused` for what would not be an answer, or where there is one already.
    """
    if wishes.confirmed(text) is not None or wishes.wish_of(text) is not None:
        raise MessageRefused("Say the answer in a sentence.")
    reply = message_post(conversation=conversation, text=text)
    if not settle(unknown, round_id=reply.round_id):
        raise MessageRefused("This question was answered already. Nothing was sent.")
    return reply


@transaction.atomic(savepoint=False)
def settle(unknown: StepRecord, *, round_id: int) -> bool:
    """Note in which round a question was answered; False where it is settled, or forgotten, already."""
    row = StepRecord.objects.select_for_update().filter(IS_OPEN, pk=unknown.pk).first()
    if row is not None:
        row.figures = {**row.figures, "settled_in": round_id}
        row.save(update_fields=["figures"])
    return row is not None
