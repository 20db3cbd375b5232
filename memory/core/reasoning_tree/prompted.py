"""Policy and value of the reasoning tree by a language model (D-SMART, Figures 11 to 13, Appendix B).

Departures from the paper:
- Replies are bound to a schema, lines as in Figure 11 are read too. The three scores of a rubric are asked for, and their
  mean is computed here: arithmetic is what models do worst, and the paper's weights of 0.33 cannot reach 1.
- Figure 11 proposes ANSWER without words, and Figure 14 writes them. Here the proposal has them: a third wait a level is
  saved, and what is scored is what will be said.
- A sample knows its number, and those behind the first are asked to look for another way. So samples differ under one seed
  as well, and on servers that take neither seed nor temperature. Appendix B draws all from one prompt.
- The last utterances of the dialogue are shown: questions lean on them. Facts come with the sentences that they rest on,
  the sentences nearest to the question come along, and so does what was looked at in vain: a graph never holds all of what
  was said. Names come with what they are.
- All texts of a search stand between the same marks, so that a server finds the beginning of a prompt in its cache.
- Where nothing can be looked at, or only an answer is left, one sample is drawn.
- A reply that cannot be read is not asked for again. That would cost the level a further wait; its node is dropped.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from memory.core.errors import LanguageModelError
from memory.core.plain_text import storable
from memory.core.ports import LanguageModel
from memory.core.prompting import UnreadableReply, mark_of, render_prompt
from memory.core.reasoning_tree.actions import entities_of
from memory.core.reasoning_tree.presentation import (
    fact_lines,
    history_lines,
    in_vain_lines,
    on_one_line,
    said_lines,
    trajectory_lines,
)
from memory.core.reasoning_tree.replies import (
    ActionReply,
    AnswerScores,
    StateScores,
    WordsReply,
    action_of,
    quoted,
    score_of,
)
from memory.core.reasoning_tree.types import Cost, Proposed, Rejected, Scored, SearchQuery, State
from memory.core.types import Completion, Entity, Prompt, SamplingConfig, Triple

PROMPTS = Path(__file__).parent / "prompts"
PROPOSE_ACTION = PROMPTS / "propose_action.md.j2"
SCORE_STATE = PROMPTS / "score_state.md.j2"

ReadT = TypeVar("ReadT")
RenderTriple = Callable[[Triple, SearchQuery], str]
# Returns what an entity is by the triples at hand ("your brother"), or nothing.
DescribeEntity = Callable[[Entity, Sequence[Triple], SearchQuery], str]


def undescribed(entity: Entity, known: Sequence[Triple], query: SearchQuery) -> str:
    return ""


@dataclass(frozen=True)
class PromptedPolicyConfig:
    """How proposals are drawn. Temperature: D-SMART, Appendix B. `entities` is how many names to expand are listed."""

    entities: int = 40
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.8, max_tokens=2048))


@dataclass(frozen=True)
class PromptedValueConfig:
    """How scores are drawn: greedily (D-SMART, Appendix B)."""

    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=1024))


@dataclass(frozen=True)
class PromptedPolicy:
    """An `ActionPolicy` that asks a language model, one prompt a sample. `render_triple` tells a triple to who asks."""

    language_model: LanguageModel
    render_triple: RenderTriple
    describe: DescribeEntity = undescribed
    config: PromptedPolicyConfig = PromptedPolicyConfig()

    def propose_many(self, query: SearchQuery, states: Sequence[State], *, samples: int) -> list[list[Proposed]]:
        """Return `samples` proposals a state, one where it can only answer, all asked for at once."""
        counts = [1 if _can_only_answer(query, state) else samples for state in states]
        prompts = [
            self.prompt(query, state, number=number, samples=count)
            for state, count in zip(states, counts, strict=True)
            for number in range(1, count + 1)
        ]
        read = iter(_asked(self.language_model, prompts, [action_of] * len(prompts), "proposal", self.config.sampling))
        return [[Proposed(action, cost) for action, cost in islice(read, count)] for count in counts]

    def prompt(self, query: SearchQuery, state: State, *, number: int, samples: int) -> Prompt:
        """Return the prompt for one sample, whose number begins at 1 (the contract of Figure 11)."""
        return render_prompt(
            PROPOSE_ACTION,
            schema=ActionReply if query.has_graph else WordsReply,
            has_graph=query.has_graph,
            must_answer=query.must_answer,
            entities="\n".join(f"- {name}" for name in self._names(query, state)),
            number=number,
            samples=samples,
            **_question(query),
            **_known(query, state, self.render_triple),
        )

    def _names(self, query: SearchQuery, state: State) -> list[str]:
        """Return the names that can be looked at, with what they are."""
        known = (*state.subgraph, *query.near)
        return [
            f"{entity.label} ({what})" if (what := on_one_line(self.describe(entity, known, query))) else entity.label
            for entity in entities_of(state, query.entries)[: self.config.entities]
        ]


@dataclass(frozen=True)
class PromptedValue:
    """A `StateValue` that asks a language model, one prompt a state."""

    language_model: LanguageModel
    render_triple: RenderTriple
    config: PromptedValueConfig = PromptedValueConfig()

    def score_many(self, query: SearchQuery, states: Sequence[State]) -> list[Scored]:
        """Return one score a state, all asked for at once: of the answer where it has one, else of the way there."""
        prompts = [self.prompt(query, state) for state in states]
        readers = [partial(score_of, rubric=_rubric(state)) for state in states]
        read = _asked(self.language_model, prompts, readers, "score", self.config.sampling)
        return [Scored(score, cost) for score, cost in read]

    def prompt(self, query: SearchQuery, state: State) -> Prompt:
        """Return the prompt for one state (the rubric of Figure 12 for an answer, of Figure 13 otherwise)."""
        return render_prompt(
            SCORE_STATE,
            schema=_rubric(state),
            answer=state.answer,
            **_question(query),
            **_known(query, state, self.render_triple),
        )


def _rubric(state: State) -> type[AnswerScores] | type[StateScores]:
    return AnswerScores if state.is_terminal else StateScores


def _can_only_answer(query: SearchQuery, state: State) -> bool:
    """Return whether an answer is all that is left: at the end, and where a memory has nothing to look at."""
    has_nothing = query.has_graph and not (query.said or entities_of(state, query.entries))
    return query.must_answer or has_nothing


def _question(query: SearchQuery) -> dict[str, str]:
    """Return what all prompts of a search begin with."""
    return {
        "mark": mark_of(query.asked_at, query.speaker, query.text),
        "speaker": query.speaker,
        "asked_on": f"{query.asked_at:%A, %Y-%m-%d}",
        "question": query.text,
        "history": history_lines(query.history),
    }


def _known(query: SearchQuery, state: State, render_triple: RenderTriple) -> dict[str, str]:
    """Return what a state knows and how it came to."""
    return {
        "facts": fact_lines(state.subgraph, lambda triple: render_triple(triple, query), asker=query.speaker),
        "said": said_lines(query.said, asker=query.speaker, facts=state.subgraph),
        "steps": trajectory_lines(state.trajectory),
        "in_vain": in_vain_lines(state.in_vain),
    }


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
