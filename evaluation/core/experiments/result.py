"""What an experiment came to: a document of the paper's figures beside the measured ones, and what is other here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.core.experiments.comparison import Cell, besides, compared
from evaluation.core.experiments.tables import compared_lines, markdown, measured_lines, paper_lines, summary_lines
from evaluation.core.experiments.types import Experiment
from evaluation.core.report import Identity, Row

DIGEST = 12


@dataclass(frozen=True)
class Conditions:
    """What it was taken with, as the identity of the measurement has it. Empty is none, and None is all."""

    data: str
    engine: str
    has_model: bool
    judge: str
    parts: tuple[tuple[str, int | str], ...]
    identity: Identity


@dataclass(frozen=True)
class ExperimentResult:
    experiment: Experiment
    conditions: Conditions
    rows: Sequence[Row]

    @property
    def cells(self) -> list[Cell]:
        return compared(self.experiment, self.rows, data=self.conditions.data)

    @property
    def others(self) -> list[Row]:
        return besides(self.rows, self.cells)

    def document(self, figures: Sequence[str] = ()) -> str:
        """Return all of it in Markdown; `figures` are the files of its pictures."""
        return "\n".join(self._parts(figures))

    def _parts(self, figures: Sequence[str]) -> Iterator[str]:
        yield f"# {heading(self.experiment)}\n"
        if cells := self.cells:
            yield markdown(compared_lines(cells))
        if summary := self.experiment.summary:
            yield markdown(summary_lines(self.rows, summary))
            yield "All figures, those of categories and turns too, are written by `--out` and `--json`.\n"
        elif others := self.others:
            yield f"## {'Measured besides' if cells else 'Measured'}\n\n{markdown(measured_lines(others))}"
        for file in figures:
            yield f"![{file}]({file})\n"
        yield "## What is other here than there\n"
        yield "".join(f"- {one}\n" for one in differences(self.experiment, self.conditions))


def heading(experiment: Experiment) -> str:
    place = "" if experiment.place == "none" else f" ({experiment.paper}, {experiment.place})"
    return f"{experiment.title}{place}"


def paper_document(experiment: Experiment) -> str:
    """Return what the paper prints, alone: its table, its judge, and what its text says."""
    table = experiment.table
    parts = [f"# {heading(experiment)}\n"]
    if table.rows:
        parts.append(markdown(paper_lines(experiment)))
    said = [*([f"Judge: {table.judge}."] if table.judge else []), *table.said]
    if not said and not table.rows:
        said = ["No paper has this experiment."]
    return "\n".join([*parts, "".join(f"- {one}\n" for one in said)])


def differences(experiment: Experiment, conditions: Conditions) -> Iterator[str]:
    """Yield what is other than in the paper: model, judge, data and its part, then what always is, then the identity."""
    table, identity = experiment.table, conditions.identity
    theirs = f" There: {', '.join(table.models)}." if table.models else ""
    without = "" if conditions.has_model else ", which has no language model"
    yield f"Engine: `{conditions.engine}`{without}.{theirs}"
    if table.judge or conditions.judge:
        ours = f"`{conditions.judge}`" if conditions.judge else "none, so that what takes one has no value"
        yield f"Judge: {ours}. There: {table.judge or 'none'}."
    digests = ", ".join(f"`{name}` (SHA-256 {digest[:DIGEST]})" for name, digest in identity.data.items())
    yield f"Data: {digests}, read as {conditions.data}."
    if conditions.parts:
        yield "A part of it: " + ", ".join(f"{name} {value}" for name, value in conditions.parts) + "."
    if experiment.needs:
        yield f"All of its figures take {', '.join(experiment.needs)}."
    yield from experiment.differs
    yield from (f"Not built here: {row.label}." for row in dict.fromkeys(table.rows) if not row.ours)
    yield f"Code {identity.code}, configuration {identity.config[:DIGEST]}, seed {identity.seed}, on {identity.machine}."
