"""`manage.py train_entailment`: train the built-in entailment model, or export a checkpoint of it."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from memory.core.errors import MemoryCoreError

DEFAULT_STEPS = 9_000
DECAY_SHARE = 0.3


class Command(BaseCommand):
    help = (
        "Train the built-in entailment model from labelled pairs (JSONL of premise, hypothesis, label, source), export it to "
        "int8 ONNX, calibrate it on pairs held out of the training file, and write its model card from the dev file. With "
        "--export-from, all of this but the training."
    )
    requires_system_checks: list[str] = []
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="the pairs to train on")
        parser.add_argument("--dev", type=Path, required=True, metavar="FILE", help="the pairs that the card tells of")
        parser.add_argument(
            "--out",
            type=Path,
            default=Path(settings.DSMART_ENTAILMENT_WEIGHTS),
            metavar="DIR",
            help="where the model goes (default: the product's own, which it replaces)",
        )
        parser.add_argument("--steps", type=int, default=DEFAULT_STEPS, metavar="N", help=f"(default: {DEFAULT_STEPS})")
        parser.add_argument(
            "--decay-steps",
            type=int,
            metavar="N",
            help="over how many of the last steps the learning rate falls to zero (default: 30 in 100 of them)",
        )
        parser.add_argument(
            "--resume",
            action="store_true",
            help="go on from the checkpoint in --work, also to more --steps than planned",
        )
        parser.add_argument(
            "--export-from",
            type=Path,
            metavar="DIR",
            help="export this trained model (a transformers folder) instead of training; --steps and --decay-steps "
            "then say in the card how it was trained",
        )
        parser.add_argument(
            "--labels",
            default="",
            metavar="LIST",
            help="with --export-from: the labels of the model's outputs in order, with commas, for a config that names none",
        )
        parser.add_argument(
            "--work",
            type=Path,
            default=settings.DSMART_HOME / "training" / "entailment",
            metavar="DIR",
            help="folder of the checkpoint and the trained model (default: training/entailment in DSMART_HOME)",
        )
        parser.add_argument(
            "--base", type=Path, metavar="DIR", help="the encoder to begin with (default: the bundled MiniLM)"
        )
        parser.add_argument("--checkpoint-steps", type=int, default=400, metavar="N", help="(default: 400)")
        parser.add_argument("--threads", type=int, default=2, metavar="N", help="(default: 2)")
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *args: Any, **options: Any) -> None:
        from evaluation.services.entailment_training import EntailmentTraining, entailment_train
        from memory.adapters.entailment.training import TrainingConfig, minilm_folder

        steps = options["steps"]
        decay_steps = options["decay_steps"] if options["decay_steps"] is not None else round(DECAY_SHARE * steps)
        config = TrainingConfig(
            steps=steps,
            decay_steps=decay_steps,
            checkpoint_steps=options["checkpoint_steps"],
            threads=options["threads"],
            seed=options["seed"],
        )
        training = EntailmentTraining(
            data=options["data"],
            dev=options["dev"],
            out=options["out"],
            work=options["work"],
            base=options["base"] or minilm_folder(),
            command=command_line(options, config.steps, config.decay_steps),
            config=config,
            export_from=options["export_from"],
            labels=tuple(name.strip() for name in options["labels"].split(",") if name.strip()),
            is_resumed=options["resume"],
        )
        try:
            rows = entailment_train(training, quiet=options["verbosity"] == 0)
        except MemoryCoreError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt as error:
            raise CommandError("Stopped. The same command with --resume goes on from the last checkpoint.") from error
        except OSError as error:
            raise CommandError(f"{error.filename or training.out}: {error.strerror or error}.") from error
        for row in rows:
            if row.metric == "bad_lines":
                self.stderr.write(
                    f"{row.group}: lines left out since they are no pairs: {row.value}. The first is {row.why}."
                )
        measured = "; ".join(
            f"{row.group or 'all'} {row.value:.3f}"
            for row in rows
            if row.metric == "accuracy" and row.value is not None
        )
        self.stdout.write(f"Saved to {training.out}. Accuracy on the dev file: {measured}.")


def command_line(options: dict[str, Any], steps: int, decay_steps: int) -> str:
    """Return the command that trains the same weights, without the paths of the machine."""
    parts = ["manage.py", "train_entailment", "--data", options["data"].name, "--dev", options["dev"].name]
    parts += ["--steps", str(steps), "--decay-steps", str(decay_steps)]
    if options["base"]:
        parts += ["--base", options["base"].name]
    parts += ["--threads", str(options["threads"]), "--seed", str(options["seed"])]
    return shlex.join(parts)
