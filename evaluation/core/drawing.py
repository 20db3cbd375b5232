"""Pictures of figures in SVG on white paper, readable in a dark page too, and the curve of a training's losses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from statistics import fmean

WIDTH, MARGIN = 640, 40
INK, FRAME, SHADE = "#222", "#888", "#ddd"
# Told apart by eyes that see few colours, too (Okabe and Ito, 2008, the darker ones).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#8b3a8b", "#7a5c00", "#444444")


def picture(title: str, parts: Iterable[str], *, height: float, width: float = WIDTH) -> str:
    """Return an SVG of parts, with a title that is read out and shown by a pointer."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" font-family="sans-serif" '
        f'font-size="11" fill="{INK}"><title>{escape(title)}</title>'
        f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def words(x: float, y: float, text: str, *, anchor: str = "start", colour: str = "") -> str:
    aside = "" if anchor == "start" else f' text-anchor="{anchor}"'
    shade = f' fill="{colour}"' if colour else ""
    return f'<text x="{x:g}" y="{y:g}"{aside}{shade}>{escape(text)}</text>'


def axes(*, left: float, top: float, right: float, floor: float) -> str:
    return f'<path d="M{left:g} {top:g}V{floor:g}H{right:g}" fill="none" stroke="{FRAME}"/>'


def line(points: Iterable[tuple[float, float]], colour: str) -> str:
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


def whisker(x1: float, y1: float, x2: float, y2: float, colour: str = INK) -> str:
    """Return the line of an interval."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="1"/>'


def round_top(value: float) -> float:
    """Return the end of an axis that shows this value: 1, 2, 5 or 10 times a power of ten."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10) if value <= step * power * (1 + 1e-9))


def colour_of(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


HEIGHT = 240
POINTS = 300


def loss_svg(losses: Mapping[int, float], *, title: str) -> str:
    """Return the losses of steps as SVG: at most 300 points, each the mean of the steps about it."""
    points = smoothed(sorted(losses.items()))
    last, top = points[-1][0], max(loss for _, loss in points) or 1.0
    floor, right = HEIGHT - MARGIN, WIDTH - MARGIN
    placed = [
        (MARGIN + (WIDTH - 2 * MARGIN) * step / last, floor - (HEIGHT - 2 * MARGIN) * loss / top)
        for step, loss in points
    ]
    parts = (
        axes(left=MARGIN, top=MARGIN, right=right, floor=floor),
        line(placed, COLOURS[0]),
        words(MARGIN - 4, MARGIN + 4, f"{top:.2f}", anchor="end"),
        words(MARGIN - 4, floor, "0", anchor="end"),
        words(MARGIN, MARGIN - 12, "loss, nats a token"),
        words(right, floor + 16, f"step {last:g}", anchor="end"),
    )
    return picture(f"{title}: loss by step", parts, height=HEIGHT)


def smoothed(losses: Sequence[tuple[int, float]]) -> list[tuple[float, float]]:
    size = -(-len(losses) // POINTS)
    parts = [losses[start : start + size] for start in range(0, len(losses), size)]
    return [(fmean(step for step, _ in part), fmean(loss for _, loss in part)) for part in parts]
