"""Pictures of measured rows: to scale, with intervals, escaped, and none of nothing."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from evaluation.core.drawing import MARGIN, WIDTH, round_top
from evaluation.core.experiments.figures import BAR, HEIGHT, LABELS, SERIES, figure_svg
from evaluation.core.experiments.types import Figure, FigureKind
from evaluation.core.report import Row

LINES = Figure(FigureKind.LINES, ("cs",), "turn ")
BARS = Figure(FigureKind.BARS, ("cs", "f1"))
PLANE = Figure(FigureKind.PLANE, ("cs", "f1", "der"))
FLOOR = HEIGHT - MARGIN


def read(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314 (written here)


def texts(svg: str) -> list[str]:
    return [one.text or "" for one in read(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_lines_are_drawn_to_scale_over_the_numbers_of_their_groups():
    rows = [
        Row("a", "cs", 0.5, group="turn 1", low=0.25, high=1.0),
        Row("a", "cs", 1.0, group="turn 2"),
        Row("a", "cs", 0.0, group="turn 10"),
        Row("b", "cs", 0.2, group="turn 2"),
        Row("a", "cs", 0.9),
        Row("a", "f1", 0.9, group="turn 1"),
        Row("b", "cs", None, group="turn 1", why="none"),
    ]
    svg = figure_svg(LINES, rows, title="by turn")
    left, right = MARGIN + 16, WIDTH - SERIES - 16
    drawn = re.findall(r'polyline points="([^"]+)"', svg)
    assert drawn == [
        f"{left:.1f},{(FLOOR + MARGIN) / 2:.1f} {(left + right) / 2:.1f},{MARGIN:.1f} {right:.1f},{FLOOR:.1f}",
        f"{(left + right) / 2:.1f},{FLOOR - 0.2 * (FLOOR - MARGIN):.1f}",
    ]
    assert f'y1="{FLOOR - 0.25 * (FLOOR - MARGIN):.1f}"' in svg and f'y2="{MARGIN:.1f}"' in svg
    assert texts(svg) == ["1.000", "0", "cs by turn", "a", "b", "1", "2", "10"]


def test_bars_are_as_long_as_their_values_and_in_the_order_of_the_metrics():
    rows = [Row("a", "f1", 0.5), Row("a", "cs", 0.25, low=0.1, high=0.4), Row("b", "cs", 0.5, group="g")]
    svg = figure_svg(BARS, rows, title="bars")
    room = WIDTH - MARGIN - 20 - LABELS
    assert [float(one) for one in re.findall(rf'<rect x="{LABELS}" y="\d+" width="([\d.]+)" height="{BAR}"', svg)] == [
        pytest.approx(room / 2, abs=0.1),
        pytest.approx(room, abs=0.1),
    ]
    assert texts(svg) == ["cs, f1", "a, cs", "0.250", "a, f1", "0.500"]


def test_bars_of_every_group_leave_turns_and_the_whole_out():
    rows = [Row("a", "cs", 0.5), Row("a", "cs", 0.6, group="maths"), Row("a", "cs", 0.7, group="turn 1")]
    assert texts(figure_svg(Figure(FigureKind.BARS, ("cs",), "*"), rows, title="x")) == ["cs", "a, maths", "0.600"]


def test_a_plane_has_a_circle_for_each_name_with_both_figures():
    rows = [
        Row("a", "cs", 0.5),
        Row("a", "f1", 0.2),
        Row("a", "der", 0.2),
        Row("b", "cs", 1.0),
        Row("b", "f1", 0.1),
        Row("c", "cs", 1.0),
    ]
    svg = figure_svg(PLANE, rows, title="plane")
    circles = [tuple(map(float, one)) for one in re.findall(r'cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', svg)]
    assert circles == [(WIDTH / 2, MARGIN, 18), (WIDTH - MARGIN, (FLOOR + MARGIN) / 2, 4)]
    assert texts(svg)[2:] == ["a", "b"]


@pytest.mark.parametrize("figure", [LINES, BARS, PLANE])
def test_nothing_is_drawn_of_rows_without_a_value(figure: Figure):
    assert figure_svg(figure, [Row("a", "cs", None, why="none"), Row("a", "speed", 1.0)], title="x") == ""


def test_a_plane_of_one_figure_alone_is_none():
    assert figure_svg(PLANE, [Row("a", "cs", 1.0)], title="x") == ""


def test_names_and_titles_are_escaped_and_the_paper_is_white():
    svg = figure_svg(BARS, [Row('<b> & "c"', "cs", 1.0)], title="<script>")
    assert read(svg)[0].text == "<script>" and '<b> & "c", cs' in texts(svg)
    assert "<script>" not in svg and 'fill="#fff"' in svg


@pytest.mark.parametrize(("value", "top"), [(0, 1), (0.7, 1), (1.0, 1), (0.11, 0.2), (3.2, 5), (51, 100), (0.02, 0.02)])
def test_an_axis_ends_at_a_round_number(value: float, top: float):
    assert round_top(value) == pytest.approx(top)
