"""Celery tasks of conversations: they delegate. What has an id sees the rows of its space alone."""

from celery import shared_task

from conversations.models import Conversation
from conversations.services.chat_imports import chats_job_work
from conversations.services.generation import replies_run
from conversations.services.queue import REPLY_TASK
from conversations.services.titles import TITLE_TASK, title_make
from conversations.services.unknowns import SETTLE_TASK, unknowns_settle
from memory.models import ImportJobRecord, Round
from memory.selectors.access import space_of
from memory.services.import_jobs import TASKS, Kind


@shared_task(name=REPLY_TASK)
def write_replies() -> int:
    return replies_run()


@shared_task(name=TASKS[Kind.CHATS])
def import_chats(job_id: int) -> bool:
    with space_of(ImportJobRecord, job_id):
        return chats_job_work(job_id=job_id)


@shared_task(name=TITLE_TASK)
def title_conversation(conversation_id: int) -> bool:
    with space_of(Conversation, conversation_id):
        return title_make(conversation_id=conversation_id)


@shared_task(name=SETTLE_TASK)
def settle_unknowns(round_id: int) -> int:
    with space_of(Round, round_id):
        return unknowns_settle(round_id=round_id)
