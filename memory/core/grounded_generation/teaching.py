"""What a large language model teaches a small one (appendix C): which triples are relevant to a dialogue, and why (Table 10).

Departure from the paper: the triples of one dialogue are judged in one call, each with its reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, Field

from memory.core.errors import LanguageModelError
from memory.core.grounded_generation.selection import NO, YES, dialogue_lines, selection_prompts
from memory.core.ports import LanguageModel
from memory.core.prompting import ask_many, parse_json, render_prompt
from memory.core.types import Message, MessageRole, SamplingConfig

PROMPT = Path(__file__).parent / "prompts" / "teach_selection.md.j2"


@dataclass(frozen=True)
class JudgedTriple:
    """Whether a triple in words is relevant to a dialogue, and why."""

    triple: str
    is_relevant: bool
    reason: str


class JudgedReply(BaseModel):
    fact: int
    reason: str = ""
    relevant: bool


class SelectionReply(BaseModel):
    facts: list[JudgedReply] = Field(min_length=1)


@dataclass(frozen=True)
class TripleTeacher:
    """Asks a language model which triples are relevant, once a dialogue, for several dialogues at once."""

    language_model: LanguageModel
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=2_048))

    def judge_many(
        self, asked: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> list[list[JudgedTriple] | LanguageModelError]:
        """Return for each (dialogue, triples in words) those that were judged, in order, or the error that it met."""
        prompts = [
            render_prompt(PROMPT, schema=SelectionReply, dialogue=dialogue_lines(dialogue), triples=triples)
            for dialogue, triples in asked
        ]
        outcomes = ask_many(self.language_model, prompts, read_judgements, config=self.sampling)
        return [
            outcome if isinstance(outcome, LanguageModelError) else _judged(triples, outcome)
            for (_, triples), outcome in zip(asked, outcomes, strict=True)
        ]


def read_judgements(reply: str) -> list[JudgedReply]:
    return parse_json(reply, SelectionReply).facts


def _judged(triples: Sequence[str], told: Sequence[JudgedReply]) -> list[JudgedTriple]:
    by_number = {one.fact: one for one in reversed(told)}
    return [
        JudgedTriple(triple, one.relevant, " ".join(one.reason.split()))
        for number, triple in enumerate(triples, start=1)
        if (one := by_number.get(number)) is not None
    ]


def selection_lesson(dialogue: Sequence[str], judged: JudgedTriple) -> list[Message]:
    """Return the chat that teaches to answer the prompt of selection: yes or no first, since that word is read, then why."""
    [prompt] = selection_prompts(dialogue, [judged.triple])
    answer = YES if judged.is_relevant else NO
    return [*prompt.messages, Message(MessageRole.ASSISTANT, f"{answer}. {judged.reason}".removesuffix(". "))]
