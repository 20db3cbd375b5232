from typing import Any

from django.apps import AppConfig


class ConversationsConfig(AppConfig):
    name = "conversations"
    default_auto_field = "django.db.models.BigAutoField"
    belongs_through = {
        "ReplyTrace": "reply",
        "ReplyTriple": "reply",
        "ReplyKnowledge": "reply",
        "ReplySentence": "reply",
    }

    def ready(self) -> None:
        from conversations.services.messages import reply_forget, title_forget
        from memory.events import words_forgotten

        def forget(*, session_id: int, before: str, after: str, **_: Any) -> None:
            title_forget(session_id=session_id, before=before, after=after)
            reply_forget(session_id=session_id, before=before, after=after)

        words_forgotten.connect(forget, weak=False, dispatch_uid="conversations_forget")
