"""The tables of conversations: conversations, replies, the numbered events, the trace and the sources of a reply."""

from conversations.models.client_round import ClientRound
from conversations.models.conversation import Conversation, TitleBy
from conversations.models.reply import (
    Reply,
    ReplyEvent,
    ReplyKnowledge,
    ReplySentence,
    ReplySourceAside,
    ReplyState,
    ReplyTrace,
    ReplyTriple,
)
