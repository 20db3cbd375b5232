"""Draws the measured rows of an experiment: lines over an ordered group, bars, or a plane of two figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from evaluation.core.drawing import (
    FRAME,
    MARGIN,
    SHADE,
    WIDTH,
    axes,
    colour_of,
    line,
    picture,
    round_top,
    whisker,
    words,
)
from evaluation.core.experiments.types import Figure, FigureKind
from evaluation.core.report import Row, shown

HEIGHT = 320
LABELS = 260  # the width of the names beside bars
SERIES = 130  # that of the names at the ends of lines
BAR, GAP = 14, 6
EVERY_GROUP, TURN = "*", "turn "
_NUMBER = re.compile(r"\d+")


def figure_svg(figure: Figure, rows: Sequence[Row], *, title: str) -> str:
    """Return the picture of a figure; "" where none of its rows has a value."""
    known = [row for row in rows if row.value is not None and row.metric in figure.metrics and _is_along(figure, row)]
    return DRAWN[figure.kind](figure, known, title) if known else ""


def _is_along(figure: Figure, row: Row) -> bool:
    if figure.along == EVERY_GROUP:
        return bool(row.group) and not row.group.startswith(TURN)
    return row.group.startswith(figure.along) and bool(row.group) == bool(figure.along)


def _value(row: Row) -> float:
    assert row.value is not None  # rows without a value are not drawn
    return row.value


def lines_svg(figure: Figure, rows: Sequence[Row], title: str) -> str:
    """Return a line a name over the numbers that the groups end with, intervals as whiskers."""
    places = sorted({_place(row) for row in rows})
    top = round_top(max(row.high if row.high is not None else _value(row) for row in rows))
    left, right, floor = MARGIN, WIDTH - SERIES, HEIGHT - MARGIN

    def at(row: Row, value: float) -> tuple[float, float]:
        across = places.index(_place(row)) / max(1, len(places) - 1)
        return left + 16 + (right - left - 32) * across, floor - (floor - MARGIN) * max(0.0, value) / top

    def parts() -> Iterator[str]:
        yield axes(left=left, top=MARGIN, right=right, floor=floor)
        yield words(left - 4, MARGIN + 4, shown(top), anchor="end")
        yield words(left - 4, floor, "0", anchor="end")
        yield words(left, MARGIN - 12, f"{figure.metrics[0]} by {figure.along.strip()}")
        labels: list[float] = []
        for number, name in enumerate(dict.fromkeys(row.name for row in rows)):
            own = sorted((row for row in rows if row.name == name), key=_place)
            for row in own:
                if row.low is not None and row.high is not None:
                    yield whisker(*at(row, row.low), *at(row, row.high), colour_of(number))
            yield line((at(row, _value(row)) for row in own), colour_of(number))
            y = at(own[-1], _value(own[-1]))[1] + 4
            while any(abs(y - other) < 12 for other in labels):
                y += 12
            labels.append(y)
            yield words(right + 4, y, name, colour=colour_of(number))
        for row in {_place(row): row for row in rows}.values():
            yield words(at(row, 0)[0], floor + 16, str(_place(row)), anchor="middle")

    return picture(title, parts(), height=HEIGHT)


def _place(row: Row) -> int:
    found = _NUMBER.findall(row.group)
    return int(found[-1]) if found else 0


def bars_svg(figure: Figure, rows: Sequence[Row], title: str) -> str:
    """Return a bar a row, its name to the left and its value at its end, intervals as whiskers."""
    top = round_top(max(row.high if row.high is not None else _value(row) for row in rows))
    right, height = WIDTH - MARGIN - 20, 2 * MARGIN + len(rows) * (BAR + GAP)
    ordered = sorted(rows, key=lambda row: figure.metrics.index(row.metric)) if not figure.along else rows

    def across(value: float) -> float:
        return LABELS + (right - LABELS) * max(0.0, value) / top

    def parts() -> Iterator[str]:
        yield words(LABELS, MARGIN - 12, ", ".join(figure.metrics))
        for place, row in enumerate(ordered):
            y = MARGIN + place * (BAR + GAP)
            colour = colour_of(figure.metrics.index(row.metric))
            yield words(LABELS - 6, y + BAR - 3, _label(figure, row), anchor="end")
            yield (
                f'<rect x="{LABELS}" y="{y}" width="{across(_value(row)) - LABELS:.1f}" height="{BAR}" fill="{colour}" '
                'fill-opacity="0.75"/>'
            )
            end = _value(row)
            if row.low is not None and row.high is not None:
                yield whisker(across(row.low), y + BAR / 2, across(row.high), y + BAR / 2)
                end = row.high
            yield words(across(end) + 4, y + BAR - 3, shown(_value(row)))
        yield axes(left=LABELS, top=MARGIN - 4, right=right, floor=height - MARGIN)

    return picture(title, parts(), height=height)


def _label(figure: Figure, row: Row) -> str:
    group = f", {row.group}" if row.group else ""
    return f"{row.name}{group}" + (f", {row.metric}" if len(figure.metrics) > 1 else "")


def plane_svg(figure: Figure, rows: Sequence[Row], title: str) -> str:
    """Return a circle a name: across the first metric, up the second, as large as the third."""
    figures = {
        name: {row.metric: _value(row) for row in rows if row.name == name} for name in {row.name for row in rows}
    }
    across, up, size = figure.metrics
    whole = sorted((name, own) for name, own in figures.items() if across in own and up in own)
    if not whole:
        return ""
    tops = {metric: round_top(max(own.get(metric, 0.0) for _, own in whole)) for metric in figure.metrics}
    right, floor = WIDTH - MARGIN, HEIGHT - MARGIN

    def parts() -> Iterator[str]:
        yield axes(left=MARGIN, top=MARGIN, right=right, floor=floor)
        yield words(MARGIN, MARGIN - 12, f"{up}, up to {shown(tops[up])}; size: {size}")
        yield words(right, floor + 16, f"{across}, up to {shown(tops[across])}", anchor="end")
        for number, (name, own) in enumerate(whole):
            x = MARGIN + (right - MARGIN) * own[across] / tops[across]
            y = floor - (floor - MARGIN) * own[up] / tops[up]
            radius = 4 + 14 * own.get(size, 0.0) / tops[size]
            yield (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour_of(number)}" fill-opacity="0.6" '
                f'stroke="{FRAME}"/>'
            )
            is_right = x > WIDTH / 2
            yield words(
                x + (-radius - 3 if is_right else radius + 3), y + 4, name, anchor="end" if is_right else "start"
            )
        yield f'<path d="M{MARGIN} {(MARGIN + floor) / 2:g}H{right}M{WIDTH / 2:g} {MARGIN}V{floor}" stroke="{SHADE}"/>'

    return picture(title, parts(), height=HEIGHT)


DRAWN: dict[FigureKind, Callable[[Figure, Sequence[Row], str], str]] = {
    FigureKind.LINES: lines_svg,
    FigureKind.BARS: bars_svg,
    FigureKind.PLANE: plane_svg,
}
