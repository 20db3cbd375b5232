"""`train parser`: from a Universal Dependencies treebank to the parser of the built-in engine."""

from __future__ import annotations

from evaluation.core.report import Row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from memory.core.errors import TrainingRefused

HELP = "the parser, from a folder with train.conllu and dev.conllu (UD English-EWT)"


def train(request: TrainingRequest) -> TrainingResult:
    """Train and measure on the dev trees; the pipeline is then complete in `request.out`."""
    for name in ("train.conllu", "dev.conllu"):
        if not (request.data / name).is_file():
            raise TrainingRefused(
                f"{request.data} has no {name}. Give --data the folder of a treebank such as UD_English-EWT."
            )
    if request.config.steps < 1:
        raise TrainingRefused("--steps must be at least 1.")
    from memory.adapters.parser.training import train_parser

    scores = train_parser(
        data=request.data,
        output=request.out,
        work=request.work,
        max_steps=request.config.steps,
        seed=request.config.seed,
    )
    figures = {"tag_accuracy": scores.tag, "uas": scores.uas, "las": scores.las}
    return TrainingResult(
        [Row(BUILT_IN, name, value, unit="ratio", n=scores.sentences) for name, value in figures.items()]
    )
