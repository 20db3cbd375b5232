"""Counts calls of language models: how many, how they ended, how long they took, how many tokens, by role and engine."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from memory.adapters.meters import meters
from memory.core.tracing import ModelCall, TraceStep


def calls_count(steps: Sequence[TraceStep]) -> None:
    """Count the calls among steps."""
    for step in steps:
        if isinstance(step, ModelCall):
            labels = {"role": step.role, "engine": engine_label(step.model)}
            meters().observe("model_call", step.milliseconds / 1000, **labels, outcome=str(step.outcome.value))
            for kind, tokens in (("prompt", step.prompt_tokens), ("completion", step.completion_tokens)):
                if tokens:
                    meters().count("model_tokens", tokens, **labels, kind=kind)


def engine_label(model: str) -> str:
    """Return the name of a model that settings name; what a person added is "added", whatever they called it."""
    configured = (settings.DSMART_ENGINE, *settings.DSMART_EXTRA_ENGINES)
    return model if any(name == model or name.startswith(f"{model}@") for name in configured) else "added"
