"""Writes the reply of `graph` with a language model: recalled triples and sentences are notes, data, never instruction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from conversations.core.responders.phrasing import quoted
from conversations.core.responders.recall import Recollection
from conversations.core.types import Query
from memory.core.knowledge_graph.time_expressions import say_day
from memory.core.knowledge_graph.verbalisation import triple_text
from memory.core.ports import LanguageModel
from memory.core.prompting import render_prompt
from memory.core.types import Prompt, Role, SamplingConfig, ScoredSentence, Triple

PROMPT = Path(__file__).parent / "prompts" / "grounded.md.j2"
# Words about known facts leave little to invent.
FAITHFUL = SamplingConfig(temperature=0.2)
_FACT_LIMIT = 30
_SENTENCE_LIMIT = 8
_HISTORY_LIMIT = 6
_TEXT_LIMIT = 1_500


class GroundedWriter:
    """Implements `AnswerWriter` over a language model."""

    def __init__(self, *, language_model: LanguageModel, config: SamplingConfig = FAITHFUL) -> None:
        self._language_model = language_model
        self._config = config

    def write(self, query: Query, found: Sequence[Recollection]) -> Iterator[str]:
        return self._language_model.stream(grounded_prompt(query, found), config=self._config)


def grounded_prompt(query: Query, found: Sequence[Recollection]) -> Prompt:
    """Return the prompt that asks for an answer from what was recalled."""
    return render_prompt(
        PROMPT,
        speaker=query.speaker or "the user",
        today=say_day(query.asked_at),
        facts=[triple_text(triple, asker=query.speaker, at=query.asked_at) for triple in _triples(found)],
        sentences=[quoted(item.sentence, asker=query.speaker) for item in _sentences(found)],
        history=[
            f"{'assistant' if turn.role is Role.ASSISTANT else turn.speaker}: {turn.text[:_TEXT_LIMIT]}"
            for turn in query.history[-_HISTORY_LIMIT:]
        ],
        message=query.text,
    )


def _triples(found: Sequence[Recollection]) -> list[Triple]:
    """Return the triples that answer, then those that led to them, then what else was read, each once."""
    ordered = [
        *(triple for one in found for triple in one.triples),
        *(triple for one in found for triple in one.subject.relation),
        *(triple for one in found for triple in one.all_triples),
    ]
    return list({triple.id: triple for triple in ordered}.values())[:_FACT_LIMIT]


def _sentences(found: Sequence[Recollection]) -> list[ScoredSentence]:
    """Return the supporting sentences, then the nearest, without an assistant's words."""
    ordered = [*(item for one in found for item in one.sentences), *(item for one in found for item in one.nearest)]
    kept = {item.sentence.id: item for item in ordered if item.sentence.role is Role.USER}
    return list(kept.values())[:_SENTENCE_LIMIT]
