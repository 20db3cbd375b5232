"""The rows of talking: conversations, replies, the numbered events of a reply, its reasoning tree."""

from conversations.models.conversation import Conversation
from conversations.models.reasoning import ReasoningArgument, ReasoningNode, ReasoningNodeTriple, ReasoningTree
from conversations.models.reply import Reply, ReplyEvent, ReplySentence, ReplyState, ReplyTriple

__all__ = [
    "Conversation",
    "ReasoningArgument",
    "ReasoningNode",
    "ReasoningNodeTriple",
    "ReasoningTree",
    "Reply",
    "ReplyEvent",
    "ReplySentence",
    "ReplyState",
    "ReplyTriple",
]
