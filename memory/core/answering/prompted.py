"""Answers from facts by a language model: the one answer prompt of all methods (GOAL-MEM, Appendix F and section 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from memory.core.english.telling_times import say_day
from memory.core.fact_lines import fact_lines, on_one_line
from memory.core.plain_text import has_words
from memory.core.ports import LanguageModel
from memory.core.prompting import UnreadableReply, ask_many, parse_json, render_prompt, settled
from memory.core.types import MemoryUnit, RetrievalQuery, SamplingConfig

PROMPT = Path(__file__).parent / "prompts" / "answer_from_facts.md.j2"
SAMPLING = SamplingConfig(temperature=0.0, max_tokens=1024)
LONGEST = 2_000


class AnswerReply(BaseModel):
    answer: str


@dataclass(frozen=True)
class PromptedFactAnswerer:
    """A `FactAnswerer` that asks a language model once, and once more where its reply cannot be read."""

    language_model: LanguageModel

    def answer(self, query: RetrievalQuery, facts: Sequence[MemoryUnit], *, goal: str = "") -> str:
        asker = on_one_line(query.asked_by)
        prompt = render_prompt(
            PROMPT,
            schema=AnswerReply,
            facts=fact_lines(facts),
            goal=goal,
            question=f"{asker}: {query.text}" if asker else query.text,
            asked_on=say_day(query.asked_at),
        )
        [outcome] = ask_many(self.language_model, [prompt], _answer_of, config=SAMPLING)
        return settled(outcome)


def _answer_of(text: str) -> str:
    answer = on_one_line(parse_json(text, AnswerReply).answer)[:LONGEST]
    if not has_words(answer):
        raise UnreadableReply("the answer has no words.")
    return answer
