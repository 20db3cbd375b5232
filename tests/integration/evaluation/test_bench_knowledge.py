"""The bench of knowledge bases measures what it says and leaves nothing behind."""

from __future__ import annotations

import pytest

from evaluation.core.report import Row
from evaluation.performance import knowledge
from memory.models import KnowledgeBaseRecord, KnowledgeNameRecord, KnowledgeTripleRecord, Space

pytestmark = pytest.mark.django_db


def test_bench_measures_each_size_and_leaves_nothing():
    rows = knowledge.measure({"triples": (2_000, 1_000), "dialogues": 5, "quiet": True})
    assert [(row.name, row.metric, row.group) for row in rows] == [
        (name, metric, group)
        for group in ("1000", "2000")
        for name, metric in (
            ("import", "triples_per_s"),
            ("import", "entities"),
            ("link", "candidates"),
            ("remove", "seconds"),
            ("link", "p50_ms"),
            ("link", "p95_ms"),
            ("link", "cpu_ms"),
            ("link", "queries"),
            ("link", "p95_ratio"),
        )
    ]
    found = {(row.metric, row.group): row for row in rows}
    assert found["p95_ratio", "1000"] == Row("link", "p95_ratio", 1.0, unit="times", group="1000")
    assert found["candidates", "1000"].value > 10 and found["triples_per_s", "2000"].n > 1_900
    assert all(row.value > 0 for row in rows)
    for model in (KnowledgeBaseRecord, KnowledgeNameRecord, KnowledgeTripleRecord, Space):
        assert not model.objects.exists()
