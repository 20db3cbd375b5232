"""The Celery worker as threads of the product itself.

Each queue has its own worker: maintenance and evaluations never delay a reply, and an import never delays what is to be
learnt. Queued messages are lost when the process ends; the state of work is in PostgreSQL, and the sweeper sends it again.
"""

import threading
from types import MappingProxyType

from celery import Celery
from celery.worker import WorkController

from dsmart_web.embedded.errors import EmbeddedServiceError

CONCURRENCY = MappingProxyType({"reply": 4, "maintenance": 2, "imports": 1, "evaluation": 1})
START_TIMEOUT_S = 20.0
STOP_TIMEOUT_S = 3.0


class EmbeddedWorker:
    """Worker threads for the queues of `concurrency`."""

    def __init__(self, app: Celery, concurrency: dict[str, int] | None = None) -> None:
        self._app = app
        self._concurrency = concurrency or dict(CONCURRENCY)
        self._running: list[tuple[WorkController, threading.Thread]] = []

    def start(self) -> None:
        # The threads of a pool look a task up in the default application of the process.
        self._app.set_default()
        # One after the other: the application holds one selection of queues, which a consumer reads when it starts.
        for queue, threads in self._concurrency.items():
            ready = threading.Event()
            worker = WorkController(
                app=self._app,
                hostname=f"{queue}@embedded",
                queues=[queue],
                pool="threads",
                concurrency=threads,
                ready_callback=lambda _, ready=ready: ready.set(),
                without_gossip=True,
                without_mingle=True,
                without_heartbeat=True,
                task_events=False,
            )
            thread = threading.Thread(target=worker.start, name=f"worker-{queue}", daemon=True)
            thread.start()
            self._running.append((worker, thread))
            if not ready.wait(START_TIMEOUT_S):
                raise EmbeddedServiceError(f"The worker of the queue {queue!r} does not start.")

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> bool:
        """Accept no new task, wait for the running ones, and return whether all ended within `timeout_s` seconds."""
        # A warm stop waits for running tasks however long they take: it happens beside us, and we wait as long as we may.
        stopping = [threading.Thread(target=worker.stop, daemon=True) for worker, _ in self._running]
        for thread in stopping:
            thread.start()
        for thread in stopping:
            thread.join(timeout_s)
        self._running = []
        return not any(thread.is_alive() for thread in stopping)
