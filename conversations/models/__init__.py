"""The tables of conversations: conversations, replies, the numbered events and the trace of a reply."""

from conversations.models.client_round import ClientRound
from conversations.models.conversation import Conversation
from conversations.models.reply import (
    Reply,
    ReplyEvent,
    ReplyKnowledge,
    ReplySentence,
    ReplyState,
    ReplyTrace,
    ReplyTriple,
)
