"""`manage.py migrate`: Django's, as the role that owns the tables."""

from typing import Any

from django.core.management.commands import migrate

from memory.adapters.row_security.scope import as_owner


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        with as_owner():
            super().handle(*args, **options)
