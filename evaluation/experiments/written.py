"""Writes what an experiment came to into a folder: Markdown, CSV, LaTeX, JSON and pictures."""

from __future__ import annotations

from pathlib import Path

from evaluation.core.errors import EvaluationError
from evaluation.core.experiments.figures import figure_svg
from evaluation.core.experiments.tables import (
    RENDERINGS,
    ExperimentResult,
    compared_lines,
    heading,
    measured_lines,
    summary_lines,
)
from evaluation.core.report import Report


def report_of(result: ExperimentResult) -> Report:
    return Report(f"experiment {result.experiment.name}", result.conditions.identity, result.rows)


def folder_make(folder: Path) -> None:
    """Make the folder that an experiment is written to, before anything is measured. Raises `EvaluationError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EvaluationError(f"{folder} cannot be made: {error.strerror}. Give --out another folder.") from error


def result_write(result: ExperimentResult, folder: Path) -> list[Path]:
    """Return the files that were written, the document first. Raises `EvaluationError` where the folder cannot be written."""
    name, title = result.experiment.name, heading(result.experiment)
    figures = {
        f"{name}-{number}.svg": figure_svg(figure, result.rows, title=title)
        for number, figure in enumerate(result.experiment.figures, start=1)
    }
    drawn = {file: svg for file, svg in figures.items() if svg}
    files = {f"{name}.md": result.document(list(drawn)), f"{name}.json": report_of(result).as_json(), **drawn}
    summary = summary_lines(result.rows, result.experiment.summary) if result.experiment.summary else []
    tables = {name: summary or compared_lines(result.cells), f"{name}-measured": measured_lines(result.rows)}
    for table, lines in tables.items():
        if len(lines) > 1:
            files |= {f"{table}.{ending}": RENDERINGS[ending](lines, title) for ending in ("csv", "tex")}
    try:
        for file, content in files.items():
            (folder / file).write_text(content, encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"{folder} cannot be written: {error.strerror}. Give --out another folder.") from error
    return [folder / file for file in files]
