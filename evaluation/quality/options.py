"""What several evaluations are asked for in the same way: responders, how many at most, and every item in a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evaluation.core.errors import EvaluationError


def responders_of(options: Mapping[str, Any]) -> list[str]:
    """Return the names of --responders. Raises `EvaluationError` where there is none."""
    return names_of(options, "responders", such_as="graph")


def names_of(options: Mapping[str, Any], option: str, *, such_as: str) -> list[str]:
    """Return the names of an option, which are divided by commas. Raises `EvaluationError` where there is none."""
    names = [name.strip() for name in options[option].split(",") if name.strip()]
    if not names:
        raise EvaluationError(f"No {option.removesuffix('s')} is named. Give --{option}, such as --{option} {such_as}.")
    return names


def most_of(options: Mapping[str, Any], name: str = "limit") -> int | None:
    """Return how many are asked for at most, None for all. Raises `EvaluationError` below 1."""
    most: int | None = options[name]
    if most is not None and most < 1:
        raise EvaluationError(f"--{name} must be at least 1.")
    return most


def items_write(items: Iterable[Mapping[str, object]], path: Path | None) -> None:
    """Write items as JSON, one a line, where --items names a file. Raises `EvaluationError` where that cannot be written."""
    if path is None:
        return
    lines = [json.dumps(item, ensure_ascii=False) for item in items]
    try:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"{path} cannot be written: {error.strerror}. Give --items another path.") from error
