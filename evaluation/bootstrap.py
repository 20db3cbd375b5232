"""The only place of evaluation where settings become objects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from evaluation.adapters.measured_model import MeasuredModel
from evaluation.core.errors import EvaluationError, UnknownName
from evaluation.core.judging import words
from evaluation.core.judging.catalogue import ASKING
from evaluation.core.judging.types import ReplyJudge
from evaluation.core.reply_facts.types import FromKnowledge, FromPassages, GroundSource
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


def make_judge(name: str, engine: str = "") -> ReplyJudge:
    """Return a judge by name: "KIND", which `engine` plays (the configured one for an empty name), or "KIND@ENGINE".

    Raises `UnknownName` for a kind, `UnknownEngine` for an engine that is not served, `EvaluationError` for one without a
    language model.
    """
    kind, _, named = name.partition("@")
    if kind == words.NAME:
        if named:
            raise UnknownName(f"The judge {kind!r} asks no engine. Name it without {'@' + named!r}.")
        return words.WordsJudge()
    if kind not in ASKING:
        known = ", ".join((words.NAME, *ASKING))
        raise UnknownName(
            f"There is no judge {kind!r}. Judges: {known}. An engine may stand behind, as in answer@ENGINE."
        )
    playing = bootstrap.engine(named or engine)
    model = playing.language_model
    if model is None:
        raise EvaluationError(
            f"The judge {kind!r} asks a language model, and the engine {playing.name!r} has none. "
            f"Name an engine behind it, such as {kind}@http:<model>, or take the judge {words.NAME!r}."
        )
    return ASKING[kind](model, f"{kind}@{playing.name}")


def judge_admit(name: str) -> None:
    """Serve the engine that a command names behind a judge, in this process, though no setting does."""
    bootstrap.engine_admit(name.partition("@")[2])


def outside_sources(space_id: int) -> tuple[GroundSource, ...]:
    """Return what the facts of replies in a space are held against beside its memory, a line a source."""
    known = bootstrap.space_knowledge(space_id)
    return FromPassages(known), FromKnowledge(known)


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
