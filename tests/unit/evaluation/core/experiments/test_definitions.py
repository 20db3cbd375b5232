"""Experiments read from TOML, and what is said of a file that cannot be read."""

from __future__ import annotations

import pytest

from evaluation.core.errors import MalformedExperiment
from evaluation.core.experiments.catalogue import read_experiments
from evaluation.core.experiments.types import (
    Column,
    Experiment,
    Figure,
    FigureKind,
    Measure,
    Need,
    PaperRow,
    PaperTable,
    decimals_of,
)

WRITTEN = """
paper = "A paper"
[[experiment]]
name = "one"
title = "Ours and theirs"
place = "Table 9"
data = ["locomo"]
needs = ["JUDGE"]
judge = "a model"
said = ["It says."]
differs = ["It differs."]
measures = [{what = "run answers", options = {systems = "s,t"}, vary = {limit = [1, 2]}}]
figures = [{kind = "lines", metrics = ["cs"], along = "turn "}]
columns = [{label = "A", metric = "accuracy", scale = 100}, {label = "B", lacking = "nobody"}]
rows = '''
model: GPT
Sessions | s | 12.5 | 1
data: locomo
Theirs   | - | 3.0  | -
'''
"""


def test_an_experiment_is_read_whole():
    assert list(read_experiments(WRITTEN, file="a.toml")) == [
        Experiment(
            name="one",
            title="Ours and theirs",
            paper="A paper",
            place="Table 9",
            data=("locomo",),
            measures=(Measure("run answers", {"systems": "s,t"}, vary={"limit": [1, 2]}),),
            table=PaperTable(
                columns=(Column("A", "accuracy", scale=100), Column("B", lacking="nobody")),
                rows=(
                    PaperRow("Sessions", "s", ("12.5", "1"), model="GPT"),
                    PaperRow("Theirs", "", ("3.0", "-"), model="GPT", data="locomo"),
                ),
                judge="a model",
                said=("It says.",),
            ),
            figures=(Figure(FigureKind.LINES, ("cs",), "turn "),),
            needs=(Need.JUDGE,),
            differs=("It differs.",),
        )
    ]


def test_options_that_vary_are_taken_one_value_at_a_time():
    measure = Measure("run answers", {"systems": "s", "limit": 5}, vary={"limit": [1, 2], "repeat": [3]})
    assert list(measure.settings()) == [
        Measure("run answers", {"systems": "s", "limit": 1}, "limit=1"),
        Measure("run answers", {"systems": "s", "limit": 2}, "limit=2"),
        Measure("run answers", {"systems": "s", "limit": 5, "repeat": 3}, "repeat=3"),
    ]
    assert list(Measure("bench reply").settings()) == [Measure("bench reply")]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('name = "one"', 'name = "one', "a.toml is no TOML: "),
        ('title = "Ours and theirs"', "", "a.toml, one: KeyError 'title'."),
        ('needs = ["JUDGE"]', 'needs = ["MONEY"]', "a.toml, one: KeyError 'MONEY'."),
        ('kind = "lines"', 'kind = "pie"', "a.toml, one: ValueError 'pie' is not a valid FigureKind."),
        ("| 12.5 | 1", "| 12.5", "a.toml, one: ValueError the row 'Sessions' has 1 figures in 2 columns."),
        ('place = "Table 9"', 'place = "Table 9"\npalce = 1', "a.toml, one: ValueError has no field 'palce'."),
        ('lacking = "nobody"', 'laking = "nobody"', "a.toml, one: TypeError "),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_what_is_wrong(before: str, after: str, said: str):
    assert before in WRITTEN
    with pytest.raises(MalformedExperiment) as raised:
        list(read_experiments(WRITTEN.replace(before, after), file="a.toml"))
    assert str(raised.value).startswith(said)


@pytest.mark.parametrize(
    ("printed", "decimals"),
    [
        ("62.39 (2.42)", 2),
        ("38.51%", 2),
        ("0.730*", 3),
        ("-1.1", 1),
        ("1827", 0),
        ("?", 3),
    ],
)
def test_decimals_of_a_cell_are_those_that_it_is_printed_with(printed: str, decimals: int):
    assert decimals_of(printed) == decimals
