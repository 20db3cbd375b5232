"""The losses of a training as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from evaluation.core.drawing import COLOURS, MARGIN, WIDTH, axes, line, picture, words

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
