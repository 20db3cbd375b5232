"""`manage.py evaluate WHAT`: measure the product against data."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.core.errors import EvaluationError
from evaluation.management.reporting import report_write
from evaluation.quality.catalogue import EVALUATIONS
from memory import bootstrap
from memory.core.errors import MemoryCoreError


class Command(BaseCommand):
    requires_system_checks = []
    help = "Measure the product against data. Ends with status 0 when the measurement ran, whatever it found."

    def add_arguments(self, parser: ArgumentParser) -> None:
        kinds = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
        for name, evaluation in EVALUATIONS.items():
            kind = kinds.add_parser(name, help=evaluation.HELP, description=evaluation.HELP)
            evaluation.add_arguments(kind)
            kind.add_argument("--json", type=Path, metavar="OUT", help="write the rows to this file too")

    def handle(self, *, what: str, json: Path | None, **options: Any) -> None:
        try:
            for engine in (options.get("engine") or "").split(","):
                bootstrap.engine_admit(engine)
            report = EVALUATIONS[what].run(options)
        except (EvaluationError, MemoryCoreError) as error:
            raise CommandError(str(error)) from error
        report_write(report, stdout=self.stdout, json_path=json)
