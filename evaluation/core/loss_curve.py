"""The losses of a training as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

WIDTH, HEIGHT, MARGIN = 640, 240, 40
POINTS = 300


def loss_svg(losses: Mapping[int, float], *, title: str) -> str:
    """Return the losses of steps as SVG: at most 300 points, each the mean of the steps about it."""
    points = smoothed(sorted(losses.items()))
    last, top = points[-1][0], max(loss for _, loss in points) or 1.0

    def placed(step: float, loss: float) -> str:
        across = MARGIN + (WIDTH - 2 * MARGIN) * step / last
        return f"{across:.1f},{HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * loss / top:.1f}"

    line = " ".join(placed(*point) for point in points)
    floor, right = HEIGHT - MARGIN, WIDTH - MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif" '
        f'font-size="11"><title>{title}: loss by step</title>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
        f'<path d="M{MARGIN} {MARGIN}V{floor}H{right}" fill="none" stroke="#888"/>'
        f'<polyline points="{line}" fill="none" stroke="#1a5fb4" stroke-width="1.5"/>'
        f'<text x="{MARGIN - 4}" y="{MARGIN + 4}" text-anchor="end">{top:.2f}</text>'
        f'<text x="{MARGIN - 4}" y="{floor}" text-anchor="end">0</text>'
        f'<text x="{MARGIN}" y="{MARGIN - 12}">loss, nats a token</text>'
        f'<text x="{right}" y="{floor + 16}" text-anchor="end">step {last:g}</text></svg>\n'
    )


def smoothed(losses: Sequence[tuple[int, float]]) -> list[tuple[float, float]]:
    size = -(-len(losses) // POINTS)
    parts = [losses[start : start + size] for start in range(0, len(losses), size)]
    return [(fmean(step for step, _ in part), fmean(loss for _, loss in part)) for part in parts]
