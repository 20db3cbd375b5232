"""Vectors of sessions (SGMem, section 3.3): of their beginnings, as far as the encoder reads.

A session grows with every round, and reading its beginning costs more than all else of a round. It is read when its words
have doubled, so that a session of n words that nothing interrupts costs no more than reading 2 n. Whatever was not read to
its end is read along, and stays behind for no longer than until another session begins.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from memory import bootstrap
from memory.core.sentence_graph.hierarchy import session_text, turn_text
from memory.models import UNREAD, Round, Session, SessionVector, Space, Turn

# The encoder reads 256 word pieces; a word is at least one of them, and so is a turn.
BEGINNING = 256
SESSIONS_AT_ONCE = 16
DUE = Q(embedding=None) | Q(is_full=False, words__gte=2 * F("read_words"))
Vector = NDArray[np.float32]
Write = Callable[[], None]


@dataclass(frozen=True)
class SessionBeginning:
    """What the encoder reads of a session, and whether it reads nothing of what may come after it."""

    text: str
    is_full: bool


@dataclass(frozen=True)
class SessionReading:
    """A session's row as it was, what was read of the session, and the vector of that."""

    row: SessionVector
    beginning: SessionBeginning
    vector: Vector


def index_session(round: Round) -> Write:
    """Read a round's session if its words have doubled, and with it what else of the space was not read to its end."""
    if not SessionVector.objects.filter(DUE, session=round.session_id).exists():
        return lambda: None
    space = Space.objects.only("embedder", "index_revision").get(pk=round.space_id)
    read = sessions_read(space)
    return lambda: sessions_write(read, space)


def sessions_read(space: Space) -> list[SessionReading]:
    """Read the first sessions of a space whose vectors are to be made anew, or were not read to their end."""
    unread = SessionVector.objects.filter(UNREAD, space=space).select_related("session")
    rows = list(unread.order_by("session")[:SESSIONS_AT_ONCE])
    beginnings = [session_beginning(row.session) for row in rows]
    embedder = bootstrap.space_embedder(space.pk, known=space.embedder)
    vectors = embedder.embed([beginning.text for beginning in beginnings])
    return [SessionReading(*read) for read in zip(rows, beginnings, vectors, strict=True)]


def session_beginning(session: Session) -> SessionBeginning:
    """Return what the encoder reads of a session's indexed turns."""
    turns = Turn.objects.filter(vector__isnull=False, session=session).order_by("index").values_list("speaker", "text")
    lines: list[str] = []
    words = 0
    for speaker, text in turns[:BEGINNING]:
        lines.append(turn_text(speaker, text))
        words += len(lines[-1].split())
        if words >= BEGINNING:
            break
    return SessionBeginning(
        text=session_text(timezone.localtime(session.started_at), lines),
        is_full=words >= BEGINNING or len(lines) == BEGINNING,
    )


def sessions_write(read: Sequence[SessionReading], space: Space) -> None:
    """Write what was read, in the caller's transaction, which holds the space's lock; nothing if words were taken out since.

    A session whose new words changed nothing is not read any more.
    """
    if not Space.objects.filter(pk=space.pk, index_revision=space.index_revision).exists():
        return
    for one in read:
        is_full = one.beginning.is_full or is_same(one.row.embedding, one.vector)
        SessionVector.objects.filter(session=one.row.session_id).update(
            embedding=one.vector, is_full=is_full, read_words=F("words")
        )


def is_same(stored: Vector | None, vector: Vector) -> bool:
    """Return whether a stored vector is this one, to the bit; none is stored where it is to be made anew."""
    return stored is not None and np.array_equal(np.asarray(stored, np.float32), vector)


def sessions_outdate(session_ids: Collection[int] | QuerySet[Any]) -> None:
    """Take the vectors of sessions away whose words went, or got others before them."""
    SessionVector.objects.filter(session__in=session_ids).update(embedding=None, is_full=False, read_words=0)
