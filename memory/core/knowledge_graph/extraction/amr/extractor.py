"""Extraction through Abstract Meaning Representations: the paper's own path (D-SMART, KGE, Algorithm 1, lines 1 to 6).

Departures from the paper:
- It reads each sentence of a user rather than a distilled statement, so that every fact keeps the words it came from.
- A third step follows AMR and RDF: the lifting of events into properties, without which nothing could clash.
- Word senses are linked later, over the stored graph.
- A graph that is no valid Penman is an error, and not a sentence without facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.core.errors import UnparsableReply
from memory.core.knowledge_graph.extraction.amr.lifting import lift
from memory.core.knowledge_graph.extraction.amr.penman_graphs import InvalidAmr, read_penman
from memory.core.knowledge_graph.extraction.amr.rdf import amr_to_rdf
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.types import Fact, GraphFragment, Utterance


class TextToAmr(Protocol):
    """The port of the AMR parser (D-SMART, Algorithm 1, line 3)."""

    def parse_many(self, sentences: Sequence[str]) -> list[str]:
        """Return one graph in Penman notation a sentence, empty where the sentence has none.

        Raises a `LanguageModelError` where the parser fails.
        """


@dataclass(frozen=True)
class AmrExtractionConfig:
    """`confidence` stands under that of the other extractors: two steps may err, and words and graph are matched again."""

    confidence: float = 0.8


class AmrExtractor:
    """A `KnowledgeExtractor` over an AMR parser."""

    def __init__(self, *, text_to_amr: TextToAmr, config: AmrExtractionConfig = AmrExtractionConfig()) -> None:
        self._text_to_amr = text_to_amr
        self._config = config

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        """Return one fragment a sentence, empty for what is no speech of a user's. Raises `LanguageModelError`."""
        own = own_words([*context, *sentences])[len(context) :]
        texts = [said.text for said, is_own in zip(sentences, own, strict=True) if is_own]
        graphs = iter(self._text_to_amr.parse_many(texts) if texts else [])
        return [
            GraphFragment(self._facts(said, next(graphs)) if is_own else ())
            for said, is_own in zip(sentences, own, strict=True)
        ]

    def _facts(self, said: Utterance, penman_text: str) -> tuple[Fact, ...]:
        if not penman_text.strip():
            return ()
        try:
            amr = read_penman(penman_text)
        except InvalidAmr as error:
            raise UnparsableReply(f"The AMR parser's graph cannot be read: {error}", reply=penman_text) from None
        return lift(amr_to_rdf(amr), said, confidence=self._config.confidence)
