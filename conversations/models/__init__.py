"""The rows of talking: conversations, replies, the numbered events of a reply, its trace."""

from conversations.models.conversation import Conversation
from conversations.models.reply import Reply, ReplyEvent, ReplySentence, ReplyState, ReplyTrace, ReplyTriple

__all__ = [
    "Conversation",
    "Reply",
    "ReplyEvent",
    "ReplySentence",
    "ReplyState",
    "ReplyTrace",
    "ReplyTriple",
]
