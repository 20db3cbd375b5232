"""The roles of forward reasoning by a language model (GOAL-MEM, Appendix F). The prompts are our own; the paper prints none.

Departures from the paper:
- Replies are bound to a schema. Lines "Thought: ..." and "Action: Retrieve[...]" are read too.
- A reply that cannot be read is asked for once more by every method, not by ReAct alone.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, field_validator

from memory.core.english.telling_times import say_day
from memory.core.fact_lines import fact_line, fact_lines, on_one_line
from memory.core.forward_reasoning.types import Gap, Intent, Move, Pool, Reflection, TakenStep
from memory.core.plain_text import has_words
from memory.core.ports import LanguageModel
from memory.core.prompting import UnreadableReply, answer_of, ask_many, parse_json, render_prompt, settled, validated
from memory.core.types import MemoryUnit, RetrievalQuery, SamplingConfig

PROMPTS = Path(__file__).parent / "prompts"
SAMPLING = SamplingConfig(temperature=0.0, max_tokens=1024)
QUERY_LIMIT = 400
ANSWER_LIMIT = 2_000
LINES_LIMIT = 8_000
IN_LINES = re.compile(
    r"^[*_#> \t]*thought[ \d*_]*:(?P<thought>(?s:.*?))"
    r"^[*_#> \t]*action[ \d*_]*:[ *_]*(?P<action>retrieve|finish)\s*\[(?P<words>.*)\]",
    re.IGNORECASE | re.MULTILINE,
)
ReadT = TypeVar("ReadT")


class RewriteReply(BaseModel):
    queries: list[str]


class ReflectionReply(BaseModel):
    rationale: str
    sufficient: bool
    next_query: str


class MoveReply(BaseModel):
    thought: str
    action: Literal["retrieve", "finish"]
    words: str

    @field_validator("action", mode="before")
    @classmethod
    def _in_lower_case(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value


class IntentReply(BaseModel):
    intent: str
    queries: list[str]


class GapReply(BaseModel):
    sufficient: bool
    missing: list[str]
    queries: list[str]


class UnitScore(BaseModel):
    """A score for a memory; `number` counts those that were shown from 1."""

    number: int
    score: float


class ScoresReply(BaseModel):
    scores: list[UnitScore]


@dataclass(frozen=True)
class PromptedQueryRewriter:
    """A `QueryRewriter` that asks a language model."""

    language_model: LanguageModel

    def rewrite(self, question: RetrievalQuery, *, number: int) -> list[str]:
        parse = partial(_queries_of, number=number)
        return _asked(self.language_model, "rewrite_query", question, RewriteReply, parse, number=number)


@dataclass(frozen=True)
class PromptedPoolReflector:
    """A `PoolReflector` that asks a language model."""

    language_model: LanguageModel

    def reflect(self, pool: Pool) -> Reflection:
        return _asked(
            self.language_model,
            "reflect",
            pool.question,
            ReflectionReply,
            lambda reply: Reflection(reply.sufficient, _query(reply.next_query), on_one_line(reply.rationale)),
            facts=fact_lines(pool.units),
            queries="\n".join(pool.queries),
        )


@dataclass(frozen=True)
class PromptedMemoryActor:
    """A `MemoryActor` that asks a language model."""

    language_model: LanguageModel

    def act(self, question: RetrievalQuery, trajectory: Sequence[TakenStep], *, must_finish: bool = False) -> Move:
        prompt = render_prompt(
            PROMPTS / "act.md.j2",
            schema=MoveReply,
            steps="\n\n".join(_step_lines(number, step) for number, step in enumerate(trajectory, start=1)),
            must_finish=must_finish,
            **_question(question),
        )
        [outcome] = ask_many(self.language_model, [prompt], partial(_move_of, must_finish=must_finish), config=SAMPLING)
        return settled(outcome)


@dataclass(frozen=True)
class PromptedMemoryGuide:
    """A `MemoryGuide` that asks a language model."""

    language_model: LanguageModel

    def capture_intent(self, question: RetrievalQuery, *, number: int) -> Intent:
        return _asked(
            self.language_model,
            "capture_intent",
            question,
            IntentReply,
            lambda reply: Intent(on_one_line(reply.intent), tuple(_queries_of(reply, number=number))),
            number=number,
        )

    def find_gap(self, intent: Intent, pool: Pool, *, number: int) -> Gap:
        return _asked(
            self.language_model,
            "find_gap",
            pool.question,
            GapReply,
            lambda reply: Gap(reply.sufficient, _lines(reply.missing), _lines(reply.queries)[:number]),
            intent=intent.description,
            facts=fact_lines(pool.units),
            queries="\n".join(pool.queries),
            number=number,
        )

    def score(self, pool: Pool, slots: Sequence[str]) -> dict[str, float]:
        return _asked(
            self.language_model,
            "score_units",
            pool.question,
            ScoresReply,
            partial(_scores_of, units=pool.units),
            slots="\n".join(slots),
            facts=fact_lines(pool.units),
        )


ReplyT = TypeVar("ReplyT", bound=BaseModel)


def _asked(
    model: LanguageModel,
    name: str,
    question: RetrievalQuery,
    reply_type: type[ReplyT],
    read: Callable[[ReplyT], ReadT],
    **values: object,
) -> ReadT:
    """Return what is read of the reply to a prompt. Raises its `LanguageModelError`."""
    prompt = render_prompt(PROMPTS / f"{name}.md.j2", schema=reply_type, **values, **_question(question))
    [outcome] = ask_many(model, [prompt], lambda text: read(parse_json(text, reply_type)), config=SAMPLING)
    return settled(outcome)


def _question(question: RetrievalQuery) -> dict[str, object]:
    asker = on_one_line(question.asked_by)
    return {"asked_on": say_day(question.asked_at), "question": f"{asker}: {question.text}" if asker else question.text}


def _step_lines(number: int, step: TakenStep) -> str:
    observed = "\n".join(f"- {fact_line(unit)}" for unit in step.observation) or "nothing new"
    taken = f"Thought {number}: {step.move.thought}\nAction {number}: Retrieve[{step.move.words}]"
    return f"{taken}\nObservation {number}:\n{observed}"


def _query(text: str) -> str:
    """Return a query on one line; "" where it has no word."""
    return on_one_line(text)[:QUERY_LIMIT] if has_words(text) else ""


def _lines(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(line for text in texts if (line := _query(text)))


def _queries_of(reply: RewriteReply | IntentReply, *, number: int) -> list[str]:
    queries = _lines(reply.queries)
    if not queries:
        raise UnreadableReply("it has no query.")
    return list(queries[:number])


def _move_of(text: str, *, must_finish: bool) -> Move:
    """Return the move of a reply, which is an object, or else a line "Thought: ..." before one "Action: ..."."""
    found = IN_LINES.search(answer_of(text)[:LINES_LIMIT])
    reply = validated(found.groupdict(), MoveReply) if found else parse_json(text, MoveReply)
    finishes = reply.action == "finish"
    words = on_one_line(reply.words)[:ANSWER_LIMIT] if finishes else _query(reply.words)
    if not has_words(words):
        raise UnreadableReply("the action has no words: Retrieve takes a query, Finish an answer.")
    if must_finish and not finishes:
        raise UnreadableReply("no step is left to retrieve in: the action has to be finish.")
    return Move(on_one_line(reply.thought), words, finishes)


def _scores_of(reply: ScoresReply, *, units: Sequence[MemoryUnit]) -> dict[str, float]:
    scores = {}
    for one in reply.scores:
        if not 0 <= one.score <= 1:
            raise UnreadableReply(f"the score {one.score:g} is not between 0 and 1.")
        if 1 <= one.number <= len(units):
            scores[units[one.number - 1].id] = one.score
    return scores
