"""What memory tells open pages and the apps above it.

Pages: best effort; one that misses a message reads the same from the database later. Apps: a signal that is sent inside
the transaction that it speaks of, so that what a receiver writes is kept or lost with it.
"""

from __future__ import annotations

import logging

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.dispatch import Signal

logger = logging.getLogger(__name__)

# A round is whole and all that memory will do about it is done. Sent with `round_id`, once or more often.
round_ended = Signal()
# Rounds (`round_ids`) are about to be put aside with a version: what they taught is still there.
rounds_leaving = Signal()
# The graph of a space (`space_id`) was changed by hand. Sent after the commit.
graph_edited = Signal()
# Words of a turn (`turn_id`) are gone: what a session (`session_id`) was called after them is called after what is left.
words_forgotten = Signal()

# A person (`user_id`) may see less than before. Sent after the commit.
access_withdrawn = Signal()
ACCESS_GROUP = "access"


def space_group(space_id: int) -> str:
    return f"space.{space_id}"


def memory_changed(*, space_id: int) -> None:
    """Tell the open pages of a space that its memory is another than before."""
    send_to_group(space_group(space_id), {"type": "memory.changed", "space": space_id})


def access_changed(*, user_id: int) -> None:
    """Say that a person may see less than before: to this process before the call returns, then to all others."""
    access_withdrawn.send(sender=None, user_id=user_id)
    send_to_group(ACCESS_GROUP, {"type": "access.changed", "user": user_id})


def send_to_group(group: str, message: dict[str, object]) -> None:
    """Send a message from synchronous code. A channel layer that is out of reach is logged, never raised."""
    try:
        async_to_sync(get_channel_layer().group_send)(group, message)
    except Exception:
        logger.warning("An open page was not told of a change; it will see it at its next load.", exc_info=True)
