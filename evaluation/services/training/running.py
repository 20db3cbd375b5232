"""What all trainings on the one loop share: training with a bar, the exported reader, and the finished one with its card."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from evaluation.adapters.progress import progress_bar
from evaluation.core.costs import cost_rows
from evaluation.core.model_card import model_card
from evaluation.core.report import Row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from memory.adapters.learning.export import export_reader, write_config
from memory.adapters.learning.finished import BegunFrom
from memory.adapters.learning.loop import Recipe, train, trained_network
from memory.adapters.learning.recipe import ReaderRecipe
from memory.adapters.readers.encoder import CONFIG_FILE, HEADS_FILE, NETWORK_FILE, TOKENIZER_FILE
from memory.core.errors import TrainingRefused

EXPORT_FOLDER = "export"
CARD_FILE = "README.md"
SCORES_FILE = "scores.json"
READER_FILES = (NETWORK_FILE, HEADS_FILE, TOKENIZER_FILE, CONFIG_FILE)
RECENT_STEPS = 100
# What is less probable is taken for this probable, before a logarithm is.
LEAST_SHARE = 1e-6


class Labelled(Protocol):
    @property
    def is_held_out(self) -> bool: ...


ExampleT = TypeVar("ExampleT", bound=Labelled)
ReaderT = TypeVar("ReaderT")


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
    """Return the trained network: of the checkpoint to export, or of a training whose bar shows the recent loss.

    Where it began with finished weights, it is averaged with them as far as the request wants.
    """
    if request.begin_from is None:
        return _trained(recipe, request, on_step)
    begun = BegunFrom(recipe, request.begin_from)
    return begun.averaged(_trained(begun, request, on_step), share=request.begun_share)


def _trained(recipe: Recipe, request: TrainingRequest, on_step: Callable[[int, float], object]) -> Any:
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


@dataclass(frozen=True)
class Exported(Generic[ReaderT]):
    """A trained reader as it stands exported, with numbers in its config that are not fitted yet."""

    recipe: ReaderRecipe[Any, Any]
    request: TrainingRequest
    config: Mapping[str, Any]
    reader: Callable[[Path], ReaderT]

    @property
    def folder(self) -> Path:
        return self.request.work / EXPORT_FOLDER

    def reading(self, **fitted: Any) -> ReaderT:
        """Return the reader with these numbers in its config."""
        write_config(self.folder, {**self.config, **fitted})
        return self.reader(self.folder)

    def finish(
        self,
        figures: Sequence[Row],
        times: Sequence[Row],
        *,
        sources: Mapping[str, int],
        notes: Sequence[str] = (),
        left_out: int = 0,
        **told: Any,
    ) -> TrainingResult:
        """Move the reader with its card to where it is wanted; `told` is what the template of the card tells beside."""
        request = self.request
        card = model_card(
            self.recipe.kind.replace(" ", "_"),
            sources=sources,
            figures=figures,
            times=times,
            left_out=left_out,
            recipe=self.recipe,
            config=request.config,
            command=request.command,
            is_begun=request.begin_from is not None,
            megabytes=megabytes_of(self.folder, READER_FILES),
            **told,
        )
        folder_finish(self.folder, request.out, card=card, rows=[*figures, *times], files=READER_FILES)
        return TrainingResult(figures, notes)


def reader_exported(
    recipe: ReaderRecipe[Any, Any],
    request: TrainingRequest,
    reader: Callable[[Path], ReaderT],
    *,
    network: Any = None,
    **numbers: Any,
) -> Exported[ReaderT]:
    """Train a reader, unless its `network` is trained already, and export it with the numbers of its config."""
    config = {"kind": recipe.kind, "window": recipe.window, "first_room": recipe.first_room, **numbers}
    exported = Exported(recipe, request, config, reader)
    trained = network_of(recipe, request) if network is None else network
    export_reader(trained, exported.folder, base=request.base, config=config)
    return exported


def megabytes_of(folder: Path, files: Sequence[str]) -> float:
    return sum((folder / name).stat().st_size for name in files) / 1e6


def card_write(folder: Path, card: str, rows: Sequence[Row]) -> None:
    scores = json.dumps([row.as_json() for row in rows], indent=1)
    (folder / CARD_FILE).write_text(card, encoding="utf-8")
    (folder / SCORES_FILE).write_text(f"{scores}\n", encoding="utf-8")


def folder_finish(staged: Path, out: Path, *, card: str, rows: Sequence[Row], files: Sequence[str]) -> None:
    """Add card and scores to an exported model, and move all of it to where it is wanted."""
    card_write(staged, card, rows)
    out.mkdir(parents=True, exist_ok=True)
    for name in (*files, CARD_FILE, SCORES_FILE):
        shutil.move(staged / name, out / name)


def time_rows(actions: Sequence[Callable[[], object]], *, group: str) -> list[Row]:
    """Return the median and the 95th percentile of what actions take, after the first of them was done once before."""
    actions[0]()
    taken = []
    for action in actions:
        began = time.perf_counter()
        action()
        taken.append(1000 * (time.perf_counter() - began))
    return cost_rows(BUILT_IN, taken, group=group)
