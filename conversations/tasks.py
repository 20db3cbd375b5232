"""Celery tasks of conversations: they delegate."""

from celery import shared_task

from conversations.services.chat_imports import chats_job_work
from conversations.services.generation import replies_run
from conversations.services.queue import REPLY_TASK
from conversations.services.titles import TITLE_TASK, title_make
from memory.services.import_jobs import TASKS, Kind


@shared_task(name=REPLY_TASK)
def write_replies() -> int:
    return replies_run()


@shared_task(name=TASKS[Kind.CHATS])
def import_chats(job_id: int) -> bool:
    return chats_job_work(job_id=job_id)


@shared_task(name=TITLE_TASK)
def title_conversation(conversation_id: int) -> bool:
    return title_make(conversation_id=conversation_id)
