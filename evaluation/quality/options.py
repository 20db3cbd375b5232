"""What evaluations share: the options that they are asked by, the file of every item, and the report."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.identity import identity
from evaluation.benchmarks.catalogue import AUTO, FORMATS
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Report, Row

ENGINE = "what plays the model's roles (default: DSMART_ENGINE)"


def usual_options(
    parser: ArgumentParser,
    *,
    data: str = "a benchmark file with questions",
    responders: bool = False,
    engine: str = "",
    format: bool = False,
    case: str = "",
    limit: str = "",
    items: str = "",
) -> None:
    """Declare the options that are asked for; `data`, `case` (--only and --limit), `limit` and `items` say of what."""
    if data:
        parser.add_argument("--data", type=Path, required=True, metavar="FILE", help=data)
    if responders:
        parser.add_argument("--responders", default="graph", metavar="LIST", help="names, with commas (default: graph)")
    if engine:
        parser.add_argument("--engine", default="", metavar="E", help=engine)
    if format:
        parser.add_argument("--format", choices=[AUTO, *FORMATS], default=AUTO, help="(default: told by the file)")
    if case:
        parser.add_argument("--only", default="", metavar="ID", help=f"only the {case} with this id")
    if case or limit:
        most = f"at most N {case}s" if case else f"at most the first N {limit}"
        parser.add_argument("--limit", type=int, metavar="N", help=most)
    if items:
        parser.add_argument("--items", type=Path, metavar="OUT", help=f"write {items}, one JSON a line")


def reported(
    name: str, rows: Sequence[Row], *, data: Sequence[Path], config: Mapping[str, object], seed: int = 0
) -> Report:
    """Return the report of `evaluate NAME`, with the identity of code, data files and configuration."""
    made_with = identity(code_folder=settings.BASE_DIR, data=data, config=config, seed=seed)
    return Report(f"evaluate {name}", made_with, rows)


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
