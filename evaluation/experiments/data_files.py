"""Tells the format of the files that an experiment is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluation.benchmarks.catalogue import detect_format, first_record
from evaluation.benchmarks.reading import columns_of, read_text
from evaluation.benchmarks.task_catalogue import task_format
from evaluation.core.errors import EvaluationError, UnknownFormat
from evaluation.core.experiments.types import Experiment

OPENDIALKG, STATES = "opendialkg", "states"


def data_format(path: Path) -> str:
    """Return the name of a file's format. Raises `UnknownFormat`, and `MalformedBenchmark` for one that cannot be read."""
    if path.suffix == ".csv":
        if {"history", "response"} <= set(columns_of(next(iter(read_text(path).splitlines()), ""))):
            return OPENDIALKG
        raise UnknownFormat(f"{path.name} has no columns history and response, as OpenDialKG's turns have.")
    if path.is_file():
        first = first_record(path)
        if isinstance(first, dict) and {"turns", "checks"} <= set(first):
            return STATES
        if found := task_format(path):
            return found.NAME
    return detect_format(path)


def data_check(experiment: Experiment, paths: Sequence[Path]) -> str:
    """Return the formats of the files. Raises `EvaluationError` unless the experiment is taken on each of them."""
    if not paths:
        raise EvaluationError(f"{experiment.name} is taken on data. Give --data FILE: {wanted(experiment)}.")
    for path in paths:
        if not path.exists():
            raise EvaluationError(f"There is no file {path}. {experiment.name} is taken on {wanted(experiment)}.")
    formats = {path: data_format(path) for path in paths}
    for path, found in formats.items():
        if found not in experiment.data:
            raise EvaluationError(f"{path.name} is of {found}, and {experiment.name} is taken on {wanted(experiment)}.")
    return ", ".join(dict.fromkeys(formats.values()))


def wanted(experiment: Experiment) -> str:
    return "a file of " + " or ".join(experiment.data)
