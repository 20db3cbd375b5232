"""`manage.py bench [NAME ...]`: measure speed and memory.

Each bench runs in a process of its own over a data folder that is made for the run and removed after it, so that
neither the person's data nor what an earlier bench loaded counts.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluation.core.comparison import Comparison
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.management.benching import arguments_add, given_options, report_of
from evaluation.management.reporting import report_read, report_write
from evaluation.performance.catalogue import BENCHES, benches_named


class Command(BaseCommand):
    help = "Measure speed and memory. " + " ".join(f"{name}: {bench.HELP}." for name, bench in BENCHES.items())
    requires_system_checks = []
    # The processes that measure find their own database; this one only starts them.
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        arguments_add(parser)
        parser.add_argument(
            "--compare",
            type=Path,
            metavar="FILE",
            help="print each row beside that of an earlier run (its --json OUT), as a ratio",
        )

    def handle(self, *, names: list[str], json: Path | None, compare: Path | None, **options: Any) -> None:
        try:
            benches = list(benches_named(names))
            before = report_read(compare) if compare is not None else None
        except EvaluationError as error:
            raise CommandError(str(error)) from error
        given = given_options(options)
        rows: list[Row] = []
        # Whoever ends this process ends the one that measures, too, and leaves no data folder.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        with fresh_home() as home:
            for name in benches:
                if options["verbosity"]:
                    self.stderr.write(f"{name}: {BENCHES[name].HELP}")
                rows += measured_apart(name, given, home=home, verbosity=options["verbosity"])
        report = report_of(benches, given, rows)
        report_write(report, stdout=self.stdout, json_path=json)
        if before is not None:
            self.stdout.write("\n" + Comparison(before, report).as_table())


def measured_apart(name: str, given: Mapping[str, Any], *, home: Path, verbosity: int) -> list[Row]:
    """Run a bench in a process of its own; where it breaks off, a row says so and the others go on."""
    out = home / f"{name}.json"
    own = {option.name for option in BENCHES[name].OPTIONS}
    chosen = [f"--{key}={argument(value)}" for key, value in given.items() if key in own]
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "bench_here", name]
    status = run_with_us(
        [*command, "--json", str(out), "--verbosity", str(min(verbosity, 1)), *chosen],
        env={**os.environ, "DSMART_HOME": str(home), "DATABASE_URL": "", "REDIS_URL": ""},
    )
    if status or not out.is_file():
        return [Row(name, "measured", None, why=f"the bench broke off with status {status}")]
    return list(report_read(out).rows)


def run_with_us(command: Sequence[str], *, env: Mapping[str, str]) -> int:
    """Run a command and return its status; it ends when this process is ended, also while it only begins."""
    # A handler runs between any two steps of Python: one that raised within Popen would lose a process that has begun.
    early: list[int] = []
    ending = signal.signal(signal.SIGTERM, lambda number, _: early.append(number))
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as process:
        try:
            signal.signal(signal.SIGTERM, ending)
            if early:
                signal.raise_signal(early[0])
            return process.wait()
        except BaseException:
            process.kill()
            raise


def argument(value: object) -> str:
    return ",".join(str(part) for part in value) if isinstance(value, tuple) else str(value)


@contextmanager
def fresh_home() -> Iterator[Path]:
    """Give an empty data folder that has the exported models of the configured one, and remove it at the end."""
    home = Path(tempfile.mkdtemp(prefix="dsmart-bench-"))
    try:
        # The embedded server may run as another user of the machine, who must get to its own folder inside.
        home.chmod(0o711)
        if settings.DSMART_MODELS.is_dir():
            (home / settings.DSMART_MODELS.name).symlink_to(settings.DSMART_MODELS, target_is_directory=True)
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)
