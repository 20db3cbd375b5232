"""manage.py train_parser: train the built-in engine's parser from a Universal Dependencies treebank."""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Train the parser of the built-in engine from a folder with train.conllu and dev.conllu (UD English-EWT)."
    requires_system_checks: list[str] = []
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data", type=Path, required=True, help="folder with train.conllu and dev.conllu")
        parser.add_argument(
            "--output", type=Path, default=Path(settings.DSMART_PARSER), help="where the trained pipeline goes"
        )
        parser.add_argument("--work", type=Path, help="folder for corpora and checkpoints (default: a temporary one)")
        parser.add_argument(
            "--max-steps", type=int, default=20_000, help="most updates of the weights (default: 20000)"
        )
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *args: Any, **options: Any) -> None:
        data: Path = options["data"]
        for name in ("train.conllu", "dev.conllu"):
            if not (data / name).is_file():
                raise CommandError(
                    f"{data} has no {name}. Give --data the folder of a treebank such as UD_English-EWT."
                )
        if options["max_steps"] < 1:
            raise CommandError("--max-steps must be at least 1.")
        if options["work"] is not None:
            self._train(options, options["work"])
            return
        with tempfile.TemporaryDirectory(prefix="train_parser_") as work:
            self._train(options, Path(work))

    def _train(self, options: dict[str, Any], work: Path) -> None:
        from memory.adapters.parser.training import train_parser

        scores = train_parser(
            data=options["data"],
            output=options["output"],
            work=work,
            max_steps=options["max_steps"],
            seed=options["seed"],
        )
        self.stdout.write(
            f"Saved to {options['output']}. On {scores.sentences} held-out sentences: "
            f"tags {scores.tag:.1%}, UAS {scores.uas:.1%}, LAS {scores.las:.1%}."
        )
