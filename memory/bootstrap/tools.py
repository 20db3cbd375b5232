"""The language tools that all engines share, each made once, at first use."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.conf import settings

from memory.adapters.embedder import OnnxEmbedder
from memory.adapters.parser.spacy_parser import SpacyParser
from memory.adapters.segmenter import SyntokSegmenter
from memory.core.ports import Embedder, SentenceSegmenter, SyntacticParser


@cache
def embedder() -> Embedder:
    return OnnxEmbedder(Path(settings.DSMART_MODELS))


@cache
def segmenter() -> SentenceSegmenter:
    return SyntokSegmenter()


@cache
def parser() -> SyntacticParser:
    return SpacyParser(Path(settings.DSMART_PARSER))


def reset() -> None:
    for made in (embedder, segmenter, parser):
        made.cache_clear()
