"""Writes the log of acts, in the transaction of the act: who did it, from which address, in which request."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q

from memory.adapters.row_security.scope import everything
from memory.models import ActRecord, Space


def nobody() -> int | None:
    return None


@dataclass(frozen=True)
class Whence:
    """Where acts come from: a client's address, the id of its request, and who is signed in; nothing for a command."""

    address: str = ""
    request_id: str = ""
    user_id: Callable[[], int | None] = nobody


_whence: ContextVar[Whence | None] = ContextVar("whence", default=None)


@contextmanager
def acts_from(whence: Whence) -> Iterator[None]:
    """Let every act inside the block be told as coming from there."""
    token = _whence.set(whence)
    try:
        yield
    finally:
        _whence.reset(token)


def act_record(
    *,
    kind: ActRecord.Kind,
    by: User | None = None,
    space: Space | int | None = None,
    subject: User | int | None = None,
    words: str = "",
) -> None:
    """Add an act to the log; without `by` it is whoever is signed in.

    `words` are names. They are emptied when the space or one of the people is forgotten.
    """
    with everything():  # an act may be of no space, or of one that is gone
        act_of(kind=kind, by=by, space=space, subject=subject, words=words).save()


def acts_record(*, kind: ActRecord.Kind, spaces: Iterable[int], words: str) -> None:
    """Add the same act to the log for each of several spaces, in one query."""
    with everything():
        ActRecord.objects.bulk_create([act_of(kind=kind, space=space, words=words) for space in spaces])


def act_of(
    *,
    kind: ActRecord.Kind,
    by: User | None = None,
    space: Space | int | None = None,
    subject: User | int | None = None,
    words: str = "",
) -> ActRecord:
    whence = _whence.get() or Whence()
    return ActRecord(
        kind=kind,
        actor_id=by.pk if by is not None else whence.user_id(),
        space_id=space.pk if isinstance(space, Space) else space,
        subject_id=subject.pk if isinstance(subject, User) else subject,
        words=words.replace("\0", "")[:300],
        address=whence.address[:45],
        request_id=whence.request_id[:64],
    )


def acts_forget(*, space_id: int | None = None, user_id: int | None = None) -> None:
    """Empty the words of a space's or a person's acts, in the caller's transaction. The acts stay."""
    found = Q(space=space_id) if space_id is not None else Q(actor=user_id) | Q(subject=user_id)
    with everything():
        ActRecord.objects.filter(found).exclude(words="").update(words="")
