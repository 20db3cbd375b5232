"""Imports a file into a knowledge base: all of it or nothing. Whoever is killed leaves a base that is not ready."""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from memory.adapters.knowledge_files import (
    FORMS,
    KnowledgeFileRefused,
    Lines,
    NameKind,
    StatedName,
    StatedPassage,
    StatedTriple,
    form_told,
)
from memory.adapters.knowledge_files.tsv import read_aliases
from memory.core.bm25 import words
from memory.core.errors import KnowledgeRefused
from memory.core.grounded_generation.knowledge import blocks_of, name_key, title_key
from memory.models import WORD_LIMIT, KnowledgeBaseRecord, KnowledgeUploadRecord, Space
from memory.services.advisory_locks import advisory_lock
from memory.services.knowledge.storing import Staging, Stored

State = KnowledgeBaseRecord.State
# Sets the advisory locks of imports apart from all others: "kno" in ASCII, before the base's id.
LOCK_BASE = 0x6B6E6F << 32
STAGED_AT_ONCE = 20_000
# So many things are remembered as named already; another one may be named twice.
REMEMBERED = 500_000
PROGRESS_S = 1.0
NAME_LIMIT, KEY_LIMIT = 1_000, 200
# Reading takes about so much of an import; the rest is storing, which has no share.
READING = 0.6
READ_AT_ONCE = 1024 * 1024
GONE = "The knowledge base was removed while it was imported."
Progress = Callable[[float], None]
Record = TypeVar("Record")


@dataclass(frozen=True)
class KnowledgeFile:
    """A file to import: how it is opened, how large it is, what lies beside it, its format and a file of aliases."""

    name: str
    size: int
    open: Callable[[], BinaryIO]
    beside: Path | None = None
    form: str = ""
    aliases: Path | None = None

    @property
    def told_form(self) -> str:
        """The format, from what the file holds where it is not given. Raises `KnowledgeFileRefused`."""
        if self.form:
            return self.form
        with self.open() as stream:
            return form_told(Lines(stream, self.name))

    def digest(self) -> str:
        """Return the SHA-256 of the file and of all that is read beside it."""
        found = hashlib.sha256()
        paths = [self.aliases] if self.aliases is not None else []
        if self.beside is not None and self.told_form == "opendialkg":
            paths += [self.beside / name for name in ("entity2id.txt", "relation2id.txt")]
        for opened in (self.open, *map(path_opened, paths)):
            with opened() as stream:
                while piece := stream.read(READ_AT_ONCE):
                    found.update(piece)
            found.update(b"\x00")
        return found.hexdigest()


def path_opened(path: Path) -> Callable[[], BinaryIO]:
    return lambda: path.open("rb")


def knowledge_import(
    *, space: Space, file: KnowledgeFile, name: str, licence: str = "", on_progress: Progress = lambda share: None
) -> tuple[KnowledgeBaseRecord, bool]:
    """Import a file as a base of the space, and return it with whether it is new: a file that is there already adds nothing.

    An import of this name that failed or was killed begins anew. Raises `KnowledgeRefused`, and keeps nothing of the file.
    """
    form, digest = file.told_form, file.digest()
    known = KnowledgeBaseRecord.objects.filter(space=space, digest=digest, state=State.READY).first()
    if known is not None:
        return known, False
    base = base_open(space=space, name=name, source=file.name, licence=licence, form=form, digest=digest)
    with base_lock(base):
        base_fill(base, file, on_progress=on_progress)
    return base, True


def base_open(*, space: Space, name: str, **said: str) -> KnowledgeBaseRecord:
    """Make a base that is being imported, or take up one of this name that never became ready and that nobody works on."""
    base, is_new = KnowledgeBaseRecord.objects.get_or_create(space=space, name=name, defaults=said)
    if base.state in (State.READY, State.REMOVING):
        raise KnowledgeRefused(f"There is a knowledge base {name!r} already. Remove it, or choose another name.")
    if not is_new:
        with base_lock(base):
            KnowledgeUploadRecord.objects.filter(base=base).delete()
            again = {"state": State.IMPORTING, "error": "", "progress": 0, "progressed_at": timezone.now()}
            KnowledgeBaseRecord.objects.filter(pk=base.pk).update(**again, **said)
            base.refresh_from_db()
    return base


@contextmanager
def base_lock(base: KnowledgeBaseRecord) -> Iterator[None]:
    """Keep a base for the importer that it has now. Raises `KnowledgeRefused` where it has another one."""
    with advisory_lock(LOCK_BASE | base.pk) as is_mine:
        if not is_mine:
            raise KnowledgeRefused(f"The knowledge base {base.name!r} is being imported. Wait for it to end.")
        yield


