"""What all trainings on the one loop share: training with a bar, the exported folder, and the finished one with its card."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from evaluation.adapters.progress import progress_bar
from evaluation.core.costs import cost_rows
from evaluation.core.reader_card import ReaderCard, reader_card
from evaluation.core.report import Row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from memory.adapters.learning.export import export_reader
from memory.adapters.learning.finished import BegunFrom
from memory.adapters.learning.loop import Recipe, train, trained_network
from memory.adapters.readers.encoder import CONFIG_FILE, HEADS_FILE, NETWORK_FILE, TOKENIZER_FILE
from memory.core.errors import TrainingRefused

EXPORT_FOLDER = "export"
CARD_FILE = "README.md"
SCORES_FILE = "scores.json"
READER_FILES = (NETWORK_FILE, HEADS_FILE, TOKENIZER_FILE, CONFIG_FILE)
RECENT_STEPS = 100


@dataclass(frozen=True)
class ReaderKind:
    """What the card of a reader says after every training: what it is, what it cannot do, how much it takes at once."""

    title: str
    what: str
    counted: str
    limits: str
    batch: int
    window: int


class Labelled(Protocol):
    @property
    def is_held_out(self) -> bool: ...


ExampleT = TypeVar("ExampleT", bound=Labelled)


def parted(examples: Sequence[ExampleT], request: TrainingRequest, *, of: str) -> tuple[list[ExampleT], list[ExampleT]]:
    """Return the examples to train on and those held out. Raises `TrainingRefused` where there are none of either."""
    shown = [example for example in examples if not example.is_held_out]
    held_out = [example for example in examples if example.is_held_out]
    if not shown or not held_out:
        raise TrainingRefused(f"{request.data} has too few {of} to train on some and to hold others out.")
    return shown, held_out


def network_of(
    recipe: Recipe, request: TrainingRequest, *, on_step: Callable[[int, float], object] = lambda step, loss: None
) -> Any:
    """Return the trained network: of the checkpoint to export, or of a training whose bar shows the recent loss."""
    if request.begin_from is not None:
        recipe = BegunFrom(recipe, request.begin_from)
    if request.export_from is not None:
        return trained_network(recipe, request.export_from)
    with progress_bar(request.config.steps, title="training", unit="steps", hidden=request.is_quiet) as bar:
        late: list[float] = []

        def show(step: int, loss: float) -> None:
            late.append(loss)
            del late[:-RECENT_STEPS]
            bar.set_description(f"training, loss {sum(late) / len(late):.3f}", refresh=False)
            bar.update(step - bar.n)
            on_step(step, loss)

        return train(recipe, work=request.work, config=request.config, is_resumed=request.is_resumed, on_step=show)


def megabytes_of(folder: Path, files: Sequence[str] = READER_FILES) -> float:
    return sum((folder / name).stat().st_size for name in files) / 1e6


def folder_finish(
    staged: Path, out: Path, *, card: str, rows: Sequence[Row], files: Sequence[str] = READER_FILES
) -> None:
    """Add card and scores to an exported model, and move all of it to where it is wanted."""
    scores = json.dumps([row.as_json() for row in rows], indent=1)
    (staged / CARD_FILE).write_text(card, encoding="utf-8")
    (staged / SCORES_FILE).write_text(f"{scores}\n", encoding="utf-8")
    out.mkdir(parents=True, exist_ok=True)
    for name in (*files, CARD_FILE, SCORES_FILE):
        shutil.move(staged / name, out / name)


def reader_exported(recipe: Recipe, request: TrainingRequest, config: Mapping[str, Any]) -> Path:
    """Train a reader, and return the folder in which it stands exported, not calibrated yet."""
    staged = request.work / EXPORT_FOLDER
    export_reader(network_of(recipe, request), staged, base=request.base, config=config)
    return staged


def reader_finish(
    staged: Path,
    request: TrainingRequest,
    kind: ReaderKind,
    *,
    sources: Mapping[str, int],
    held_out: int,
    calibration: str,
    figures: Sequence[Row],
    times: Sequence[Row],
    also_trained: str = "",
    left_out: int = 0,
    notes: Sequence[str] = (),
) -> TrainingResult:
    """Finish the folder of a learned reader with its card, and return what that tells."""
    card = ReaderCard(
        title=kind.title,
        what=kind.what,
        counted=kind.counted,
        sources=sources,
        held_out=held_out,
        left_out=left_out,
        trained=f"{trained_with(request, batch=kind.batch, window=kind.window)} {also_trained}".strip(),
        command=request.command,
        calibration=calibration,
        figures=figures,
        times=times,
        megabytes=megabytes_of(staged),
        limits=kind.limits,
    )
    folder_finish(staged, request.out, card=reader_card(card), rows=[*figures, *times])
    return TrainingResult(figures, notes)


def time_rows(actions: Sequence[Callable[[], object]], *, group: str) -> list[Row]:
    """Return the median and the 95th percentile of what actions take, after the first of them was done once before."""
    actions[0]()
    taken = []
    for action in actions:
        began = time.perf_counter()
        action()
        taken.append(1000 * (time.perf_counter() - began))
    return cost_rows(BUILT_IN, taken, group=group)


def trained_with(request: TrainingRequest, *, batch: int, window: int) -> str:
    """Return in words how the loop trained, for a card."""
    config = request.config
    return (
        f"{config.steps:,} steps of {batch} with AdamW, all weights but the word embeddings; learning rate "
        f"{config.learning_rate:g} (the heads' {config.head_factor:g} times that), warmed up over {config.warmup_steps} "
        f"steps and brought to zero over the last {config.decay_steps:,}; at most {window} word pieces; products in bfloat16 "
        "where the processor has such."
        + (" It began with the weights of an earlier training." if request.begin_from else "")
    )
