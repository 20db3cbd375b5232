"""Tables of an experiment in Markdown, CSV and LaTeX: the paper's figures alone, or with ours beside them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from evaluation.core.experiments.comparison import MEASURED, Cell, besides, compared, why_lacking
from evaluation.core.experiments.types import Experiment
from evaluation.core.report import Identity, Row, cells
from evaluation.core.runs.tables import cell

Lines = Sequence[Sequence[str]]

COMPARED_HEAD = ("system", "figure", "paper's model", "paper", "ours is", "ours", "n", "95% interval or why not")
MEASURED_HEAD = ("name", "metric", "group", "value", "unit", "n", "95% interval or why not")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}
_MARKS = re.compile("|".join(map(re.escape, _LATEX)))


def paper_lines(experiment: Experiment) -> list[list[str]]:
    """Return the paper's table as it prints it: a head, then a line a system, with the model and data where they differ."""
    table = experiment.table
    extra = [name for name in ("model", "data") if any(getattr(row, name) for row in table.rows)]
    heads = [" ".join(filter(None, (column.label, column.model and f"({column.model})"))) for column in table.columns]
    return [
        ["system", *extra, *heads],
        *([row.label, *(getattr(row, name) for name in extra), *row.printed] for row in table.rows),
    ]


def compared_lines(found: Sequence[Cell]) -> list[tuple[str, ...]]:
    return [
        COMPARED_HEAD,
        *(
            (
                one.row.label,
                one.column.label,
                one.model,
                one.printed,
                one.row.ours,
                one.value,
                one.count,
                one.interval or one.why,
            )
            for one in found
        ),
    ]


def summary_lines(rows: Sequence[Row], metrics: Sequence[str]) -> list[list[str]]:
    """Return a line a system with its figures of all groups together; of one that has none, why."""
    whole = [row for row in rows if not row.group]
    known = {(row.name, row.metric): row for row in whole}
    shown_metrics = [metric for metric in metrics if any(row.metric == metric for row in whole)]
    lines = [["system", *shown_metrics, "n", "why not"]]
    for name in dict.fromkeys(row.name for row in whole if row.metric in (*metrics, MEASURED)):
        own = [known.get((name, metric)) for metric in shown_metrics]
        counts = [row.n for row in own if row is not None and row.value is not None]
        why = "" if counts else why_lacking(name, "", whole)
        lines.append([name, *map(cell, own), str(next(filter(None, counts), "")), why])
    return lines


def measured_lines(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    return [MEASURED_HEAD, *(cells(row) for row in rows)]


def markdown(lines: Lines) -> str:
    """Return lines of cells as a table of Markdown, the first of them its head."""
    head, *body = ([_in_markdown(cell) for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *body)) + "\n"


def _in_markdown(text: str) -> str:
    return re.sub(r"([\\|*_`<\[\]])", r"\\\1", " ".join(text.split()))


def csv_text(lines: Lines) -> str:
    """Return lines of cells as CSV. A cell that a spreadsheet would take for a formula begins with an apostrophe."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_in_csv(cell) for cell in line] for line in lines)
    return out.getvalue()


def _in_csv(text: str) -> str:
    is_number = re.fullmatch(r"[-+]?[\d.]*%?", text) is not None
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") and not is_number else text


def latex(lines: Lines, *, caption: str) -> str:
    """Return lines of cells as a table of LaTeX (booktabs), the first of them its head."""
    head, *body = (" & ".join(map(in_latex, line)) + r" \\" for line in lines)
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{in_latex(caption)}}}",
            rf"\begin{{tabular}}{{{'l' * len(lines[0])}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def in_latex(text: str) -> str:
    """Return text in which LaTeX reads no mark as its own."""
    return _MARKS.sub(lambda found: _LATEX[found[0]], text)


RENDERINGS: dict[str, Callable[[Lines, str], str]] = {
    "md": lambda lines, title: markdown(lines),
    "csv": lambda lines, title: csv_text(lines),
    "tex": lambda lines, title: latex(lines, caption=title),
}


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
