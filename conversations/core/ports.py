"""The port of conversations: `Responder`."""

from collections.abc import Iterator
from typing import Protocol

from conversations.core.types import Query, ReplyPart


class Responder(Protocol):
    """A pipeline that answers a query from one space's memory. Closing the iterator stops it."""

    @property
    def name(self) -> str: ...

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        """Yield the reply's parts as they come: stages, then grounds before the first word that rests on them."""
