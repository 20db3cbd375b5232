"""Writes the log of acts, in the transaction of the act, with the address and the request that it came from."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q

from memory.models import ActRecord, Space


@dataclass(frozen=True)
class Whence:
    """Where acts come from: a client's address and the id of its request; both empty for the command line."""

    address: str = ""
    request_id: str = ""


_whence: ContextVar[Whence] = ContextVar("whence", default=Whence())


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
    """Add an act to the log. `words` are names that are emptied when the space or one of the people is forgotten."""
    whence = _whence.get()
    ActRecord.objects.create(
        kind=kind,
        actor_id=by.pk if by is not None else None,
        space_id=space.pk if isinstance(space, Space) else space,
        subject_id=subject.pk if isinstance(subject, User) else subject,
        words=words.replace("\0", "")[:300],
        address=whence.address,
        request_id=whence.request_id[:64],
    )


def acts_forget(*, space_id: int | None = None, user_id: int | None = None) -> None:
    """Empty the words of a space's or a person's acts, in the caller's transaction. The acts stay."""
    found = Q(space=space_id) if space_id is not None else Q(actor=user_id) | Q(subject=user_id)
    ActRecord.objects.filter(found).exclude(words="").update(words="")
