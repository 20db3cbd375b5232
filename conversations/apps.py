from django.apps import AppConfig


class ConversationsConfig(AppConfig):
    name = "conversations"
    default_auto_field = "django.db.models.BigAutoField"
    belongs_through = {
        "ReplyTrace": "reply",
        "ReplyTriple": "reply",
        "ReplyKnowledge": "reply",
        "ReplySentence": "reply",
        "ReplySourceAside": "reply",
    }

    def ready(self) -> None:
        from conversations import dispatch  # noqa: F401 (connects conversations to what happens to their words)
