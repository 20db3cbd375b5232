"""The experiments by name, from the files beside this module: one a paper, and one of the house.

Reads experiments from a file of TOML, one file a paper.

    paper = "SGMem (Wu et al., 2025)"

    [[experiment]]
    name = "sgmem-table-1"
    title = "..."
    place = "Table 1"
    data = ["longmemeval", "locomo"]
    needs = ["MODEL", "JUDGE"]
    differs = ["..."]
    measures = [{what = "run answers", options = {systems = "no_history,sgmem_s"}}]
    figures = [{kind = "bars", metrics = ["accuracy"]}]
    judge = "Qwen2.5-32B-Instruct"
    columns = [{label = "Top-5", data = "locomo", metric = "accuracy"}]
    rows = '''
    No History | no_history | 0.050
    KG-Retriever | - | 0.138
    '''

A row is its label, our name of it (- where it is not built) and a cell a column, as the paper prints them; a line `model: X`
or `data: X` holds for the rows after it. All else that is not there is empty.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from importlib import resources
from typing import Any, TypeVar

from evaluation.core.errors import MalformedExperiment, UnknownName
from evaluation.core.experiments.types import (
    Column,
    Experiment,
    Figure,
    FigureKind,
    Measure,
    Need,
    PaperRow,
    PaperTable,
)

NOT_BUILT = "-"
HEADINGS = ("model", "data")
PartT = TypeVar("PartT")


def read_experiments(text: str, *, file: str) -> Iterator[Experiment]:
    """Yield the experiments of a file. Raises `MalformedExperiment`, which names file, experiment and what is wrong."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MalformedExperiment(f"{file} is no TOML: {error}.") from error
    for written in content.get("experiment", []):
        name = str(written.get("name", "without a name"))
        try:
            yield experiment(written, paper=str(content["paper"]))
        except (KeyError, TypeError, ValueError) as error:
            raise MalformedExperiment(f"{file}, {name}: {type(error).__name__} {error}.") from error


def experiment(written: Mapping[str, Any], *, paper: str) -> Experiment:
    known = {"columns", "rows", "judge", "said", *(one.name for one in fields(Experiment))} - {"paper", "table"}
    if unknown := sorted(set(written) - known):
        raise ValueError(f"has no field {unknown[0]!r}")
    columns = tuple(part(Column, column) for column in written.get("columns", []))
    table = PaperTable(
        columns,
        tuple(rows_of(str(written.get("rows", "")), columns)),
        str(written.get("judge", "")),
        tuple(written.get("said", [])),
    )
    figures = tuple(
        Figure(FigureKind(one["kind"]), tuple(one["metrics"]), str(one.get("along", "")))
        for one in written.get("figures", [])
    )
    return Experiment(
        name=written["name"],
        title=written["title"],
        paper=paper,
        place=written["place"],
        data=tuple(written["data"]),
        measures=tuple(part(Measure, measure) for measure in written.get("measures", [])),
        judges=tuple(written.get("judges", [])),
        summary=tuple(written.get("summary", [])),
        table=table,
        figures=figures,
        needs=tuple(Need[need] for need in written.get("needs", [])),
        differs=tuple(written.get("differs", [])),
    )


def part(kind: type[PartT], written: Mapping[str, Any]) -> PartT:
    """Return a part whose fields are called as in the file; a field that there is not is a `TypeError`."""
    return kind(**written)


def rows_of(text: str, columns: Sequence[Column]) -> Iterator[PaperRow]:
    headings = dict.fromkeys(HEADINGS, "")
    for line in filter(None, map(str.strip, text.splitlines())):
        heading, _, value = line.partition(":")
        if "|" not in line and heading in headings:
            headings[heading] = value.strip()
            continue
        label, ours, *printed = (cell.strip() for cell in line.split("|"))
        if len(printed) != len(columns):
            raise ValueError(f"the row {label!r} has {len(printed)} figures in {len(columns)} columns")
        yield PaperRow(label, "" if ours == NOT_BUILT else ours, tuple(printed), **headings)


FILES = ("d_smart.toml", "sgmem.toml", "goal_mem.toml", "slsm.toml", "drg.toml", "house.toml")


@cache
def experiments() -> Mapping[str, Experiment]:
    """Return all experiments in the order of the files. Raises `MalformedExperiment`, also where two have one name."""
    found: dict[str, Experiment] = {}
    for file in FILES:
        text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
        for experiment in read_experiments(text, file=file):
            if experiment.name in found:
                raise MalformedExperiment(f"{file}: two experiments are called {experiment.name}.")
            found[experiment.name] = experiment
    return found


def experiment_named(name: str) -> Experiment:
    if name not in experiments():
        raise UnknownName(
            f"There is no experiment {name!r}. `manage.py experiment --list` names all {len(experiments())}."
        )
    return experiments()[name]
