"""What an administrator may look at of conversations. They belong to their owners: nothing is changed here."""

from conversations.models import Conversation, Reply, ReplyEvent, ReplyTrace
from memory.admin import rows_shown

rows_shown(
    Conversation,
    "id owner space title engine responder updated_at archived_at",
    search_fields="title =owner__username",
)
rows_shown(
    Reply,
    "id conversation_id state engine responder first_token_ms total_ms created_at",
    way_to_space="conversation__space",
    list_filter="state responder",
)
rows_shown(
    ReplyEvent, "id reply_id number kind created_at", way_to_space="reply__conversation__space", list_filter="kind"
)
rows_shown(ReplyTrace, "id reply_id round_id has_forgotten created_at")
