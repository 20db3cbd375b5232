from typing import Any

from django.apps import AppConfig


class ConversationsConfig(AppConfig):
    name = "conversations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from conversations.services.reasoning import trees_forget
        from memory.events import triples_forgotten

        def forget(*, space_id: int, **_: Any) -> None:
            trees_forget(space_id=space_id)

        triples_forgotten.connect(forget, weak=False, dispatch_uid="trees_forget")
