"""The addresses of talking's API, under /api/."""

from django.urls import path

from conversations.api import conversations, imports, replies

urlpatterns = [
    path("conversations/", conversations.ConversationList.as_view(), name="api-conversations"),
    path("conversations/<int:conversation_id>/", conversations.ConversationDetail.as_view(), name="api-conversation"),
    path("conversations/<int:conversation_id>/messages/", conversations.MessageList.as_view(), name="api-messages"),
    path(
        "conversations/<int:conversation_id>/export/",
        conversations.ConversationExport.as_view(),
        name="api-conversation-export",
    ),
    path("imports/chats/", imports.ChatsImport.as_view(), name="api-chats-import"),
    path("imports/<int:job_id>/begin/", imports.ChatsBegin.as_view(), name="api-import-begin"),
    path("replies/<int:reply_id>/", replies.ReplyDetail.as_view(), name="api-reply"),
    path("replies/<int:reply_id>/events/", replies.ReplyEvents.as_view(), name="api-reply-events"),
    path("replies/<int:reply_id>/trace/", replies.ReplyTraceSteps.as_view(), name="api-reply-trace"),
    path("replies/<int:reply_id>/stop/", replies.ReplyStop.as_view(), name="api-reply-stop"),
    path("replies/<int:reply_id>/regenerate/", replies.ReplyRegenerate.as_view(), name="api-reply-regenerate"),
    path("replies/<int:reply_id>/edit/", replies.ReplyEdit.as_view(), name="api-reply-edit"),
    path("rounds/<int:round_id>/show/", replies.VersionShow.as_view(), name="api-version-show"),
    path("replies/<int:reply_id>/retry/", replies.ReplyRetry.as_view(), name="api-reply-retry"),
]
