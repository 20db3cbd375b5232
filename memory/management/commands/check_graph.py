"""`manage.py check_graph --space S`: whether the current graph of a space is consistent, by an OWL reasoner."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.management.spaces import space_named
from memory.models import GraphCheckRecord
from memory.services.graph_checks import HERMIT, REASONERS, CheckRefused, graph_check

INCONSISTENT_STATUS, FAILED_STATUS = 1, 2


class Command(BaseCommand):
    help = (
        "Check a space's current graph as a whole. Exits with 0 when it is consistent, 1 when it is not, "
        "2 when there is no verdict."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--space", required=True, metavar="NAME", help="the name of the space, or its number")
        parser.add_argument(
            "--reasoner",
            default=HERMIT,
            choices=REASONERS,
            help="who decides (default: hermit; built-in needs no Java)",
        )
        parser.add_argument("--explain", action="store_true", help="let Pellet explain a clash from the axioms")

    def handle(self, *, space: str, reasoner: str, explain: bool, **options: Any) -> None:
        try:
            check = graph_check(
                space=space_named(space, returncode=FAILED_STATUS), reasoner=reasoner, is_explained=explain
            )
        except CheckRefused as error:
            raise CommandError(str(error), returncode=FAILED_STATUS) from error
        if check.verdict == GraphCheckRecord.Verdict.FAILED:
            raise CommandError(check.explanation, returncode=FAILED_STATUS)
        self.stdout.write(
            f"{check.verdict} ({check.reasoner}, {check.triple_count:,} current triples, {check.duration_ms / 1000:.1f} s)"
        )
        for line in check.explanation.splitlines():
            self.stdout.write(f"  {line}")
        if check.verdict == GraphCheckRecord.Verdict.INCONSISTENT:
            sys.exit(INCONSISTENT_STATUS)
