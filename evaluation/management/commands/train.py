"""`manage.py train NAME`: train a model that plays a role of the built-in engine."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluation.core.errors import EvaluationError
from evaluation.services.training.adapting import UNIT
from evaluation.services.training.catalogue import TRAININGS, Trainable
from evaluation.services.training.request import BUILT_IN, AdapterRequest, TrainingRequest
from memory.adapters.language_models.adapted import LoraSizes
from memory.adapters.learning.loop import TrainingConfig
from memory.adapters.learning.recipe import minilm_folder
from memory.adapters.learning.replies import ReplySizes
from memory.core.errors import MemoryCoreError

EXAMPLES = Path(settings.BASE_DIR) / "memory" / "training"
WEIGHTS = Path(settings.BASE_DIR) / "memory" / "pretrained"


class Command(BaseCommand):
    help = (
        "Train a small model of the built-in engine from labelled examples, or adapters of a language model. The readers "
        "and judges are exported to int8 ONNX, calibrated on examples held out, and get their model card."
    )
    requires_system_checks: list[str] = []
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
        for name, trainable in TRAININGS.items():
            add_options(names.add_parser(name, help=trainable.training.HELP), name, trainable)

    def handle(self, *args: Any, **options: Any) -> None:
        trainable = TRAININGS[options["name"]]
        try:
            result = trainable.training.train(request_of(trainable, options))
        except (MemoryCoreError, EvaluationError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt as error:
            raise CommandError("Stopped. The same command with --resume goes on from the last checkpoint.") from error
        except OSError as error:
            raise CommandError(f"{error.filename or options['out']}: {error.strerror or error}.") from error
        for note in result.notes:
            self.stderr.write(note)
        figures = ", ".join(
            f"{row.metric if row.name == BUILT_IN else f'{row.metric} {row.name}'} {row.value:.3f}"
            for row in result.rows
            if row.value is not None and row.unit in (UNIT, "ratio") and not row.group
        )
        self.stdout.write(f"Saved to {options['out']}. Measured: {figures}.")


def add_options(parser: ArgumentParser, name: str, trainable: Trainable) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        required=not trainable.data,
        default=EXAMPLES / trainable.data,
        metavar="DIR",
        help=trainable.what + (f" (default: memory/training/{trainable.data})" if trainable.data else ""),
    )
    for option, what in trainable.files.items():
        parser.add_argument(f"--{option}", type=Path, metavar="PATH", help=what)
    parser.add_argument(
        "--out",
        type=Path,
        required=trainable.lora is not None,
        default=WEIGHTS / name.replace("-", "_"),
        metavar="DIR",
        help="where the model goes" + ("" if trainable.lora else " (default: the product's own, which it replaces)"),
    )
    parser.add_argument(
        "--work",
        type=Path,
        default=settings.DSMART_HOME / "training" / name,
        metavar="DIR",
        help=f"folder of what is made on the way (default: training/{name} in DSMART_HOME)",
    )
    parser.add_argument("--steps", type=int, default=trainable.steps, metavar="N", help=f"(default: {trainable.steps})")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    if not trainable.is_looped:
        return
    add_loop_options(parser, trainable)
    if trainable.lora is None:
        add_encoder_options(parser)
    else:
        add_adapter_options(parser, trainable, trainable.lora)


def add_encoder_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--begin-from",
        type=Path,
        metavar="DIR",
        help="begin with the weights of this finished model of the same kind, for example to go on with examples of your own",
    )
    parser.add_argument(
        "--begun-share",
        type=float,
        default=0.0,
        metavar="S",
        help="average the trained weights with those of --begin-from, which count for this share (default: 0)",
    )
    parser.add_argument(
        "--base", type=Path, metavar="DIR", help="the encoder to begin with (default: the bundled MiniLM)"
    )


def add_adapter_options(parser: ArgumentParser, trainable: Trainable, lora: LoraSizes) -> None:
    sizes = ReplySizes()
    parser.add_argument("--model", required=True, metavar="PATH", help="the language model: a folder or a hub id")
    parser.add_argument("--device", default=settings.DSMART_TRANSFORMERS_DEVICE, help="(default: %(default)s)")
    parser.add_argument("--rank", type=int, default=lora.rank, metavar="N", help="of LoRA (default: %(default)s)")
    parser.add_argument("--alpha", type=int, default=lora.alpha, metavar="N", help="of LoRA (default: %(default)s)")
    parser.add_argument("--batch", type=int, default=sizes.batch, metavar="N", help="(default: %(default)s)")
    parser.add_argument(
        "--longest", type=int, default=sizes.longest, metavar="N", help="tokens of an example (default: %(default)s)"
    )
    parser.add_argument(
        "--learning-rate", type=float, default=trainable.learning_rate, metavar="R", help="(default: %(default)s)"
    )
    if trainable.has_ways:
        parser.add_argument("--way", default="ga_drg", help="whose prompts are learned (default: %(default)s)")


def add_loop_options(parser: ArgumentParser, trainable: Trainable) -> None:
    parser.add_argument(
        "--decay-steps",
        type=int,
        metavar="N",
        help="over how many of the last steps the learning rate falls to zero "
        f"(default: {round(100 * trainable.decay_share)} in 100 of them)",
    )
    parser.add_argument("--checkpoint-steps", type=int, default=400, metavar="N", help="(default: 400)")
    parser.add_argument(
        "--resume", action="store_true", help="go on from the checkpoint in --work, also to more --steps than planned"
    )
    parser.add_argument(
        "--export-from",
        type=Path,
        metavar="FILE",
        help="export the network of this checkpoint instead of training; --steps and --decay-steps then say in the card "
        "how it was trained",
    )
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="(default: 2)")


def request_of(trainable: Trainable, options: Mapping[str, Any]) -> TrainingRequest:
    config = config_of(trainable, options)
    return TrainingRequest(
        data=options["data"],
        out=options["out"],
        work=options["work"],
        base=options.get("base") or minilm_folder(),
        command=command_line(trainable, options, config),
        config=config,
        adapter=adapter_of(trainable, options),
        begin_from=options.get("begin_from"),
        begun_share=begun_share_of(options),
        export_from=options.get("export_from"),
        is_resumed=options.get("resume", False),
        is_quiet=options["quiet"] or options["verbosity"] == 0,
        **{name: options[name] for name in trainable.files},
    )


def begun_share_of(options: Mapping[str, Any]) -> float:
    share: float = options.get("begun_share", 0.0)
    if not 0 <= share < 1 or (share and options.get("begin_from") is None):
        raise CommandError("--begun-share is from 0 to below 1, and needs --begin-from.")
    return share


def adapter_of(trainable: Trainable, options: Mapping[str, Any]) -> AdapterRequest | None:
    if trainable.lora is None:
        return None
    if min(options[name] for name in ("rank", "alpha", "batch", "longest")) < 1:
        raise CommandError("--rank, --alpha, --batch and --longest must be at least 1.")
    return AdapterRequest(
        model=options["model"],
        device=options["device"],
        lora=LoraSizes(options["rank"], options["alpha"]),
        sizes=ReplySizes(options["batch"], options["longest"]),
        way=options.get("way", ""),
    )


def config_of(trainable: Trainable, options: Mapping[str, Any]) -> TrainingConfig:
    steps = options["steps"]
    decay_steps = options.get("decay_steps")
    config = TrainingConfig(
        steps=steps,
        decay_steps=round(trainable.decay_share * steps) if decay_steps is None else decay_steps,
        warmup_steps=trainable.warmup_steps,
        learning_rate=options.get("learning_rate", trainable.learning_rate),
        head_factor=TrainingConfig.head_factor if trainable.lora is None else 1.0,
        seed=options["seed"],
    )
    if not trainable.is_looped:
        return config
    return replace(config, checkpoint_steps=options["checkpoint_steps"], threads=options["threads"])


def command_line(trainable: Trainable, options: Mapping[str, Any], config: TrainingConfig) -> str:
    """Return the command that trains the same weights, without the paths of the machine."""
    parts = ["manage.py", "train", options["name"]]
    if options["data"] != EXAMPLES / trainable.data:
        parts += ["--data", options["data"].name]
    for name in (*trainable.files, "begin_from", "base"):
        if options.get(name):
            parts += [f"--{name.replace('_', '-')}", options[name].name]
    if options.get("begun_share"):
        parts += ["--begun-share", str(options["begun_share"])]
    parts += ["--steps", str(config.steps)]
    if trainable.is_looped:
        parts += ["--decay-steps", str(config.decay_steps), "--threads", str(config.threads)]
    if trainable.lora is not None:
        parts += ["--model", Path(options["model"]).name]
        for name in ("rank", "alpha", "batch", "longest", "learning_rate", *(["way"] if trainable.has_ways else ())):
            parts += [f"--{name.replace('_', '-')}", str(options[name])]
    return shlex.join([*parts, "--seed", str(config.seed)])
