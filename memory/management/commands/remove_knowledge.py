"""`manage.py remove_knowledge NAME --space S`: delete a knowledge base with everything in it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.management.spaces import space_named
from memory.models import KnowledgeBaseRecord
from memory.services.knowledge import knowledge_remove


class Command(BaseCommand):
    help = "Delete a knowledge base of a space with everything in it. What was said in conversations stays."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--space", required=True, metavar="S", help="the name of the space, or its number")

    def handle(self, *, name: str, space: str, **options: Any) -> None:
        base = KnowledgeBaseRecord.objects.filter(space=space_named(space), name=name).first()
        if base is None:
            raise CommandError(
                f"The space has no knowledge base {name!r}. `manage.py list_knowledge` tells which it has."
            )
        knowledge_remove(base=base)
        self.stdout.write(f"{name}: removed.")
