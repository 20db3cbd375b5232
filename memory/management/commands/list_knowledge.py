"""`manage.py list_knowledge [--space S]`: the knowledge bases that there are."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from memory.management.spaces import space_named
from memory.models import KnowledgeBaseRecord


class Command(BaseCommand):
    help = "List the knowledge bases of a space, or of all: state, counts, source and licence."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--space", metavar="S", default="", help="the name of the space, or its number (default: all)"
        )

    def handle(self, *, space: str, **options: Any) -> None:
        bases = KnowledgeBaseRecord.objects.select_related("space").order_by("space", "pk")
        if space:
            bases = bases.filter(space=space_named(space))
        for base in bases:
            self.stdout.write(
                f"{base.space}: {base.name}, {base.state}{f' ({base.error})' if base.error else ''}, "
                f"{base.triples:,} triples, {base.passages:,} passages, from {base.source}, "
                f"{base.licence or 'no licence stated'}"
            )
        if not bases:
            self.stdout.write("There is no knowledge base. Bring one in with `manage.py import_knowledge`.")
