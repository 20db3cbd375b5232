"""Files that are brought in in the background: queued, carried out by one worker at a time, stopped, and taken up again.

What a kind of import does is its own, and happens again from the beginning of the file where a worker died or somebody went
on after a stop: each kind is idempotent. While it runs, a thread with a connection of its own tells how far it is and finds
out whether it was stopped, so that both work in the middle of a long transaction too.
"""

from __future__ import annotations

import logging
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, BinaryIO

from django.contrib.auth.models import User
from django.db import DatabaseError, close_old_connections, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from memory.adapters.outages import is_away
from memory.adapters.row_security.scope import carrying
from memory.core.errors import ImportFault, QuotaReached
from memory.models import ImportJobRecord, ImportPieceRecord, OutboxRecord, Space
from memory.models.imports import KEPT
from memory.services.advisory_locks import advisory_lock

logger = logging.getLogger(__name__)

Job = ImportJobRecord
State, Kind = Job.State, Job.Kind
WORKING = (State.READING, State.IMPORTING)
TASKS = {Kind.GRAPH: "memory.import_graph", Kind.CHATS: "conversations.import_chats"}
QUEUE = "imports"
PIECE_BYTES = 1024 * 1024
# Sets the advisory locks of imports apart from all others: "imp" in ASCII, before the job's id.
LOCK_BASE = 0x696D70 << 32
TELL_S = 1.0
# A job of which nothing was heard for so long is asked for again: its worker may have died.
SILENT = timedelta(seconds=60)
# So many files of a person may wait in a memory, be worked on or have broken off.
UNFINISHED = 10
# A file at which workers die is not given to one more.
MAX_TAKINGS = 3
# No file keeps the others waiting for longer than this; a large one needs some minutes.
LONGEST_S = 1800.0
DEADLY = f"The server was interrupted {MAX_TAKINGS} times while it worked on this file."
LONG = f"This was ended after {LONGEST_S / 60:.0f} minutes, so that other imports have their turn."
WRONG = "Something went wrong in the middle."
STAYS = {
    Kind.GRAPH: "Nothing of it was brought in.",
    Kind.CHATS: "What was brought in stays. Try again, and nothing of it is doubled.",
}


class ImportStopped(Exception):
    """Raised inside of an import whose job was stopped or deleted. The message says what it had brought in."""


class Telling:
    """How far an import is, for the thread that tells it; and whether it may go on."""

    def __init__(self, kind: ImportJobRecord.Kind) -> None:
        self.progress = 0.0
        self._kind = kind
        self.is_stopped = False
        self._outcome = ""
        self._until = time.monotonic() + LONGEST_S

    def __call__(self, share: float, outcome: str = "") -> None:
        """Tell the share that is done, and what was brought in so far, where that is more than before.

        Raises `ImportStopped` once the import was stopped, and `ImportFault` when it takes too long.
        """
        self.progress = min(share, 1.0)
        self._outcome = outcome or self._outcome
        if self.is_stopped:
            raise ImportStopped(self._outcome)
        if time.monotonic() > self._until:
            raise ImportFault(f"{LONG} {STAYS[self._kind]}")


Step = Callable[[Job, BinaryIO, Telling], dict[str, Any]]


@transaction.atomic
def job_create(
    *,
    space: Space,
    by: User,
    kind: ImportJobRecord.Kind,
    name: str,
    content: Iterable[bytes],
    state: ImportJobRecord.State,
    form: str = "",
) -> Job:
    """Store a file and queue what is to be done with it first: reading or importing.

    Raises `QuotaReached` where too many files of the person wait already.
    """
    if Job.objects.filter(space=space, by=by).exclude(state=State.DONE).count() >= UNFINISHED:
        raise QuotaReached(
            f"{UNFINISHED} imports of yours wait in this memory or broke off. Finish or delete some of them first.",
            measure="imports",
        )
    job = Job.objects.create(space=space, by=by, kind=kind, name=name[:300] or "file", form=form, state=state)
    for number, piece in enumerate(pieces_of(content)):
        ImportPieceRecord.objects.create(job=job, space=space, number=number, content=piece)
    job_promise(job)
    return job


