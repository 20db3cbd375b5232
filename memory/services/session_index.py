"""Vectors of sessions (SGMem, section 3.3): of their beginnings, as far as the encoder reads, made in the background.

A session grows with every round, and reading its beginning costs more than all else of a round. It is read when its words
have doubled, which is promised where they are counted (`postings`), and whatever was not read to its end is read along: so a
session of n words costs no more than reading 2 n, and stays behind for no longer than until another begins.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import F, QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from memory.core.sentence_graph.hierarchy import session_text, turn_text
from memory.models import UNREAD, Session, SessionVector, Turn

# The encoder reads 256 word pieces; a word is at least one of them, and so is a turn.
BEGINNING = 256
SESSIONS_AT_ONCE = 16
Vector = NDArray[np.float32]


@dataclass(frozen=True)
class SessionBeginning:
    """What the encoder reads of a session, and whether it reads nothing of what may come after it."""

    text: str
    is_full: bool


def sessions_to_read(space_id: int) -> list[SessionVector]:
    """Return the first sessions of a space whose beginnings are to be read anew, or were not read to their end."""
    unread = SessionVector.objects.filter(UNREAD, space=space_id).select_related("session")
    return list(unread.order_by("session")[:SESSIONS_AT_ONCE])


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


def session_write(row: SessionVector, beginning: SessionBeginning, vector: Vector) -> None:
    """Write the vector of what was read, in the caller's transaction. Where new words changed nothing, no more are read."""
    SessionVector.objects.filter(session=row.session_id).update(
        embedding=vector, is_full=beginning.is_full or is_same(row.embedding, vector), read_words=F("words")
    )


def is_same(stored: Vector | None, vector: Vector) -> bool:
    """Return whether a stored vector is this one, to the bit; none is stored where it is to be made anew."""
    return stored is not None and np.array_equal(np.asarray(stored, np.float32), vector)


def sessions_outdate(session_ids: Collection[int] | QuerySet[Any]) -> None:
    """Take the vectors of sessions away whose words went, or got others before them."""
    SessionVector.objects.filter(session__in=session_ids).update(embedding=None, is_full=False, read_words=0)
