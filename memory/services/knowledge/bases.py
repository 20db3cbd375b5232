"""What becomes of knowledge bases in the background: uploaded files are imported, and bases removed."""

import io
from datetime import timedelta
from pathlib import PurePath

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from memory import events
from memory.core.errors import KnowledgeRefused
from memory.models import ActRecord, KnowledgeBaseRecord, KnowledgeUploadRecord, OutboxRecord, Space
from memory.services.acts import act_record
from memory.services.advisory_locks import advisory_lock
from memory.services.knowledge.importing import LOCK_BASE, KnowledgeFile, State, base_fill, base_open
from memory.services.quotas import import_count

KNOWLEDGE_TASK = "memory.knowledge_work"
KNOWLEDGE_QUEUE = "imports"
UPLOAD_LIMIT = 16 * 1024 * 1024
# Work that told nothing for so long is asked for again: its worker may have died.
SILENT = timedelta(seconds=60)


def knowledge_upload(
    *, space: Space, content: bytes, file_name: str, name: str, licence: str = "", form: str = ""
) -> KnowledgeBaseRecord:
    """Queue the import of an uploaded file, and return its base. Raises `KnowledgeRefused` and `QuotaReached`."""
    if len(content) > UPLOAD_LIMIT:
        raise KnowledgeRefused(
            f"The file is larger than {UPLOAD_LIMIT // 1024 // 1024} MB. Import it with `manage.py import_knowledge`."
        )
    file = uploaded(content, PurePath(file_name).name[:300] or "file", form)
    told, digest = file.told_form, file.digest()
    if told == "opendialkg":
        raise KnowledgeRefused("OpenDialKG is three files. Import it with `manage.py import_knowledge`.")
    known = KnowledgeBaseRecord.objects.filter(space=space, digest=digest, state=State.READY).first()
    if known is not None:
        raise KnowledgeRefused(f"This file is here already, as {known.name!r}.")
    with transaction.atomic():
        import_count(space)
        base = base_open(space=space, name=name, source=file.name, licence=licence, form=told, digest=digest)
        KnowledgeUploadRecord.objects.update_or_create(base=base, defaults={"content": content})
        work_promise(base)
        act_record(kind=ActRecord.Kind.IMPORT, space=space, words=f"knowledge base {base.pk}")
    return base


def uploaded(content: bytes, name: str, form: str) -> KnowledgeFile:
    return KnowledgeFile(name, len(content), lambda: io.BytesIO(content), form=form)


def work_promise(base: KnowledgeBaseRecord) -> None:
    OutboxRecord.objects.create(task=KNOWLEDGE_TASK, arguments={"base_id": base.pk}, queue=KNOWLEDGE_QUEUE)


def knowledge_work(*, base_id: int) -> bool:
    """Import the uploaded file of a base, or remove the base; False where neither is to be done here."""
    with advisory_lock(LOCK_BASE | base_id) as is_mine:
        base = KnowledgeBaseRecord.objects.filter(pk=base_id).first()
        if base is None or not is_mine:
            return False
        if base.state == State.REMOVING:
            base_delete(base)
            return True
        upload = KnowledgeUploadRecord.objects.filter(base=base).first()
        if base.state != State.IMPORTING or upload is None:
            return False
        try:
            base_fill(base, uploaded(bytes(upload.content), base.source, base.form))
        except KnowledgeRefused:
            # The base says why, or is gone.
            return False
        finally:
            KnowledgeUploadRecord.objects.filter(base=base_id, base__state__in=(State.READY, State.FAILED)).delete()
    return True


def knowledge_promise_removal(*, base: KnowledgeBaseRecord) -> None:
    """Take a base away at once from all that read it; its rows go in the background."""
    with transaction.atomic():
        KnowledgeBaseRecord.objects.filter(pk=base.pk).update(state=State.REMOVING, progressed_at=timezone.now())
        work_promise(base)


def knowledge_remove(*, base: KnowledgeBaseRecord) -> None:
    """Delete a base with everything in it now. An import of it that runs stops at its next step."""
    KnowledgeBaseRecord.objects.filter(pk=base.pk).update(state=State.REMOVING)
    base_delete(base)


def base_delete(base: KnowledgeBaseRecord) -> None:
    space_id = base.space_id
    with transaction.atomic():
        KnowledgeBaseRecord.objects.select_for_update().filter(pk=base.pk).first()
        KnowledgeBaseRecord.objects.filter(pk=base.pk).delete()
        transaction.on_commit(lambda: events.memory_changed(space_id=space_id))


def knowledge_waiting_promise(*, limit: int) -> int:
    """Queue again what no worker has told anything of for long, and return how much that is."""
    has_file = Exists(KnowledgeUploadRecord.objects.filter(base=OuterRef("pk")))
    waiting = KnowledgeBaseRecord.objects.filter(
        Q(state=State.REMOVING) | Q(has_file, state=State.IMPORTING), progressed_at__lt=timezone.now() - SILENT
    )
    with transaction.atomic():
        bases = list(waiting.select_for_update(skip_locked=True).order_by("pk")[:limit])
        KnowledgeBaseRecord.objects.filter(pk__in=[base.pk for base in bases]).update(progressed_at=timezone.now())
        for base in bases:
            work_promise(base)
    return len(bases)
