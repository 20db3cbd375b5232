"""A language model as AMR parser (D-SMART, Algorithm 1, line 3).

Departures from the paper:
- SPRING's weights may not be used commercially and are no longer maintained. A language model writes AMR less surely: this
  stands in where neither a parsing service nor amrlib is at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel

from memory.core.knowledge_graph.extraction.amr.penman_graphs import InvalidAmr, read_penman
from memory.core.ports import LanguageModel
from memory.core.prompting import UnreadableReply, ask_many, parse_json, render_prompt, settled
from memory.core.types import SamplingConfig

PROMPT = Path(__file__).parent / "prompts" / "write_amr.md.j2"


class WrittenAmr(BaseModel):
    amr: str


@dataclass(frozen=True)
class PromptedAmrConfig:
    """A graph takes about ten tokens a word of its sentence."""

    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=1024))


class PromptedTextToAmr:
    """A `TextToAmr` that asks a language model, once more where the graph is not valid."""

    def __init__(self, language_model: LanguageModel, *, config: PromptedAmrConfig = PromptedAmrConfig()) -> None:
        self._language_model = language_model
        self._config = config

    def parse_many(self, sentences: Sequence[str]) -> list[str]:
        """Return one graph a sentence. Raises the `LanguageModelError` of the first prompt that failed."""
        prompts = [render_prompt(PROMPT, schema=WrittenAmr, sentence=" ".join(text.split())) for text in sentences]
        return list(map(settled, ask_many(self._language_model, prompts, _graph_in, config=self._config.sampling)))


def _graph_in(reply: str) -> str:
    written = parse_json(reply, WrittenAmr).amr.strip()
    try:
        if written:
            read_penman(written)
    except InvalidAmr as error:
        raise UnreadableReply(f"the graph is no valid AMR: {error}") from None
    return written
