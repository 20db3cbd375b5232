"""The bench of the memory backbones, small."""

from __future__ import annotations

import pytest

from evaluation.performance.backbones import backbone_names, measure
from memory.core.backbones.catalogue import BACKBONES
from memory.core.errors import UnknownBackbone


def test_every_backbone_is_filled_and_asked() -> None:
    rows = measure({"units": 30, "questions": 2, "backbones": BACKBONES, "quiet": True})
    times = ("p50_ms", "p95_ms", "cpu_p50_ms", "cpu_p95_ms", "first_ms", "add_ms", "units")
    assert [(row.name, row.metric) for row in rows] == [(name, metric) for name in BACKBONES for metric in times]
    units = {row.name: row.value for row in rows if row.metric == "units"}
    assert {name: units[name] for name in ("bm25", "dense", "a_mem", "magma", "mem0_graph")} == dict.fromkeys(
        ("bm25", "dense", "a_mem", "magma", "mem0_graph"), 30
    )
    assert min(value or 0 for value in units.values()) >= 30


def test_a_backbone_that_there_is_not_is_named() -> None:
    assert backbone_names("raptor,bm25") == ("raptor", "bm25")
    with pytest.raises(UnknownBackbone, match="'oracle'"):
        backbone_names("raptor,oracle")
