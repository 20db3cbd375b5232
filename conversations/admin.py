"""What an administrator may look at of conversations. They belong to their owners: nothing is changed here."""

from django.contrib import admin

from conversations.models import Conversation, Reply, ReplyEvent, ReplyTrace
from memory.admin import ReadOnlyAdmin


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    list_display = ("id", "owner", "space", "title", "engine", "responder", "updated_at", "archived_at")
    list_select_related = ("owner", "space")
    search_fields = ("title", "=owner__username")


@admin.register(Reply)
class ReplyAdmin(ReadOnlyAdmin):
    way_to_space = "conversation__space"
    list_display = ("id", "conversation_id", "state", "engine", "responder", "first_token_ms", "total_ms", "created_at")
    list_filter = ("state", "responder")
    raw_id_fields = ("conversation", "round")


@admin.register(ReplyEvent)
class ReplyEventAdmin(ReadOnlyAdmin):
    way_to_space = "reply__conversation__space"
    list_display = ("id", "reply_id", "number", "kind", "created_at")
    list_filter = ("kind",)
    raw_id_fields = ("reply",)


@admin.register(ReplyTrace)
class ReplyTraceAdmin(ReadOnlyAdmin):
    list_display = ("id", "reply_id", "round_id", "has_forgotten", "created_at")
    raw_id_fields = ("reply", "round")
