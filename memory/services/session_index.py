"""Keeps one embedding a session (SGMem, section 3.3): of the session's beginning, as much as fits the encoder's window.

A session grows with every round, and embedding its beginning costs more than everything else of a round. It is therefore
embedded again only when its words have doubled: at most 2 n words are read for a session of n words. A session whose last
words were not read is completed as soon as another session of the space begins.
"""

from collections.abc import Collection, Sequence
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


@dataclass(frozen=True)
class SessionBeginning:
    """The text of a session that fits the encoder's window. `is_full` is true where later turns cannot change that text."""

    text: str
    is_full: bool


@dataclass(frozen=True)
class UnreadSession:
    """A session's row as it is, and its text for the encoder."""

    row: SessionVector
    beginning: SessionBeginning


@dataclass(frozen=True)
class SessionReading:
    """A session's row as it was, its text for the encoder, and the vector of that text."""

    row: SessionVector
    beginning: SessionBeginning
    vector: Vector


def sessions_due(round: Round, space: Space) -> list[UnreadSession]:
    """Return a round's session if its words have doubled, along with sessions that were not read to their end."""
    is_due = SessionVector.objects.filter(DUE, session=round.session_id).exists()
    return sessions_unread(space) if is_due else []


def sessions_unread(space: Space) -> list[UnreadSession]:
    """Return the first sessions of a space whose vectors are missing or do not cover the session's end."""
    unread = SessionVector.objects.filter(UNREAD, space=space).select_related("session")
    rows = unread.order_by("session")[:SESSIONS_AT_ONCE]
    return [UnreadSession(row, session_beginning(row.session)) for row in rows]


def sessions_embedded(unread: Sequence[UnreadSession], space: Space) -> list[SessionReading]:
    """Embed sessions. Nothing is read from the database."""
    embedder = bootstrap.space_embedder(space.pk, known=space.embedder)
    vectors = embedder.embed([one.beginning.text for one in unread])
    return [SessionReading(one.row, one.beginning, vector) for one, vector in zip(unread, vectors, strict=True)]


def session_beginning(session: Session) -> SessionBeginning:
    """Return the text of a session's indexed turns that the encoder reads."""
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


def sessions_write(read: Sequence[SessionReading]) -> None:
    """Store the vectors in the caller's transaction, which holds the space's lock.

    A session whose vector did not change with its new words is complete: it is not embedded again.
    """
    for one in read:
        is_full = one.beginning.is_full or is_same(one.row.embedding, one.vector)
        SessionVector.objects.filter(session=one.row.session_id).update(
            embedding=one.vector, is_full=is_full, read_words=F("words")
        )


def is_same(stored: Vector | None, vector: Vector) -> bool:
    """Return whether a stored vector equals this one bit for bit; False where none is stored."""
    return stored is not None and np.array_equal(np.asarray(stored, np.float32), vector)


def sessions_outdate(session_ids: Collection[int] | QuerySet[Any]) -> None:
    """Delete the vectors of sessions whose words changed, so that they are embedded again."""
    SessionVector.objects.filter(session__in=session_ids).update(embedding=None, is_full=False, read_words=0)
