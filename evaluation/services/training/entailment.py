"""`train entailment`: from labelled pairs of premise and hypothesis to the built-in entailment model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evaluation.adapters.progress import progress_bar
from evaluation.core.calibration import fitted_temperature
from evaluation.core.entailment_rows import JudgedPair, confusion_of, entailment_rows
from evaluation.core.model_card import entailment_card
from evaluation.services.entailment import CHUNK
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import EXPORT_FOLDER, folder_finish, megabytes_of, network_of
from memory.adapters.entailment.onnx import (
    CONFIG_FILE,
    NETWORK_FILE,
    TOKENIZER_FILE,
    OnnxEntailmentConfig,
    OnnxEntailmentModel,
    export,
)
from memory.adapters.entailment.pairs import LABELS, LabelledPair, PairFile, read_claims, read_pairs, verdicts
from memory.adapters.learning.entailment import SOURCE_WEIGHTS, EntailmentRecipe, split_held_out
from memory.adapters.learning.label_files import label_files
from memory.adapters.learning.recipe import OWN
from memory.core.errors import TrainingRefused

HELP = "the entailment model, from labelled pairs of premise and hypothesis"
FILES = (NETWORK_FILE, TOKENIZER_FILE, CONFIG_FILE)
AGREEMENT_PAIRS = 500


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, calibrate and measure on the dev file; the model is then complete in `request.out`.

    Lines of the files that are no pairs are left out, and told of in the notes.
    """
    if request.dev is None:
        raise TrainingRefused("Give --dev a file of pairs to measure the model on.")
    taught = [(path, own(read_pairs(path))) for path in label_files(request.data)]
    taught += [(path, read_pairs(path)) for path in [request.public] if path is not None]
    claims = read_claims(request.claims) if request.claims is not None else []
    dev_file = read_pairs(request.dev)
    dev = dev_file.pairs
    pairs = [*(pair for _, file in taught for pair in file.pairs), *claims]
    shown, held_out = split_held_out(pairs)
    if not shown or not held_out:
        raise TrainingRefused(f"{request.data} has too few pairs to train on some and to hold others out.")
    recipe = EntailmentRecipe(shown, base=request.base)
    network = network_of(recipe, request)
    full = recipe.labels(network, held_out[:AGREEMENT_PAIRS])
    staged = request.work / EXPORT_FOLDER
    export(network, staged, base=request.base)
    model = OnnxEntailmentModel(staged)
    of_held_out = logits_of(model, held_out, title="held-out pairs", quiet=request.is_quiet)
    temperature = fitted_temperature(of_held_out, [LABELS.index(pair.label) for pair in held_out])
    replace(OnnxEntailmentConfig.read(staged), temperature=temperature).write(staged)
    of_dev = logits_of(model, dev, title="dev pairs", quiet=request.is_quiet)
    after = judged_pairs(dev, of_dev, temperature)
    card = entailment_card(
        command=request.command,
        is_begun=request.begin_from is not None,
        config=request.config,
        weights=SOURCE_WEIGHTS,
        sources=Counter(pair.source for pair in shown),
        held_out=len(held_out),
        held_out_accuracy=confusion_of(judged_pairs(held_out, of_held_out, temperature)).accuracy,
        temperature=temperature,
        agreement=sum(a == b.label for a, b in zip(full, verdicts(of_held_out[: len(full)]), strict=True)) / len(full),
        agreement_pairs=len(full),
        megabytes=megabytes_of(staged, FILES),
        before=judged_pairs(dev, of_dev, 1.0),
        after=after,
    )
    rows = entailment_rows(BUILT_IN, after)
    folder_finish(staged, request.out, card=card, rows=rows, files=FILES)
    notes = [
        f"{path.name}: {len(file.bad_lines)} lines left out since they are no pairs. The first is {file.bad_lines[0]}."
        for path, file in [*taught, (request.dev, dev_file)]
        if file.bad_lines
    ]
    return TrainingResult(rows, notes)


def own(file: PairFile) -> PairFile:
    """Return a file of the project's own pairs, which name no source, as such."""
    return replace(file, pairs=tuple(replace(pair, source=pair.source or OWN) for pair in file.pairs))


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
