from typing import Any

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class MemoryConfig(AppConfig):
    name = "memory"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from memory import access, audit, checks, dispatch  # noqa: F401 (connect what follows a commit, register the checks)
        from memory.adapters.call_figures import calls_count
        from memory.core.tracing import watch
        from memory.events import graph_edited
        from memory.services.state_bridge import graph_follow

        def follow(*, space_id: int, **_: Any) -> None:
            graph_follow(space_id=space_id)

        graph_edited.connect(follow, weak=False, dispatch_uid="states follow the graph")
        watch(calls_count)
        autodiscover_modules("trace_views")
