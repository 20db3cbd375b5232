"""The picture of a training's losses."""

from __future__ import annotations

import re

import pytest

from evaluation.core.drawing import HEIGHT, MARGIN, POINTS, WIDTH, loss_svg, smoothed


def points_of(svg: str) -> list[tuple[float, float]]:
    [drawn] = re.findall(r'polyline points="([^"]+)"', svg)
    return [(float(pair.split(",")[0]), float(pair.split(",")[1])) for pair in drawn.split()]


def test_losses_are_drawn_from_the_left_to_the_right_and_to_scale():
    svg = loss_svg({1: 4.0, 2: 2.0, 4: 0.0}, title="a model")
    assert svg.startswith("<svg xmlns=") and "<title>a model: loss by step</title>" in svg
    across, down = (WIDTH - 2 * MARGIN) / 4, (HEIGHT - 2 * MARGIN) / 4
    assert points_of(svg) == [
        (MARGIN + across, MARGIN),
        (MARGIN + 2 * across, MARGIN + 2 * down),
        (WIDTH - MARGIN, HEIGHT - MARGIN),
    ]
    assert ">4.00<" in svg and ">step 4<" in svg


def test_many_losses_are_drawn_as_means_and_none_left_out():
    losses = [(step, float(step)) for step in range(1, 2 * POINTS + 2)]
    found = smoothed(losses)
    assert len(found) <= POINTS and found[0] == (2, 2)
    sizes = [3] * (len(losses) // 3) + [len(losses) % 3]
    assert sum(loss * size for (_, loss), size in zip(found, sizes, strict=False)) == pytest.approx(
        sum(loss for _, loss in losses)
    )


def test_losses_of_nothing_at_all_are_a_flat_line():
    assert {down for _, down in points_of(loss_svg({1: 0.0, 2: 0.0}, title="x"))} == {HEIGHT - MARGIN}
