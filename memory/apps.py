from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class MemoryConfig(AppConfig):
    name = "memory"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from memory import access, checks, dispatch  # noqa: F401 (connect what follows a commit, register the checks)

        autodiscover_modules("trace_views")
