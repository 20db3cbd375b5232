"""`manage.py bench_here NAME ...`: run benches in this process, over the configured database."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.core.errors import EvaluationError
from evaluation.management.benching import arguments_add, given_options, report_of
from evaluation.management.reporting import report_write
from evaluation.performance.catalogue import benches_named
from memory import bootstrap
from memory.core.errors import MemoryCoreError


class Command(BaseCommand):
    help = (
        "Run benches in this process over the configured database (`bench` makes one for the run). "
        "What they write belongs to accounts of their own and is removed afterwards."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        arguments_add(parser)

    def handle(self, *, names: list[str], json: Path | None, **options: Any) -> None:
        given = given_options(options)
        quiet = options["verbosity"] == 0
        rows = []
        try:
            bootstrap.engine_admit(str(given.get("engine") or ""))
            benches = benches_named(names)
            for bench in benches.values():
                chosen = {option.name: given.get(option.name, option.default) for option in bench.OPTIONS}
                rows += bench.measure({**chosen, "quiet": quiet})
        except (EvaluationError, MemoryCoreError) as error:
            raise CommandError(str(error)) from error
        report_write(report_of(list(benches), given, rows), stdout=self.stdout, json_path=json)