def base_fill(base: KnowledgeBaseRecord, file: KnowledgeFile, *, on_progress: Progress = lambda share: None) -> None:
    """Import a file into a base, whose lock the caller holds.

    Raises `KnowledgeRefused`. A file that cannot be read leaves a failed base, which says why.
    """
    staging = Staging()
    staging.begin()
    try:
        file_stage(staging, base, file, on_progress)
        stored = base_store(staging, base)
    except (KnowledgeFileRefused, DataError) as refusal:
        why = str(refusal) if isinstance(refusal, KnowledgeFileRefused) else f"{file.name} cannot be stored: {refusal}"
        KnowledgeBaseRecord.objects.filter(pk=base.pk).update(state=State.FAILED, error=why)
        raise KnowledgeFileRefused(why) from refusal
    finally:
        # Where the database itself failed, that is what is told.
        with suppress(Exception):
            staging.end()
    on_progress(1.0)
    for count in ("entities", "aliases", "triples", "passages", "passage_words"):
        setattr(base, count, getattr(stored, count))
    base.state, base.progress = State.READY, 1.0


def file_stage(staging: Staging, base: KnowledgeBaseRecord, file: KnowledgeFile, on_progress: Progress) -> None:
    form, told_at = FORMS[base.form], 0.0
    with file.open() as stream:
        lines, seen = Lines(stream, file.name), set[str]()
        for some in batches(form.read(lines, file.beside)):
            staging.add("staged_triple", [row_of(one) for one in some if isinstance(one, StatedTriple)])
            staging.add("staged_passage", [passage_row(one) for one in some if isinstance(one, StatedPassage)])
            staging.add("staged_name", [name_row(one) for one in names_in(some, seen, form.name_of)])
            if time.monotonic() - told_at >= PROGRESS_S:
                told_at = time.monotonic()
                share = READING * lines.bytes_read / max(file.size, 1)
                progress_tell(base, share)
                on_progress(share)
    if file.aliases is not None:
        with file.aliases.open("rb") as stream:
            for aliases in batches(read_aliases(Lines(stream, file.aliases.name))):
                staging.add("staged_name", [name_row(one) for one in aliases])
    progress_tell(base, READING)
    on_progress(READING)


def batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    waiting = iter(records)
    while some := list(islice(waiting, STAGED_AT_ONCE)):
        yield some


def names_in(
    records: Iterable[StatedTriple | StatedName | StatedPassage], seen: set[str], name_of: Callable[[str], str]
) -> Iterator[StatedName]:
    """Yield the names that records give, and of things that triples mention for the first time what stands for a name."""
    for one in records:
        if isinstance(one, StatedName):
            yield one
        elif isinstance(one, StatedTriple):
            for identity in (one.subject, one.relation, one.object):
                if identity not in seen:
                    if len(seen) >= REMEMBERED:
                        seen.clear()
                    seen.add(identity)
                    yield StatedName(one.line, identity, name_of(identity), NameKind.FALLBACK)


def row_of(one: StatedTriple) -> tuple[Any, ...]:
    return one.line, one.subject, one.relation, one.object


def name_row(one: StatedName) -> tuple[Any, ...]:
    name = " ".join(one.name.split())[:NAME_LIMIT]
    key = name_key(name)[:KEY_LIMIT]
    return one.line, one.identity, int(one.kind), name, key, *blocks_of(key)


def passage_row(one: StatedPassage) -> tuple[Any, ...]:
    stems = [word[:WORD_LIMIT] for word in words(f"{one.title} {one.text}")]
    return one.line, one.title, one.text, title_key(one.title)[:KEY_LIMIT], stems


def progress_tell(base: KnowledgeBaseRecord, share: float) -> None:
    """Record how far an import is. Raises `KnowledgeRefused` where its base was removed meanwhile."""
    mine = KnowledgeBaseRecord.objects.filter(pk=base.pk, state=State.IMPORTING)
    if not mine.update(progress=min(share, 1.0), progressed_at=timezone.now()):
        raise KnowledgeRefused(GONE)


def base_store(staging: Staging, base: KnowledgeBaseRecord) -> Stored:
    """Move what was staged into a base, which is ready from then on."""
    try:
        with transaction.atomic():
            mine = KnowledgeBaseRecord.objects.select_for_update(no_key=True).filter(pk=base.pk, state=State.IMPORTING)
            if mine.first() is None:
                raise KnowledgeRefused(GONE)
            stored = staging.store(base.pk)
            if not (stored.triples or stored.passages):
                raise KnowledgeFileRefused(f"{base.source} states nothing.")
            KnowledgeBaseRecord.objects.filter(pk=base.pk).update(
                state=State.READY, progress=1.0, progressed_at=timezone.now(), **vars(stored)
            )
    except IntegrityError as error:
        raise KnowledgeRefused(GONE) from error
    return stored
