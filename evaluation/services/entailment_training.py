"""Makes the built-in entailment model from labelled pairs: training, export, temperature, measurement, model card."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.adapters.progress import progress_bar
from evaluation.core.calibration import fitted_temperature
from evaluation.core.entailment_rows import JudgedPair, confusion_of, entailment_rows
from evaluation.core.model_card import TrainedModel, model_card
from evaluation.core.report import Row
from evaluation.services.entailment import CHUNK
from memory.adapters.entailment.cross_encoder import TransformersEntailmentModel
from memory.adapters.entailment.onnx import (
    CONFIG_FILE,
    NETWORK_FILE,
    TOKENIZER_FILE,
    OnnxEntailmentConfig,
    OnnxEntailmentModel,
)
from memory.adapters.entailment.pair_files import LabelledPair, read_pairs
from memory.adapters.entailment.recipe import split_held_out
from memory.adapters.entailment.training import TrainingConfig, train
from memory.adapters.entailment.verdicts import LABELS, verdicts
from memory.core.errors import TrainingRefused

CARD_FILE = "README.md"
SCORES_FILE = "scores.json"
AGREEMENT_PAIRS = 500
BUILTIN = "built-in"


@dataclass(frozen=True)
class EntailmentTraining:
    """The files and settings of a training. `export_from`, a trained model's folder, replaces the training itself.

    `labels` name the outputs of such a model where its config does not.
    """

    data: Path
    dev: Path
    out: Path
    work: Path
    base: Path
    command: str
    config: TrainingConfig
    export_from: Path | None = None
    labels: tuple[str, ...] = ()
    is_resumed: bool = False


def entailment_train(training: EntailmentTraining, *, quiet: bool = False) -> list[Row]:
    """Train, export and measure; return the rows of the model, which is then complete in `training.out`.

    A further row for each of the two files counts its lines that are no pairs, if there are any.
    """
    data_file, dev_file = read_pairs(training.data), read_pairs(training.dev)
    dev = dev_file.pairs
    train_pairs, held_out = split_held_out(data_file.pairs)
    if not train_pairs or not held_out:
        raise TrainingRefused(f"{training.data} has too few pairs to train on some and to hold others out.")
    given = training.export_from
    trained = model_train(training, train_pairs, quiet=quiet) if given is None else model_take(training, given)
    staged = training.work / "export"
    model = model_export(trained, staged)
    of_held_out = logits_of(model, held_out, title="held-out pairs", quiet=quiet)
    temperature = fitted_temperature(of_held_out, [LABELS.index(pair.label) for pair in held_out])
    replace(OnnxEntailmentConfig.read(staged), temperature=temperature).write(staged)
    of_dev = logits_of(model, dev, title="dev pairs", quiet=quiet)
    after = judged_pairs(dev, of_dev, temperature)
    card = TrainedModel(
        command=training.command,
        steps=training.config.steps,
        decay_steps=training.config.decay_steps,
        train_sources=Counter(pair.source for pair in train_pairs),
        held_out=len(held_out),
        held_out_accuracy=confusion_of(judged_pairs(held_out, of_held_out, temperature)).accuracy,
        temperature=temperature,
        agreement=agreement(trained, held_out[:AGREEMENT_PAIRS], of_held_out[:AGREEMENT_PAIRS]),
        agreement_pairs=len(held_out[:AGREEMENT_PAIRS]),
        megabytes=sum((staged / name).stat().st_size for name in (NETWORK_FILE, TOKENIZER_FILE, CONFIG_FILE)) / 1e6,
        before=judged_pairs(dev, of_dev, 1.0),
        after=after,
    )
    rows = entailment_rows(BUILTIN, after)
    scores = json.dumps([row.as_json() for row in rows], indent=1)
    (staged / CARD_FILE).write_text(model_card(card), encoding="utf-8")
    (staged / SCORES_FILE).write_text(f"{scores}\n", encoding="utf-8")
    training.out.mkdir(parents=True, exist_ok=True)
    for name in (NETWORK_FILE, TOKENIZER_FILE, CONFIG_FILE, CARD_FILE, SCORES_FILE):
        shutil.move(staged / name, training.out / name)
    left_out = {training.data.name: data_file.bad_lines, training.dev.name: dev_file.bad_lines}
    return rows + [
        Row(BUILTIN, "bad_lines", len(lines), unit="lines", group=name, why=lines[0])
        for name, lines in left_out.items()
        if lines
    ]


def model_train(training: EntailmentTraining, pairs: Sequence[LabelledPair], *, quiet: bool) -> Path:
    """Train and return the folder of the model; the progress bar shows the recent loss."""
    with progress_bar(training.config.steps, title="training", unit="steps", hidden=quiet) as bar:
        late: list[float] = []

        def show(step: int, loss: float) -> None:
            late.append(loss)
            del late[:-100]
            bar.set_description(f"training, loss {sum(late) / len(late):.3f}", refresh=False)
            bar.update(step - bar.n)

        return train(
            pairs,
            base=training.base,
            work=training.work,
            config=training.config,
            is_resumed=training.is_resumed,
            on_step=show,
        )


def model_take(training: EntailmentTraining, source: Path) -> Path:
    """Return a copy of the model to export, with the given labels and, if it lacks one, a tokenizer."""
    from memory.adapters.entailment.export import labelled_copy

    return labelled_copy(source, training.work / "taken", labels=training.labels, tokenizer_of=training.base)


def model_export(trained: Path, folder: Path) -> OnnxEntailmentModel:
    from memory.adapters.entailment.export import export

    export(trained, folder)
    return OnnxEntailmentModel(folder)


def logits_of(
    model: OnnxEntailmentModel, pairs: Sequence[LabelledPair], *, title: str, quiet: bool
) -> NDArray[np.float64]:
    """Return the logits of each pair. Raises `TextTooLong` for a pair that does not fit the model."""
    found = []
    with progress_bar(len(pairs), title=title, unit="pairs", hidden=quiet) as bar:
        for start in range(0, len(pairs), CHUNK):
            chunk = pairs[start : start + CHUNK]
            found.append(model.logits([(pair.premise, pair.hypothesis) for pair in chunk]))
            bar.update(len(chunk))
    return np.concatenate(found)


def judged_pairs(pairs: Sequence[LabelledPair], logits: NDArray[np.float64], temperature: float) -> list[JudgedPair]:
    given = verdicts(logits, temperature=temperature)
    return [
        JudgedPair(pair.premise, pair.source, pair.label, verdict) for pair, verdict in zip(pairs, given, strict=True)
    ]


def agreement(trained: Path, pairs: Sequence[LabelledPair], logits: NDArray[np.float64]) -> float:
    """Return the share of the pairs to which the exported network gives the same label as the trained one."""
    full = TransformersEntailmentModel(str(trained), device="cpu")
    wanted = full.predict_many([(pair.premise, pair.hypothesis) for pair in pairs])
    return sum(a.label == b.label for a, b in zip(wanted, verdicts(logits), strict=True)) / len(pairs)
