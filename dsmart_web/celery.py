"""The Celery application: `celery -A dsmart_web worker` on a team's hosts, threads of the product itself on one machine."""

import logging
import os
from typing import Any

from celery import Celery
from celery.signals import (
    before_task_publish,
    celeryd_init,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_process_init,
    worker_ready,
    worker_shutdown,
)
from kombu import Exchange, Queue

logger = logging.getLogger(__name__)
QUEUES = ("reply", "maintenance", "imports", "evaluation")

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dsmart_web.settings")

app = Celery("dsmart_web")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Exchange and key are spelled out: without them every queue would take the default one's, and each task come three times.
app.conf.task_queues = [Queue(name, Exchange(name), routing_key=name) for name in QUEUES]
app.autodiscover_tasks()


REQUEST_HEADER = "request_id"


@setup_logging.connect
def _keep_logging(loglevel: int | str | None = None, **_: Any) -> None:
    """Log as the settings say, in one form with the web server; `-l` chooses the level where it is given."""
    if loglevel not in {None, "WARN", "WARNING", logging.WARNING}:
        logging.getLogger().setLevel(loglevel)


@before_task_publish.connect
def _send_request(headers: dict[str, Any], **_: Any) -> None:
    """Let a task know for which request it was asked for."""
    from dsmart_web.requests import request_id

    if asked := request_id():
        headers[REQUEST_HEADER] = asked


@task_prerun.connect
def _begin_request(task: Any, **_: Any) -> None:
    from dsmart_web.requests import request_enter

    request_enter(str(getattr(task.request, REQUEST_HEADER, None) or ""))


@task_postrun.connect
def _end_request(**_: Any) -> None:
    from dsmart_web.requests import request_enter

    request_enter("")


@celeryd_init.connect
def _prepare_worker_process(**_: Any) -> None:
    """Join the database before the first task. Without a shared broker a worker would wait for ever, so it exits at once."""
    from django.conf import settings

    from dsmart_web.embedded.database import database_join
    from dsmart_web.embedded.errors import EmbeddedServiceError

    if not settings.REDIS_URL:
        raise SystemExit("A worker of its own needs a broker that it shares with the web server. Set REDIS_URL.")
    try:
        database_join()
    except EmbeddedServiceError as error:
        raise SystemExit(str(error)) from error


@worker_process_init.connect
def _warm_up(**_: Any) -> None:
    """Load the models that the first reply of this worker process needs; an engine out of reach is left for later."""
    from memory import bootstrap
    from memory.core.errors import MemoryCoreError

    try:
        bootstrap.engine_warm()
    except MemoryCoreError as error:
        logger.warning("%s", error)


@worker_ready.connect
def _start_sweeping(**_: Any) -> None:
    """Start the sweeper thread only after the pool has forked: a thread's locks would stay locked in the children."""
    from dsmart_web.embedded.sweeper import sweeper

    sweeper().start()


@worker_shutdown.connect
def _leave_database(sender: object, **_: Any) -> None:
    from celery.apps.worker import Worker

    from dsmart_web.embedded.database import database_leave
    from dsmart_web.embedded.sweeper import sweeper

    sweeper().stop()
    if isinstance(sender, Worker):  # a worker that is a thread of the web server leaves this to it
        database_leave()
