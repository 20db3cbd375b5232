"""Goal decomposition, unification and refinement by a language model (GOAL-MEM, Equations 2, 4 and 6, Appendix I).

Departures from the paper:
- Replies are bound to a schema: subgoals and facts are cited by number, values are bound to variables by name. The paper's
  are lines of prose, which cannot be verified before somebody has read them.
- The goal is parsed in the call that takes it apart: a goal alone tells nobody what to look for.
- Each subgoal comes with words to look for it, in decomposition as in refinement: memories are said otherwise than logic.
- Unification does not answer the question, and names the step of common knowledge that it takes where the facts alone do not
  hold a value ("Stamford is in Connecticut"). What it returns is verified by the prover.
- Of values that changed, the last one said that holds at the time asked about counts; the paper calls all such a conflict.
- A refinement reply holds the antecedents of all open subgoals. A constant in one that nobody mentioned drops it.
- A reply that cannot be read is not asked for again: the calls of a proof stay within 1 + B(2 + 2D). Its attempt ends.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from memory.core.backward_chaining.nl_logic import Constant, types_of
from memory.core.backward_chaining.replies import (
    DecompositionReply,
    RefinementReply,
    UnificationReply,
    decomposition_of,
    refinement_of,
    unification_of,
)
from memory.core.backward_chaining.types import (
    Antecedent,
    Attempt,
    Decomposition,
    ProofQuestion,
    Refinement,
    RefinementTask,
    Unification,
    UnificationTask,
)
from memory.core.english.telling_times import say_day
from memory.core.english.times import dates_in
from memory.core.fact_lines import fact_lines, on_one_line
from memory.core.grounding import Grounds
from memory.core.ports import LanguageModel
from memory.core.prompting import ask_once, mark_of, render_prompt
from memory.core.types import Prompt, SamplingConfig, Utterance

PROMPTS = Path(__file__).parent / "prompts"
DECOMPOSE_GOAL = PROMPTS / "decompose_goal.md.j2"
UNIFY_SUBGOALS = PROMPTS / "unify_subgoals.md.j2"
REFINE_SUBGOALS = PROMPTS / "refine_subgoals.md.j2"


@dataclass(frozen=True)
class PromptedChainingConfig:
    """`subgoals` is how many a goal may be taken apart into.

    Of the dialogue the last `utterances` are shown, each cut to `longest_utterance` characters.
    """

    subgoals: int = 6
    utterances: int = 6
    longest_utterance: int = 600
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=2048))


@dataclass(frozen=True)
class PromptedGoalDecomposer:
    """A `GoalDecomposer` that asks a language model."""

    language_model: LanguageModel
    config: PromptedChainingConfig = PromptedChainingConfig()

    def decompose(self, question: ProofQuestion, *, earlier: Sequence[Decomposition]) -> Decomposition | None:
        """Return a decomposition unlike the earlier ones; None where the model sees no other.

        Raises `LanguageModelError` and `NotLogic`.
        """
        read = partial(decomposition_of, first=earlier[0] if earlier else None, most=self.config.subgoals)
        return ask_once(self.language_model, self.prompt(question, earlier), read, config=self.config.sampling)

    def prompt(self, question: ProofQuestion, earlier: Sequence[Decomposition]) -> Prompt:
        """Return the prompt for a first decomposition, or for one after others (Appendix I.1)."""
        shown = question.history[-self.config.utterances :]
        return render_prompt(
            DECOMPOSE_GOAL,
            schema=DecompositionReply,
            most=self.config.subgoals,
            history="\n".join(_utterance(one, longest=self.config.longest_utterance) for one in shown),
            earlier="\n".join(str(one.rule) for one in earlier),
            **_asked(question),
        )


@dataclass(frozen=True)
class PromptedSubgoalUnifier:
    """A `SubgoalUnifier` that asks a language model, once for all open subgoals and facts."""

    language_model: LanguageModel
    config: PromptedChainingConfig = PromptedChainingConfig()

    def unify(self, task: UnificationTask) -> Unification:
        """Return the unifiers that the model proposes; none, without a call, where nothing was retrieved.

        Raises `LanguageModelError`.
        """
        if not task.facts:
            return Unification()
        return ask_once(self.language_model, self.prompt(task), unification_of, config=self.config.sampling)

    def prompt(self, task: UnificationTask) -> Prompt:
        """Return the prompt for all open subgoals (Appendix I.2)."""
        return render_prompt(
            UNIFY_SUBGOALS,
            schema=UnificationReply,
            subgoals="\n".join(f"{one.number}. {one.atom}" for one in task.subgoals),
            **_held(task.attempt),
            **_asked(task.question),
        )


@dataclass(frozen=True)
class PromptedSubgoalRefiner:
    """A `SubgoalRefiner` that asks a language model, once for all open subgoals of a frontier."""

    language_model: LanguageModel
    config: PromptedChainingConfig = PromptedChainingConfig()

    def refine(self, task: RefinementTask) -> Refinement:
        """Return at most one antecedent an open subgoal, without those that name what nobody mentioned.

        Raises `LanguageModelError` and `NotLogic`.
        """
        known = tuple(one.atom for one in task.attempt.subgoals)
        read = partial(refinement_of, known=known)
        found = ask_once(self.language_model, self.prompt(task), read, config=self.config.sampling)
        mentioned = Grounds(_mentioned(task))
        invented = {one: _invented(one, mentioned, task.question) for one in found.antecedents}
        kept = tuple(one for one, names in invented.items() if not names)
        if kept or not invented:
            return replace(found, antecedents=kept)
        names = ", ".join(name for one in invented.values() for name in one)
        return Refinement(why_stopped=f"It would look for {names}, which nobody mentioned.")

    def prompt(self, task: RefinementTask) -> Prompt:
        """Return the prompt for all open subgoals of a frontier (Appendix I.3)."""
        return render_prompt(
            REFINE_SUBGOALS,
            schema=RefinementReply,
            subgoals="\n".join(
                f"{one.number}. {one.atom}: {task.unresolved.get(one.number, 'No fact says it.')}"
                for one in task.subgoals
            ),
            sought="\n".join(f"- {one.sought}" for one in task.attempt.subgoals),
            **_held(task.attempt),
            **_asked(task.question),
        )


def _asked(question: ProofQuestion) -> dict[str, str]:
    """Return what all prompts of a search share."""
    return {
        "mark": mark_of(question.asked_at, question.asker, question.text),
        "asker": on_one_line(question.asker),
        "asked_on": f"{question.asked_at:%A}, {say_day(question.asked_at)}",
        "question": question.text,
    }


def _held(attempt: Attempt) -> dict[str, str]:
    """Return what an attempt seeks to show, has values for, has shown and was told."""
    goal = attempt.decomposition.goal if attempt.decomposition is not None else ""
    return {
        "goal": str(goal),
        "variables": "\n".join(_variables(attempt)),
        "grounded": "\n".join(f"- {one.atom}" for one in attempt.grounded),
        "facts": fact_lines(attempt.memory),
    }


def _variables(attempt: Attempt) -> Iterable[str]:
    """Yield each variable with its type and its value."""
    for name, type in types_of(one.atom for one in attempt.subgoals).items():
        value = attempt.substitution.get(name)
        known = f' is "{value.text}"' if isinstance(value, Constant) else " has no value yet"
        yield f"- {name}{f' ({type})' if type else ''}{known}"


def _utterance(said: Utterance, *, longest: int) -> str:
    return f"{on_one_line(said.speaker)} ({said.role}): {_cut(on_one_line(said.text), longest)}"


def _mentioned(task: RefinementTask) -> Iterable[str]:
    """Yield the words of the question, of the dialogue before it, and of all that was found."""
    yield from (task.question.text, task.question.asker)
    for said in task.question.history:
        yield from (said.text, said.speaker)
    for unit in task.attempt.memory:
        yield from (unit.text, unit.speaker)
    yield from (one.atom.sentence for one in task.attempt.subgoals)
    yield from (one.atom.sentence for one in task.attempt.grounded)


def _invented(antecedent: Antecedent, mentioned: Grounds, question: ProofQuestion) -> list[str]:
    """Return the constants of an antecedent with a name or a number that nobody mentioned; dates may be worked out."""
    return [
        term.text
        for term in antecedent.atom.terms
        if isinstance(term, Constant)
        and mentioned.strangers(f"by {term.text}")
        and not dates_in(term.text, said_at=question.asked_at)
    ]


def _cut(text: str, limit: int) -> str:
    return f"{text[:limit]}…" if len(text) > limit else text
