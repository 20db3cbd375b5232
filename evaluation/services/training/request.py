"""What a training is asked for with, and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.core.report import Row
from memory.adapters.language_models.adapted import LoraSizes
from memory.adapters.learning.loop import TrainingConfig
from memory.adapters.learning.replies import ReplySizes

BUILT_IN = "built-in"


@dataclass(frozen=True)
class AdapterRequest:
    """The language model that adapters are trained for, and their sizes. `way` says whose prompts are learned, if any."""

    model: str
    device: str
    lora: LoraSizes
    sizes: ReplySizes
    way: str = ""


@dataclass(frozen=True)
class TrainingRequest:
    """The files and settings of a training.

    `begin_from` is the folder of a finished model whose weights the training begins with, and `begun_share` their share of
    the average with the trained ones. `export_from` is a checkpoint whose network is exported instead of training one.
    `command` trains the same weights.
    """

    data: Path
    out: Path
    work: Path
    base: Path
    command: str
    config: TrainingConfig
    public: Path | None = None
    sources: Path | None = None
    own: Path | None = None
    dev: Path | None = None
    claims: Path | None = None
    begin_from: Path | None = None
    begun_share: float = 0.0
    export_from: Path | None = None
    adapter: AdapterRequest | None = None
    is_resumed: bool = False
    is_quiet: bool = False


@dataclass(frozen=True)
class TrainingResult:
    """What was measured of the finished model, and what a person should know of the data."""

    rows: Sequence[Row]
    notes: Sequence[str] = field(default_factory=tuple)
