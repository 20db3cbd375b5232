"""Policy and value of the reasoning tree by a language model (D-SMART, Figures 11 to 13, Appendix B).

Departures from the paper:
- Replies are bound to a schema, lines as in Figure 11 are read too. The three scores of a rubric are asked for, and their
  mean is computed here: arithmetic is what models do worst, and the paper's weights of 0.33 cannot reach 1.
- Figure 11 proposes ANSWER without words, and Figure 14 writes them. Here the proposal has them: a third wait a level is
  saved, and what is scored is what will be said.
- A sample knows its number, and those behind the first are asked to look for another way. So samples differ under one seed
  as well, and on servers that take neither seed nor temperature. Appendix B draws all from one prompt.
- The last utterances of the dialogue are shown: questions lean on them.
- A reply that cannot be read is not asked for again. That would cost the level a further wait; its node is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from memory.core.errors import LanguageModelError
from memory.core.ports import LanguageModel
from memory.core.prompting import UnreadableReply, render_prompt
from memory.core.reasoning_tree.actions import entities_of
from memory.core.reasoning_tree.presentation import fact_lines, history_lines, trajectory_lines
from memory.core.reasoning_tree.replies import (
    ActionReply,
    AnswerScores,
    StateScores,
    WordsReply,
    action_of,
    quoted,
    score_of,
    storable,
)
from memory.core.reasoning_tree.types import Cost, Proposed, Rejected, Scored, SearchQuery, State
from memory.core.types import Completion, Prompt, SamplingConfig, Triple

PROMPTS = Path(__file__).parent / "prompts"
PROPOSE_ACTION = PROMPTS / "propose_action.md.j2"
SCORE_ANSWER = PROMPTS / "score_answer.md.j2"
SCORE_STATE = PROMPTS / "score_state.md.j2"

ReadT = TypeVar("ReadT")


@dataclass(frozen=True)
class PromptedPolicyConfig:
    """How proposals are drawn. Temperature: D-SMART, Appendix B.

    `history` is how many utterances of the dialogue are shown, `entities` how many names to expand are listed.
    """

    history: int = 6
    entities: int = 40
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.8, max_tokens=2048))


@dataclass(frozen=True)
class PromptedValueConfig:
    """How scores are drawn: greedily (D-SMART, Appendix B)."""

    history: int = 6
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=1024))


class PromptedPolicy:
    """An `ActionPolicy` that asks a language model, one prompt a sample. `render_triple` tells a triple to who asks."""

    def __init__(
        self,
        language_model: LanguageModel,
        *,
        render_triple: Callable[[Triple, SearchQuery], str],
        config: PromptedPolicyConfig = PromptedPolicyConfig(),
    ) -> None:
        self._language_model = language_model
        self._render_triple = render_triple
        self._config = config

    def propose_many(self, query: SearchQuery, states: Sequence[State], *, samples: int) -> list[list[Proposed]]:
        """Return `samples` proposals a state, all asked for at once."""
        prompts = [
            self.prompt(query, state, number=number, samples=samples)
            for state in states
            for number in range(1, samples + 1)
        ]
        read = _asked(self._language_model, prompts, [action_of] * len(prompts), "proposal", self._config.sampling)
        proposed = [Proposed(action, cost) for action, cost in read]
        return [proposed[start : start + samples] for start in range(0, len(proposed), samples)]

    def prompt(self, query: SearchQuery, state: State, *, number: int, samples: int) -> Prompt:
        """Return the prompt for one sample, whose number begins at 1 (the contract of Figure 11)."""
        entities = entities_of(state, query.entries)[: self._config.entities]
        return render_prompt(
            PROPOSE_ACTION,
            schema=ActionReply if query.has_graph else WordsReply,
            has_graph=query.has_graph,
            speaker=query.speaker,
            asked_on=f"{query.asked_at:%A, %Y-%m-%d}",
            question=query.text,
            history=history_lines(query.history, limit=self._config.history),
            facts=fact_lines(state.subgraph, lambda triple: self._render_triple(triple, query)),
            entities="\n".join(f"- {entity.label}" for entity in entities),
            steps=trajectory_lines(state.trajectory),
            number=number,
            samples=samples,
        )


class PromptedValue:
    """A `StateValue` that asks a language model, one prompt a state."""

    def __init__(
        self,
        language_model: LanguageModel,
        *,
        render_triple: Callable[[Triple, SearchQuery], str],
        config: PromptedValueConfig = PromptedValueConfig(),
    ) -> None:
        self._language_model = language_model
        self._render_triple = render_triple
        self._config = config

    def score_many(self, query: SearchQuery, states: Sequence[State]) -> list[Scored]:
        """Return one score a state, all asked for at once: of the answer where it has one, else of the way there."""
        prompts = [self.prompt(query, state) for state in states]
        readers = [partial(score_of, rubric=AnswerScores if state.is_terminal else StateScores) for state in states]
        read = _asked(self._language_model, prompts, readers, "score", self._config.sampling)
        return [Scored(score, cost) for score, cost in read]

    def prompt(self, query: SearchQuery, state: State) -> Prompt:
        """Return the prompt for one state (the rubric of Figure 12 for an answer, of Figure 13 otherwise)."""
        shared = {
            "speaker": query.speaker,
            "asked_on": f"{query.asked_at:%A, %Y-%m-%d}",
            "question": query.text,
            "history": history_lines(query.history, limit=self._config.history),
            "facts": fact_lines(state.subgraph, lambda triple: self._render_triple(triple, query)),
        }
        if state.is_terminal:
            return render_prompt(SCORE_ANSWER, schema=AnswerScores, answer=state.answer, **shared)
        return render_prompt(SCORE_STATE, schema=StateScores, steps=trajectory_lines(state.trajectory), **shared)


def _asked(
    language_model: LanguageModel,
    prompts: Sequence[Prompt],
    readers: Sequence[Callable[[str], ReadT]],
    what: str,
    sampling: SamplingConfig,
) -> list[tuple[ReadT | Rejected, Cost]]:
    """Return what each reply means with its cost, or why it is of no use."""
    outcomes = language_model.complete_many(prompts, config=sampling) if prompts else []
    return [(_read(outcome, read, what), _cost(outcome)) for outcome, read in zip(outcomes, readers, strict=True)]


def _read(outcome: Completion | Exception, read: Callable[[str], ReadT], what: str) -> ReadT | Rejected:
    if isinstance(outcome, LanguageModelError):
        return Rejected(storable(str(outcome)))
    if isinstance(outcome, Exception):
        raise outcome  # A defect of the adapter, no failure of the model.
    try:
        return read(outcome.text)
    except UnreadableReply as error:
        return Rejected(f"The model's {what} could not be used: {error}", quoted(outcome.text))


def _cost(outcome: Completion | Exception) -> Cost:
    if isinstance(outcome, Exception):
        return Cost(calls=1)
    return Cost(1, outcome.prompt_tokens or 0, outcome.completion_tokens or 0)
