"""Memories over a space, and memories that a language model writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from memory.bootstrap import backbones, engines
from memory.core.backbones.catalogue import BACKBONES, RECALLS, make_backbone, make_recall
from memory.core.tracing import ModelCall, TraceStep, recording
from memory.core.types import RetrievalQuery, Role, Utterance
from memory.services import space_maintain
from tests.fakes.engines import StopSegmenter, WordEmbedder
from tests.integration.memory.dialogues import START, new_session, say
from tests.integration.memory.sentence_graphs import index_wholly

QUERY = RetrievalQuery("Where do I live in Lyon?", asked_at=START + timedelta(days=9), asked_by="Ana")
FACT = {"sentence": 1, "quote": "I live in Lyon", "subject": "Ana", "predicate": "livesIn", "object": "Lyon"}
RULES = (
    {"when": "summary as the JSON object", "reply": {"summary": "Ana lives in Lyon and likes its rivers."}},
    {
        "when": r"1\. Ana: I live in Lyon",
        "reply": {"facts": [FACT], "statement": [{"sentence": "Ana lives in Lyon.", "rests_on": 1}]},
    },
    {"when": "as the JSON object", "reply": {"facts": [], "statement": [], "conflicts": []}},
)
CALLED = {
    "bm25": set(),
    "dense": set(),
    "mem0": {"extract_facts", "write_statement"},
    "mem0_graph": {"extract_facts"},
    "a_mem": {"extract_facts"},
    "mem_tree": {"summarise"},
    "raptor": {"summarise"},
    "graph_rag": {"extract_facts"},
    "magma": {"extract_facts"},
    "sentence_graph": set(),
    "fused": set(),
    "knowledge_graph": {"extract_facts"},
}


@pytest.mark.django_db
@pytest.mark.parametrize("name", RECALLS)
def test_a_space_is_asked_by_its_own_index_and_graph(name: str, space, extractor) -> None:
    say(new_session(space), "I live in Lyon.", "Rivers are loud when it rains.")
    space_maintain(space_id=space.pk)
    index_wholly(space)
    memory = make_recall(name, backbones.space_said(space.pk))
    [found, *_] = memory.retrieve(QUERY, limit=3)
    assert (found.text, found.speaker, len(found.sentence_ids)) == (
        "Ana lives in Lyon." if name == "knowledge_graph" else "I live in Lyon.",
        "Ana",
        1,
    )
    assert memory.size == (1 if name == "knowledge_graph" else 4)  # two turns and their replies


@pytest.mark.parametrize("name", BACKBONES)
def test_a_language_model_writes_a_memory_and_its_calls_are_counted(
    name: str, settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text("\n".join(map(json.dumps, RULES)), encoding="utf-8")
    settings.DSMART_ENGINE = f"scripted:{path}"
    monkeypatch.setattr(backbones, "embedder", WordEmbedder)
    monkeypatch.setattr(backbones, "segmenter", StopSegmenter)
    lines = ("I live in Lyon.", "I like the rivers of Lyon.", "I live by the rivers.")
    steps: list[TraceStep] = []

    def kept(new: Sequence[TraceStep]) -> None:
        steps.extend(new)

    with recording(kept):
        memory = make_backbone(name, backbones.backbone_parts(engines.Engine(settings.DSMART_ENGINE)))
        memory.add([Utterance("Ana", Role.USER, text, START) for text in lines])
        found = memory.retrieve(QUERY, limit=9)
    assert any("Lyon" in unit.text for unit in found)
    assert {step.role for step in steps if isinstance(step, ModelCall)} == CALLED[name]
