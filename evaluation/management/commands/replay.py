"""`manage.py replay FILE`: feed recorded dialogues to the memory."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluation.adapters.identity import identity
from evaluation.benchmarks.catalogue import AUTO, FORMATS, collection_name
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Report
from evaluation.management.reporting import report_write
from evaluation.services.replay import FileReplay, file_replay, replay_config
from memory import bootstrap
from memory.core.errors import MemoryCoreError
from memory.services.accounts import owner_account


class Command(BaseCommand):
    requires_system_checks = []
    help = (
        "Replay a dialogue file into the owner's memory, through the services that the chat uses. "
        "Each case goes into a space of its own, <file>/<case>, unless --space names one for all. A second run adds nothing; "
        "one that was interrupted goes on where it stopped, and rounds that failed are read again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a benchmark file, or a folder of BEAM")
        parser.add_argument(
            "--format", choices=[AUTO, *FORMATS], default=AUTO, help="(default: told by the first record)"
        )
        parser.add_argument("--space", default="", metavar="NAME", help="one space for all cases")
        parser.add_argument("--only", default="", metavar="ID", help="only the case with this id")
        parser.add_argument("--limit", type=int, metavar="N", help="at most N cases")
        parser.add_argument(
            "--engine", default="", metavar="E", help="the engine that remembers (default: DSMART_ENGINE)"
        )
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the summary to this file too")

    def handle(self, *, file: Path, json: Path | None, **options: Any) -> None:
        format, engine = options["format"], options["engine"]
        try:
            bootstrap.engine_admit(engine)
            replay = file_replay(
                path=file,
                owner=owner_account(),
                format=format,
                space_name=options["space"],
                only=options["only"],
                limit=options["limit"],
                engine=engine,
                quiet=options["verbosity"] == 0,
            )
        except (EvaluationError, MemoryCoreError) as error:
            raise CommandError(str(error)) from error
        made_with = identity(
            code_folder=settings.BASE_DIR, data=[file], config=replay_config(format=format, engine=engine)
        )
        report = Report("replay", made_with, replay.rows(collection_name(file)))
        report_write(report, stdout=self.stdout, json_path=json)
        self.stdout.write(closing_line(replay))


def closing_line(replay: FileReplay) -> str:
    """Return what to do next, or that there was nothing to do."""
    name = replay.spaces[0].name
    again = replay.total(lambda case: case.retried)
    if again:
        return f"{again} rounds that had failed were read again; {replay.rounds_failed} of all rounds have failed now."
    if not replay.total(lambda case: case.turns):
        return f"Nothing was added: {replay.total(lambda case: case.turns_known)} turns are there already."
    return f'Ask it: python manage.py ask "..." --space "{name}"'
