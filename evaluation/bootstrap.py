"""The only place of evaluation where settings become objects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from evaluation.adapters.measured_model import MeasuredModel
from evaluation.core.errors import UnknownName
from evaluation.core.reply_facts.types import GroundSource
from evaluation.core.turn_consistency.turns import STRATEGIES
from evaluation.core.turn_consistency.types import Strategy
from memory import bootstrap
from memory.bootstrap import engines


def strategy(name: str = "") -> Strategy:
    """Return a reading of "against the dialogue history" by name, the configured one for an empty name."""
    chosen = name or settings.DSMART_SCORE_STRATEGY
    if chosen not in STRATEGIES:
        raise UnknownName(f"There is no strategy {chosen!r}. Strategies: {', '.join(STRATEGIES)}.")
    return STRATEGIES[chosen]


def outside_sources(space_id: int) -> tuple[GroundSource, ...]:
    """Return what the facts of replies in a space are held against beside its memory, a line a source."""
    return ()


@contextmanager
def measured_engine(name: str, *, replies: Path) -> Iterator[MeasuredModel | None]:
    """Serve an engine in the block whose language model draws at a temperature of 0 and keeps its replies in a file.

    None where the engine has no language model. Raises `UnknownEngine`, and whatever making the model raises.
    """
    engines.reset()
    bootstrap.engine_admit(name)
    playing = bootstrap.engine(name)
    try:
        model = playing.language_model
        measured = None if model is None else MeasuredModel(model, replies)
        if measured is not None:
            engines.language_model_put(playing, measured)
        yield measured
    finally:
        engines.reset()
