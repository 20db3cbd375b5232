from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.module_loading import autodiscover_modules


class MemoryConfig(AppConfig):
    name = "memory"
    default_auto_field = "django.db.models.BigAutoField"
    # Whose rows they are; those with a foreign key `space` say so themselves (`memory.adapters.row_security.tenancy`).
    belongs_through = {
        "KnowledgeUploadRecord": "base",
        "KnowledgeNameRecord": "base",
        "KnowledgeRelationRecord": "base",
        "KnowledgeTripleRecord": "base",
        "KnowledgePassageRecord": "base",
    }
    of_no_space = {"EngineRecord", "OutboxRecord", "TokenRecord"}
    gives_access = {"Membership"}

    def ready(self) -> None:
        from memory import access, audit, checks, dispatch  # noqa: F401 (connect what follows a commit, register the checks)
        from memory.adapters.call_figures import calls_count
        from memory.adapters.row_security.wall import wall_make
        from memory.core.tracing import watch
        from memory.events import graph_edited
        from memory.services.state_bridge import graph_follow

        def follow(*, space_id: int, **_: Any) -> None:
            graph_follow(space_id=space_id)

        graph_edited.connect(follow, weak=False, dispatch_uid="states follow the graph")
        watch(calls_count)
        post_migrate.connect(wall_make, sender=self, dispatch_uid="make the wall")
        autodiscover_modules("trace_views")