def pieces_of(content: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what comes in parts of any size in pieces of one size."""
    waiting = bytearray()
    for part in content:
        waiting += part
        while len(waiting) >= PIECE_BYTES:
            yield bytes(waiting[:PIECE_BYTES])
            del waiting[:PIECE_BYTES]
    if waiting:
        yield bytes(waiting)


def job_promise(job: Job) -> None:
    OutboxRecord.objects.create(task=TASKS[Kind(job.kind)], arguments={"job_id": job.pk}, queue=QUEUE)


@transaction.atomic
def job_begin(*, job: Job, choices: Mapping[str, Any]) -> bool:
    """Import what was read and chosen; False where the job is not ready for it, such as where it was begun already."""
    ready = Job.objects.filter(pk=job.pk, state=State.READY)
    changed = ready.update(state=State.IMPORTING, choices=dict(choices), progress=0, progressed_at=timezone.now())
    if changed:
        job_promise(job)
    return bool(changed)


def job_stop(*, job: Job) -> bool:
    """Stop a job at its next step, or before it began; what it brought in stays."""
    working = Job.objects.filter(pk=job.pk, state__in=WORKING)
    return bool(working.update(state=State.STOPPED, progressed_at=timezone.now()))


@transaction.atomic
def job_go_on(*, job: Job) -> bool:
    """Take up a job that was stopped or that failed; False where it has ended or is being worked on."""
    ended = Job.objects.filter(pk=job.pk, state__in=(State.STOPPED, State.FAILED))
    is_read = job.kind == Kind.GRAPH or bool(job.choices)
    state = State.IMPORTING if is_read else State.READING
    changed = ended.update(state=state, error="", outcome="", takings=0, progress=0, progressed_at=timezone.now())
    if changed:
        job_promise(job)
    return bool(changed)


def job_delete(*, job: Job) -> None:
    """Delete a job with its file. One that runs stops at its next step; what it brought in stays."""
    Job.objects.filter(pk=job.pk).delete()


def job_work(*, job_id: int, steps: Mapping[str, Step]) -> bool:
    """Do what a job is to do now, by the step of its state, and store the columns that it returns.

    False where nothing is to be done here: another worker has it, or it was stopped.
    """
    with advisory_lock(LOCK_BASE | job_id) as is_mine:
        is_done = is_mine and step_work(job_id, steps)
    if is_mine and not is_done:
        # Somebody may have gone on before this worker noticed that it was stopped; whoever came for that found the lock held.
        for job in Job.objects.filter(pk=job_id, state__in=list(steps)):
            job_promise(job)
    return is_done


def step_work(job_id: int, steps: Mapping[str, Step]) -> bool:
    """Do a job's step under its lock; False where nothing is to be done, or where it was stopped."""
    job = Job.objects.select_related("space", "by").filter(pk=job_id, state__in=list(steps)).first()
    if job is None:
        return False
    working = Job.objects.filter(pk=job_id, state=job.state)
    if job.takings >= MAX_TAKINGS:
        working.update(state=State.FAILED, error=f"{DEADLY} {STAYS[Kind(job.kind)]}", takings=0)
        return False
    working.update(takings=F("takings") + 1)
    try:
        with telling(working, kind=Kind(job.kind)) as told, job_file(job) as stream:
            changes = steps[job.state](job, stream, told)
    except ImportStopped as stopped:
        stop_tell(job_id, outcome=str(stopped))
        return False
    except (ImportFault, QuotaReached) as fault:
        changes = {"state": State.FAILED, "error": str(fault)}
    except Exception as error:
        if is_away(error):
            raise  # another worker goes on once the database is back, so often as one may die
        logger.exception("Import %s broke off.", job_id)
        changes = {"state": State.FAILED, "error": f"{WRONG} {STAYS[Kind(job.kind)]}"}
    with transaction.atomic():
        is_told = bool(working.update(**changes, takings=0, progressed_at=timezone.now()))
        if is_told and changes["state"] == State.DONE:
            ImportPieceRecord.objects.filter(job=job_id).delete()
    if not is_told:
        stop_tell(job_id, outcome=changes.get("outcome", ""))
    return is_told


def stop_tell(job_id: int, *, outcome: str) -> None:
    Job.objects.filter(pk=job_id, state=State.STOPPED).update(outcome=outcome, takings=0)


@contextmanager
def job_file(job: Job) -> Iterator[BinaryIO]:
    """A job's file as a temporary file, copied a piece at a time."""
    with tempfile.TemporaryFile() as file:
        rows = ImportPieceRecord.objects.filter(job=job.pk)
        for number in range(rows.count()):
            file.write(bytes(rows.values_list("content", flat=True).get(number=number)))
        file.seek(0)
        yield file


@contextmanager
def telling(working: QuerySet[Job], *, kind: ImportJobRecord.Kind) -> Iterator[Telling]:
    """Let a thread store the progress of a job every second, and notice where the job is no longer to be worked on."""
    told, ended = Telling(kind), threading.Event()

    def tell() -> None:
        while not ended.wait(TELL_S):
            try:
                if not working.update(progress=told.progress, progressed_at=timezone.now()):
                    told.is_stopped = True
                    break
            except DatabaseError:
                logger.warning("The progress of an import could not be told; trying again.", exc_info=True)
                close_old_connections()
        connection.close()

    thread = threading.Thread(target=carrying(tell), name="import", daemon=True)
    thread.start()
    try:
        yield told
    finally:
        ended.set()
        thread.join()


def jobs_expire() -> int:
    """Delete the jobs that nobody went on with for long, with their files, and return how many those were.

    One that is done has no file any more and stays on the list.
    """
    left = Job.objects.exclude(state__in=(State.DONE, State.READING, State.IMPORTING))
    _, by_model = left.filter(progressed_at__lt=timezone.now() - KEPT).delete()
    return by_model.get(Job._meta.label, 0)


def jobs_waiting_promise(*, limit: int) -> int:
    """Queue again the jobs of which no worker has told anything for long, and return how many those are."""
    silent = Job.objects.filter(state__in=WORKING, progressed_at__lt=timezone.now() - SILENT)
    with transaction.atomic():
        jobs = list(silent.select_for_update(skip_locked=True).order_by("pk")[:limit])
        Job.objects.filter(pk__in=[job.pk for job in jobs]).update(progressed_at=timezone.now())
        for job in jobs:
            job_promise(job)
    return len(jobs)
