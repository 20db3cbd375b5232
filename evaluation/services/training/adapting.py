"""What trainings of adapters of a language model share: the base, the training with its losses, the finished folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.core.drawing import loss_svg
from evaluation.core.interval_rows import grouped, mean_row
from evaluation.core.model_card import model_card
from evaluation.core.report import Row
from evaluation.services.training.request import AdapterRequest, TrainingRequest, TrainingResult
from evaluation.services.training.running import card_write, network_of, parted
from memory.adapters.language_models.adapted import BaseWeights, GraphReading, base_weights, check_base
from memory.adapters.language_models.weights import LoadedModel, load
from memory.adapters.learning.loop import CHECKPOINT_FILE
from memory.adapters.learning.replies import LabelledReply, ReplyRecipe, ReplyRow, held_out_losses, row_of
from memory.core.errors import TrainingRefused

LOSSES_SO_FAR, LOSSES, CURVE = "losses.tsv", "losses.json", "losses.svg"
BASE_FILE = "base.json"
UNIT = "nats"


@dataclass(frozen=True)
class Base:
    """The language model that is trained on, and what it was asked for with."""

    loaded: LoadedModel
    weights: BaseWeights
    asked: AdapterRequest

    @property
    def width(self) -> int:
        return int(self.loaded.model.get_input_embeddings().weight.shape[1])


@dataclass(frozen=True)
class Adapted:
    """A trained network, what it was trained on, and what was held out, in tokens."""

    base: Base
    network: Any
    shown: Sequence[LabelledReply]
    held_out: Sequence[tuple[LabelledReply, ReplyRow]]
    losses: dict[int, float]
    notes: Sequence[str]


def base_of(request: TrainingRequest) -> Base:
    """Load the base model. Raises `ModelNotFound` and `ModelRefused`."""
    asked = request.adapter
    if asked is None:
        raise TrainingRefused("Name the language model to train by --model.")
    loaded = load(asked.model, asked.device, setting="--model", form="a folder or a hub id")
    base = Base(loaded, base_weights(asked.model), asked)
    if str(request.out.resolve()) == base.weights.name:
        raise TrainingRefused(f"{request.out} is the base model itself. Choose another --out.")
    work_begin(request.work, base.weights)
    return base


def work_begin(work: Path, base: BaseWeights) -> None:
    """Begin the record of a training, or go on with it. Raises `ModelUnfit` where its checkpoint is of another base."""
    work.mkdir(parents=True, exist_ok=True)
    record = work / BASE_FILE
    if (work / CHECKPOINT_FILE).is_file():
        if record.is_file():
            check_base(json.loads(record.read_text(encoding="utf-8")), base)
        return
    (work / LOSSES_SO_FAR).unlink(missing_ok=True)
    record.write_text(json.dumps(asdict(base)), encoding="utf-8")


def adapted(
    replies: Sequence[LabelledReply],
    request: TrainingRequest,
    base: Base,
    *,
    graphs: GraphReading | None = None,
) -> Adapted:
    """Train adapters on replies. Replies that are too long for the model are left out, and counted in a note."""
    shown, held_out = (list(fitting(part, base)) for part in parted(replies, request, of="dialogues"))
    if not shown or not held_out:
        raise TrainingRefused(f"All replies of {request.data} are too long. Give --longest a larger number.")
    recipe = ReplyRecipe(
        [row for _, row in shown],
        loaded=base.loaded,
        base=base.weights,
        lora=base.asked.lora,
        sizes=base.asked.sizes,
        graphs=graphs,
    )
    kept = request.work / LOSSES_SO_FAR
    with kept.open("a", encoding="utf-8", buffering=1) as file:
        network = network_of(recipe, request, on_step=lambda step, loss: file.write(f"{step}\t{loss}\n"))
    left_out = len(replies) - len(shown) - len(held_out)
    notes = [f"{left_out:,} of {len(replies):,} replies were left out as too long."] if left_out else []
    return Adapted(base, network, [one for one, _ in shown], held_out, read_losses(kept), notes)


def fitting(replies: Sequence[LabelledReply], base: Base) -> Iterator[tuple[LabelledReply, ReplyRow]]:
    longest = min(base.asked.sizes.longest, base.loaded.window)
    for one in replies:
        row = row_of(one, base.loaded.tokenizer)
        if len(row) <= longest:
            yield one, row


def read_losses(path: Path) -> dict[int, float]:
    """Return the losses by step; of a step that was done again after a stop the last one."""
    pairs = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return {int(pair[0]): float(pair[1]) for pair in pairs if len(pair) == 2}


def loss_row(name: str, done: Adapted, *, has_graphs: bool = True) -> Row:
    """Return the mean loss on what was held out; without graphs, each prompt is read alone."""
    rows = [row if has_graphs or row.graph is None else without_graph(row) for _, row in done.held_out]
    losses = held_out_losses(done.network, rows)
    pairs = [(one.group, loss) for (one, _), loss in zip(done.held_out, losses, strict=True)]
    clusters = {group: [loss for _, loss in some] for group, some in grouped(pairs, lambda pair: pair[0]).items()}
    return mean_row(name, "loss", clusters, unit=UNIT)


def without_graph(row: ReplyRow) -> ReplyRow:
    return replace(row, prompt=row.prompt[1:], graph=None)


def adapted_finish(
    done: Adapted, request: TrainingRequest, *, title: str, what: str, rows: Sequence[Row]
) -> TrainingResult:
    """Write card, scores and losses beside the weights, and return what was measured."""
    card = model_card(
        "adapters",
        title=title,
        what=what,
        base=f"{Path(done.base.weights.name).name} (digest {done.base.weights.digest})",
        sources=Counter(one.source for one in done.shown),
        held_out=len(done.held_out),
        config=request.config,
        sizes=done.base.asked.sizes,
        lora=done.base.asked.lora,
        is_on_gpu=done.base.loaded.device.startswith("cuda"),
        command=request.command,
        figures=rows,
    )
    out = request.out
    card_write(out, card, rows)
    if done.losses:
        content = json.dumps([{"step": step, "loss": loss} for step, loss in sorted(done.losses.items())])
        (out / LOSSES).write_text(f"{content}\n", encoding="utf-8")
        (out / CURVE).write_text(loss_svg(done.losses, title=title), encoding="utf-8")
    return TrainingResult(rows, done.notes)
