"""The real parser and readers, loaded once for all tests that read English."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from memory.adapters.parser.spacy_parser import SpacyParser
from memory.adapters.readers.reference_reader import OnnxReferenceReader
from memory.core.knowledge_graph.extraction.rule_based import RuleBasedExtractor

PRETRAINED = Path(__file__).resolve().parents[2] / "memory" / "pretrained" / "parser"


@cache
def real_parser() -> SpacyParser:
    return SpacyParser(Path(os.environ.get("DSMART_PARSER") or PRETRAINED))


@cache
def real_references() -> OnnxReferenceReader:
    return OnnxReferenceReader(PRETRAINED.parent / "reference_reader")


@cache
def real_extractor() -> RuleBasedExtractor:
    return RuleBasedExtractor(parser=real_parser())
