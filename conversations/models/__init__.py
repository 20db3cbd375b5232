"""The rows of talking: conversations, replies and the numbered events of a reply."""

from conversations.models.conversation import Conversation
from conversations.models.reply import Reply, ReplyEvent, ReplySentence, ReplyState, ReplyTriple

__all__ = ["Conversation", "Reply", "ReplyEvent", "ReplySentence", "ReplyState", "ReplyTriple"]
