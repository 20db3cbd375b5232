"""`manage.py make_training_data WHAT`: let a large language model write what a small one learns from."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.core.errors import EvaluationError
from evaluation.quality.options import most_of
from evaluation.services.teaching.catalogue import TEACHINGS, Teaching, training_data_make
from evaluation.services.teaching.lessons import TeachingRequest
from memory import bootstrap
from memory.core.errors import MemoryCoreError


class Command(BaseCommand):
    help = (
        "Let an engine's language model write a set to fine-tune a smaller one with. It can be stopped: the same command "
        "goes on. What was answered stands in FILE.replies.sqlite, and is not asked again."
    )
    requires_system_checks: list[str] = []
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        kinds = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
        for name, teaching in TEACHINGS.items():
            add_options(kinds.add_parser(name, help=teaching.HELP, description=teaching.HELP), teaching)

    def handle(self, *, what: str, **options: Any) -> None:
        try:
            bootstrap.engine_admit(options["engine"])
            request = TeachingRequest(
                data=options["data"],
                out=options["out"],
                engine=options["engine"],
                triples=options["triples"],
                form=options["form"],
                limit=most_of(options),
                is_quiet=options["verbosity"] == 0,
            )
            lessons = training_data_make(what, request)
        except (EvaluationError, MemoryCoreError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt as error:
            raise CommandError("Stopped. The same command goes on where it stopped.") from error
        self.stdout.write(f"Wrote {len(lessons.lines):,} lines to {options['out']}.")
        for line in lessons.told():
            self.stdout.write(line)


def add_options(parser: ArgumentParser, teaching: Teaching) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        metavar="FILE",
        help='OpenDialKG\'s turns (val.csv), or JSONL of {"dialogue": [...], "triples": [[s, r, o], ...]}',
    )
    parser.add_argument(
        "--triples",
        type=Path,
        metavar="FILE",
        help="a knowledge base (valid2id.txt, names beside it) with further triples",
    )
    parser.add_argument("--engine", required=True, metavar="E", help="the teacher: any engine with a language model")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the set, one JSON a line")
    parser.add_argument(
        "--form",
        choices=teaching.FORMS,
        default=teaching.FORMS[0],
        help="of a line: chat messages, or what train triple-selector reads",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="at most the first N dialogues")
