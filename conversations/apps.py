from typing import Any

from django.apps import AppConfig


class ConversationsConfig(AppConfig):
    name = "conversations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from conversations.services.messages import title_forget
        from conversations.services.reasoning import trees_forget
        from memory.events import triples_forgotten, words_forgotten

        def forget(*, space_id: int, **_: Any) -> None:
            trees_forget(space_id=space_id)

        def rename(*, session_id: int, before: str, after: str, **_: Any) -> None:
            title_forget(session_id=session_id, before=before, after=after)

        triples_forgotten.connect(forget, weak=False, dispatch_uid="trees_forget")
        words_forgotten.connect(rename, weak=False, dispatch_uid="titles_forget")
