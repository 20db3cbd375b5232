"""The bench of imports measures what it says and leaves nothing behind."""

from __future__ import annotations

import pytest

from evaluation.core.report import Row
from evaluation.performance import imports
from memory.models import EntityRecord, Space, TripleRecord

pytestmark = pytest.mark.django_db


def test_bench_measures_each_shape_and_size_and_leaves_nothing():
    rows = imports.measure({"facts": (150, 60), "quiet": True})
    assert [(row.name, row.metric, row.group) for row in rows] == [
        (shape, metric, group)
        for shape in ("chained", "starred")
        for group in ("60", "150")
        for metric in ("facts_per_s", "cpu_ms", "ratio")
    ]
    found = {(row.name, row.metric, row.group): row for row in rows}
    assert found["starred", "ratio", "60"] == Row("starred", "ratio", 1.0, unit="times", group="60")
    assert {row.n for row in rows if row.metric == "facts_per_s"} == {60, 150}
    assert all(row.value > 0 for row in rows)
    for model in (EntityRecord, Space, TripleRecord):
        assert not model.objects.exists()
