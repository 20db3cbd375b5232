"""Sentences of all kinds and what is believed of each: how many the built-in engine reads as they are meant."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.adapters.segmenter import SyntokSegmenter
from memory.core.knowledge_graph.extraction.learned.extractor import LearnedExtractor
from memory.core.types import Role, Utterance
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, asserted

FILE = Path(__file__).resolve().parents[4] / "data" / "sentences.jsonl"
# Of the sentences that tell something, and of those that tell nothing, so many are read exactly so.
LEAST_TOLD = 0.78
LEAST_SILENT = 0.88


def believed(extractor: LearnedExtractor, row: dict[str, Any]) -> set[str]:
    """Return what the sentences of a message assert, after what its speaker said and the assistant asked before."""
    speaker, before = row.get("speaker", "Sam"), row.get("before", ())
    context = [
        Utterance(speaker, Role.USER, text, SAID_AT - timedelta(hours=len(before) - place + 1))
        for place, text in enumerate(before)
    ]
    if "asked" in row:
        context.append(Utterance("Assistant", Role.ASSISTANT, row["asked"], SAID_AT - timedelta(minutes=1)))
    said, end = [], 0
    for sentence in SyntokSegmenter().segment_many([row["said"]])[0]:
        breaks = row["said"].count("\n", end, sentence.span.start)
        said.append(Utterance(speaker, Role.USER, sentence.text, SAID_AT, breaks))
        end = sentence.span.end
    return {line for fragment in extractor.extract_many(said, context=context) for line in asserted(fragment.facts)}


def is_read(extractor: LearnedExtractor, row: dict[str, Any]) -> bool:
    found, told = meant(believed(extractor, row)), meant(row["told"])
    return (found == told if row["exactly"] else told <= found) and not found & meant(row.get("not", ()))


def meant(lines: Iterable[str]) -> set[str]:
    """Return what facts mean, whatever their form: what is over was so and is not; a kind and a count follow from a name."""
    found = {line.casefold() for line in lines if "|" not in line and not re.search(r" isA | hasNumberOf", line)}
    return {re.sub(r"^not (.+) likes ", r"\1 dislikes ", re.sub(r"^was ", "not ", line)) for line in found}


@pytest.fixture(scope="module")
def shares(extractor: LearnedExtractor) -> dict[bool, list[bool]]:
    """Of sentences that tell something and of those that tell nothing: whether each is read so."""
    found: dict[bool, list[bool]] = defaultdict(list)
    for line in FILE.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found[bool(row["told"])].append(is_read(extractor, row))
    return found


def test_sentences_are_read_as_they_are_meant(shares: dict[bool, list[bool]]) -> None:
    assert len(shares[True]) > 280
    assert sum(shares[True]) / len(shares[True]) >= LEAST_TOLD


def test_what_tells_nothing_teaches_nothing(shares: dict[bool, list[bool]]) -> None:
    assert len(shares[False]) > 200
    assert sum(shares[False]) / len(shares[False]) >= LEAST_SILENT
