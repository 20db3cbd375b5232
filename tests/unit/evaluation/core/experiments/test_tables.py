"""A paper's figures beside ours, as tables and as a whole document."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from evaluation.core.experiments.comparison import NO_JUDGE, NOT_BUILT, NOT_MEASURED, besides, compared, named
from evaluation.core.experiments.tables import (
    Conditions,
    ExperimentResult,
    compared_lines,
    csv_text,
    in_latex,
    latex,
    markdown,
    measured_lines,
    paper_document,
    paper_lines,
    summary_lines,
)
from evaluation.core.experiments.types import Column, Experiment, PaperRow, PaperTable
from evaluation.core.report import Identity, Row

TABLE = PaperTable(
    columns=(
        Column("Score", "score", model="GPT"),
        Column("DER", "entailed", group="{}", name="{}/x"),
        Column("Rated", lacking="people rate it", data="locomo"),
        Column("Elsewhere", "score", data="beam"),
    ),
    rows=(
        PaperRow("Theirs", "", ("8.2", "20.94%", "1", "2")),
        PaperRow("Ours", "d_smart", ("8.63", "38.51%", "3", "4")),
    ),
    judge="GPT-4",
    said=("It says.",),
)
EXPERIMENT = Experiment("one", "Ours & theirs", "A paper", "Table 1", ("locomo",), (), TABLE, differs=("It differs.",))
ROWS = (
    Row("d_smart", "score", 7.126, n=12, low=6.0, high=8.0),
    Row("d_smart/x", "entailed", 0.41666, "ratio", 12, 0.3, 0.5, "d_smart"),
    Row("d_smart", "calls", 3.5, "calls", 12),
)
CONDITIONS = Conditions(
    data="locomo",
    engine="builtin",
    has_model=False,
    judge="",
    parts=(("limit", "1"), ("questions", "2")),
    identity=Identity("abc", {"a.json": "0123456789abcdef"}, "fedcba9876543210", 0, "a machine"),
)


def test_each_printed_figure_of_the_data_has_ours_in_its_unit_or_why_there_is_none():
    assert compared_lines(compared(EXPERIMENT, ROWS, data="locomo"))[1:] == [
        ("Theirs", "Score", "GPT", "8.2", "", "-", "", NOT_BUILT),
        ("Theirs", "DER", "", "20.94%", "", "-", "", NOT_BUILT),
        ("Theirs", "Rated", "", "1", "", "-", "", "people rate it"),
        ("Ours", "Score", "GPT", "8.63", "d_smart", "7.13", "12", "6.00 to 8.00"),
        ("Ours", "DER", "", "38.51%", "d_smart", "41.67%", "12", "30.00% to 50.00%"),
        ("Ours", "Rated", "", "3", "d_smart", "-", "", "people rate it"),
    ]


def test_a_system_without_a_figure_says_what_the_run_says_of_it():
    lacking = Row("d_smart", "measured", None, why="it needs a model")
    whole = Row("run answers", "measured", None, why="the run paused")
    unscored = Row("d_smart", "score", None, n=0, why="it said nothing")
    took = Row("d_smart", "calls", 1.0)

    def why(*rows: Row) -> list[str]:
        return [cell.why for cell in compared(EXPERIMENT, rows, data="beam") if cell.row.label == "Ours"]

    assert why() == [NOT_MEASURED] * 3
    assert why(lacking) == ["it needs a model", NOT_MEASURED, "it needs a model"]
    assert why(whole) == ["the run paused"] * 3
    assert why(took, unscored) == ["it said nothing", NOT_MEASURED, "it said nothing"]
    assert why(took, whole) == ["the run paused"] * 3


def test_a_figure_that_a_judge_gives_says_so_where_there_is_none():
    judged = replace(
        EXPERIMENT, table=replace(TABLE, columns=(Column("Score", "gpt_score"), Column("Time", "seconds")))
    )
    judged = replace(judged, table=replace(judged.table, rows=(PaperRow("Ours", "d_smart", ("8.63", "1")),)))
    assert [cell.why for cell in compared(judged, ROWS, data="locomo")] == [NO_JUDGE, NOT_MEASURED]


def test_what_no_cell_shows_is_measured_besides():
    assert besides(ROWS, compared(EXPERIMENT, ROWS, data="locomo")) == [ROWS[2]]


def test_rows_of_a_setting_are_called_after_it():
    assert list(named(ROWS[2:], "hops=1")) == [Row("hops=1/d_smart", "calls", 3.5, "calls", 12)]
    assert list(named(ROWS, "")) == list(ROWS)


def test_what_a_paper_prints_is_shown_exactly():
    assert paper_lines(EXPERIMENT) == [
        ["system", "Score (GPT)", "DER", "Rated", "Elsewhere"],
        ["Theirs", "8.2", "20.94%", "1", "2"],
        ["Ours", "8.63", "38.51%", "3", "4"],
    ]
    assert paper_document(EXPERIMENT) == (
        "# Ours & theirs (A paper, Table 1)\n\n"
        "| system | Score (GPT) | DER | Rated | Elsewhere |\n| --- | --- | --- | --- | --- |\n"
        "| Theirs | 8.2 | 20.94% | 1 | 2 |\n| Ours | 8.63 | 38.51% | 3 | 4 |\n\n"
        "- Judge: GPT-4.\n- It says.\n"
    )


def test_the_document_has_all_and_what_is_other_comes_from_the_identity():
    head = "| system | figure | paper's model | paper | ours is | ours | n | 95% interval or why not |"
    lines = (
        "# Ours & theirs (A paper, Table 1)\n",
        head,
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| Theirs | Score | GPT | 8.2 |  | - |  | not built here |",
        "| Theirs | DER |  | 20.94% |  | - |  | not built here |",
        "| Theirs | Rated |  | 1 |  | - |  | people rate it |",
        r"| Ours | Score | GPT | 8.63 | d\_smart | 7.13 | 12 | 6.00 to 8.00 |",
        r"| Ours | DER |  | 38.51% | d\_smart | 41.67% | 12 | 30.00% to 50.00% |",
        r"| Ours | Rated |  | 3 | d\_smart | - |  | people rate it |",
        "",
        "## Measured besides\n",
        "| name | metric | group | value | unit | n | 95% interval or why not |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        r"| d\_smart | calls | all | 3.500 | calls | 12 |  |",
        "",
        "![one-1.svg](one-1.svg)\n",
        "## What is other here than there\n",
        "- Engine: `builtin`, which has no language model. There: GPT.",
        "- Judge: none, so that what takes one has no value. There: GPT-4.",
        "- Data: `a.json` (SHA-256 0123456789ab), read as locomo.",
        "- A part of it: limit 1, questions 2.",
        "- It differs.",
        "- Not built here: Theirs.",
        "- Code abc, configuration fedcba987654, seed 0, on a machine.",
        "",
    )
    assert ExperimentResult(EXPERIMENT, CONDITIONS, ROWS).document(["one-1.svg"]).split("\n") == "\n".join(lines).split(
        "\n"
    )


def test_a_summary_has_a_line_a_system_and_says_why_one_has_none():
    rows = (
        Row("graph", "accuracy", 0.5, "ratio", 4, 0.25, 0.75),
        Row("graph", "accuracy", 1.0, "ratio", 1, group="multi-hop"),
        Row("graph", "calls", None, "calls", 4, why="nothing tells"),
        Row("graph", "seconds", 2.0, "s", 4),
        Row("base", "measured", None, why="it asks a model"),
        Row("memory", "rounds_failed", 3, "rounds"),
    )
    assert summary_lines(rows, ("accuracy", "judged", "calls", "seconds")) == [
        ["system", "accuracy", "calls", "seconds", "n", "why not"],
        ["graph", "0.500 [0.250, 0.750]", "-", "2.000", "4", ""],
        ["base", "-", "-", "-", "", "it asks a model"],
    ]
    summed = ExperimentResult(
        replace(EXPERIMENT, table=PaperTable(), summary=("accuracy",)), CONDITIONS, rows
    ).document()
    assert summed.split("\n\n")[1] == (
        "| system | accuracy | n | why not |\n| --- | --- | --- | --- |\n"
        "| graph | 0.500 \\[0.250, 0.750\\] | 4 |  |\n| base | - |  | it asks a model |"
    )
    assert "Measured" not in summed


HARD = [["a|b", "50% & more", "=1+2"], ["x_1\nnext", "{$#}~^\\", '"quoted", with comma']]


def test_marks_do_not_break_a_table_of_markdown():
    assert markdown(HARD) == (
        '| a\\|b | 50% & more | =1+2 |\n| --- | --- | --- |\n| x\\_1 next | {$#}~^\\\\ | "quoted", with comma |\n'
    )


def test_csv_can_be_read_back_and_holds_no_formula():
    text = csv_text([*HARD, ["-1.1", "-", "@x", "+1.2%"]])
    assert list(csv.reader(io.StringIO(text))) == [
        ["a|b", "50% & more", "'=1+2"],
        ["x_1\nnext", "{$#}~^\\", '"quoted", with comma'],
        ["-1.1", "-", "'@x", "+1.2%"],
    ]


def test_latex_reads_no_mark_as_its_own():
    assert in_latex("\\ ~ ^ & % $ # _ { }") == (
        r"\textbackslash{} \textasciitilde{} \textasciicircum{} \& \% \$ \# \_ \{ \}"
    )
    assert latex([["a_b", "c"], ["1 & 2", "3%"]], caption="50% of it") == (
        "\\begin{table}\n\\caption{50\\% of it}\n\\begin{tabular}{ll}\n\\toprule\n"
        "a\\_b & c \\\\\n\\midrule\n1 \\& 2 & 3\\% \\\\\n\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    )


@pytest.mark.parametrize("row", [Row("a", "b", None, why="nobody"), Row("a", "b", 1.0, "ratio", 3, 0.5, 1.0, "g")])
def test_measured_rows_are_shown_with_their_interval_or_why(row: Row):
    assert measured_lines([row])[1] == (
        ("a", "b", "all", "-", "", "", "nobody")
        if row.value is None
        else ("a", "b", "g", "1.000", "ratio", "3", "0.500 to 1.000")
    )
