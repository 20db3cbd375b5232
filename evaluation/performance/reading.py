"""`bench reading`: how well messages are read, and what each rule of the clause reader adds to that or takes away."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.core.report import Row
from evaluation.performance.costs import BenchOption
from evaluation.services.ablation import held_out_messages, labelled_messages, messages_ablate

HELP = "F1 of reading messages, and its change without each rule, with the facts lost and gained"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption(
        "data",
        Path,
        None,
        "a file of labelled messages, or a folder of such (default: the held-out ones of memory/training/messages)",
    ),
)
OWN_MESSAGES = Path("memory") / "training" / "messages"


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return the figures of all messages, and for each rule how they change without it."""
    path = options["data"]
    messages = held_out_messages(settings.BASE_DIR / OWN_MESSAGES) if path is None else labelled_messages(path)
    return messages_ablate(messages, quiet=options["quiet"])
