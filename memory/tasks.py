"""Celery tasks of memory: they take ids, fetch and delegate. Each sees the rows of the space of its id alone."""

from __future__ import annotations

from celery import shared_task

from memory.adapters.row_security.scope import spaces
from memory.models import GraphCheckRecord, ImportJobRecord, KnowledgeBaseRecord
from memory.selectors.access import space_of
from memory.services.dialogue import MAINTENANCE_TASK
from memory.services.exchange.import_job import graph_job_work
from memory.services.graph_checks import CHECK_TASK, graph_check_run
from memory.services.import_jobs import TASKS, Kind
from memory.services.indexing import space_index
from memory.services.knowledge import KNOWLEDGE_TASK, knowledge_work
from memory.services.maintenance import space_maintain
from memory.services.sentence_graph import INDEX_TASK

# After so long a task makes room for the work of other spaces, and its own space queues again behind it.
MAINTENANCE_S = 20.0


@shared_task(name=MAINTENANCE_TASK)
def maintain_space(space_id: int) -> int:
    with spaces(space_id):
        return space_maintain(space_id=space_id, seconds=MAINTENANCE_S)


@shared_task(name=INDEX_TASK)
def index_space(space_id: int) -> bool:
    with spaces(space_id):
        return space_index(space_id=space_id)


@shared_task(name=KNOWLEDGE_TASK)
def work_on_knowledge(base_id: int) -> bool:
    with space_of(KnowledgeBaseRecord, base_id):
        return knowledge_work(base_id=base_id)


@shared_task(name=TASKS[Kind.GRAPH])
def import_graph(job_id: int) -> bool:
    with space_of(ImportJobRecord, job_id):
        return graph_job_work(job_id=job_id)


@shared_task(name=CHECK_TASK)
def check_graph(check_id: int) -> bool:
    with space_of(GraphCheckRecord, check_id):
        return graph_check_run(check_id=check_id)
