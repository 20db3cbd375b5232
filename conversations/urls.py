"""The addresses of talking."""

from django.urls import path

from conversations.views import history, manage, palette, reasoning, replies, talk, transfer

urlpatterns = [
    path("", talk.talk, name="talk"),
    path("c/new/", talk.conversation_new, name="conversation-new"),
    path("c/list/", history.conversation_list, name="conversation-list"),
    path("c/import/", transfer.conversation_import, name="conversation-import"),
    path("imports/<int:job_id>/begin/", transfer.import_begin, name="import-begin"),
    path("c/<int:conversation_id>/", talk.conversation, name="conversation"),
    path("c/<int:conversation_id>/messages/", talk.message_new, name="message-new"),
    path("c/<int:conversation_id>/rename/", manage.rename, name="conversation-rename"),
    path("c/<int:conversation_id>/engine/", manage.engine, name="conversation-engine"),
    path("c/<int:conversation_id>/checks/", manage.checks, name="conversation-checks"),
    path("c/<int:conversation_id>/archive/", manage.archive, name="conversation-archive"),
    path("c/<int:conversation_id>/delete/", manage.delete, name="conversation-delete"),
    path("c/<int:conversation_id>/export/<str:form>/", transfer.conversation_export, name="conversation-export"),
    path("replies/<int:reply_id>/", replies.reply, name="reply"),
    path("replies/<int:reply_id>/round/", replies.exchange, name="reply-round"),
    path("replies/<int:reply_id>/edit/", replies.edit, name="reply-edit"),
    path("replies/<int:reply_id>/regenerate/", replies.regenerate, name="reply-regenerate"),
    path("replies/<int:reply_id>/retry/", replies.retry, name="reply-retry"),
    path("rounds/<int:round_id>/show/", replies.version, name="version-show"),
    path("replies/<int:reply_id>/stop/", replies.stop, name="reply-stop"),
    path("replies/<int:reply_id>/reasoning/", reasoning.reply_reasoning, name="reply-reasoning"),
    path("spaces/<int:space_id>/reasoning/", reasoning.space_reasoning, name="space-reasoning"),
    path("spaces/<int:space_id>/unknowns/", reasoning.space_unknowns, name="space-unknowns"),
    path("spaces/<int:space_id>/unknowns/<int:step_id>/", reasoning.unknown_answer, name="unknown-answer"),
    path("history/", history.history, name="history"),
    path("palette/", palette.palette, name="palette"),
]
