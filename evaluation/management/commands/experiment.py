"""`manage.py experiment NAME`: an experiment of a paper taken here, its printed figures beside ours."""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from conversations.core.errors import ConversationError
from evaluation.core.errors import EvaluationError
from evaluation.core.experiments.catalogue import experiment_named, experiments
from evaluation.core.experiments.tables import heading, paper_document
from evaluation.core.experiments.types import Experiment
from evaluation.core.report import table
from evaluation.experiments.measuring import Asked, experiment_take
from evaluation.experiments.written import folder_make, report_of, result_write
from evaluation.quality.options import most_of
from memory.core.errors import MemoryCoreError

OPTIONS = ("engine", "judge", "only", "limit", "questions", "sample", "repeat", "triples", "perplexity", "run")


class Command(BaseCommand):
    requires_system_checks = []
    help = "Take an experiment of a paper on a file, and print the paper's figures beside ours."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", metavar="NAME", help="of an experiment; --list names them")
        parser.add_argument("--list", action="store_true", help="name all experiments, their data and what they need")
        parser.add_argument("--paper", action="store_true", help="print what the paper prints, and measure nothing")
        parser.add_argument(
            "--data", type=Path, nargs="+", default=[], metavar="FILE", help="of the experiment's format"
        )
        parser.add_argument("--engine", default="", metavar="E", help="what plays the roles (default: DSMART_ENGINE)")
        parser.add_argument("--judge", default="", metavar="J", help="an engine that judges answers and replies")
        parser.add_argument("--only", default="", metavar="ID", help="only the case with this id")
        parser.add_argument("--limit", type=int, metavar="N", help="at most N cases")
        parser.add_argument("--questions", type=int, metavar="N", help="at most N questions of each category of a case")
        parser.add_argument("--sample", type=int, metavar="SEED", help="draw the cases of --limit by this seed")
        parser.add_argument("--repeat", type=int, metavar="R", help="play each item R times")
        parser.add_argument("--triples", type=Path, metavar="FILE", help="the knowledge base, where one is needed")
        parser.add_argument("--perplexity", metavar="PATH", help="the language model that reads replies, where needed")
        parser.add_argument("--run", type=int, metavar="ID", help="a judged run, where one is needed")
        parser.add_argument("--out", type=Path, metavar="FOLDER", help="write Markdown, CSV, LaTeX, JSON and pictures")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the rows to this file too")

    def handle(self, *, name: str | None, list: bool, paper: bool, **options: Any) -> None:
        if list:
            self.stdout.write(listed())
            return
        if not name:
            raise CommandError("No experiment is named. `manage.py experiment --list` names them.")
        try:
            experiment = experiment_named(name)
            if paper:
                self.stdout.write(paper_document(experiment))
                return
            self.take(experiment, options)
        except (EvaluationError, MemoryCoreError, ConversationError) as error:
            raise CommandError(str(error)) from error

    def take(self, experiment: Experiment, options: dict[str, Any]) -> None:
        for most in ("limit", "questions", "repeat"):
            most_of(options, most)
        with tempfile.TemporaryDirectory(prefix="dsmart-experiment-") as scratch:
            given = {name: options[name] for name in OPTIONS}
            folder = options["out"] or Path(scratch)
            folder_make(folder)
            asked = Asked(
                experiment.name,
                tuple(options["data"]),
                given,
                scratch=Path(scratch),
                folder=folder,
                quiet=options["verbosity"] == 0,
            )
            result = experiment_take(experiment, asked)
        self.stdout.write(result.document())
        if options["out"] is not None:
            for file in result_write(result, options["out"]):
                self.stderr.write(f"wrote {file}")
        if options["json"] is not None:
            self.json_write(options["json"], report_of(result).as_json())

    def json_write(self, path: Path, text: str) -> None:
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise EvaluationError(f"{path} cannot be written: {error.strerror}. Give --json another path.") from error


def listed() -> str:
    """Return the experiments in columns: name, data, needs, title."""
    lines = [("name", "data", "needs", "what")]
    for one in experiments().values():
        needs = ", ".join(need.name.lower() for need in one.needs) or "nothing"
        lines.append((one.name, ", ".join(one.data), needs, heading(one)))
    return table(lines, figures=set())
