"""The responder `goal_mem` with a language model (GOAL-MEM, Algorithm 1, section 4.4).

Each question of a message is proved by backward chaining over a memory backbone, its roles prompted. The reply is then
written from the grounded goals and the facts that support them, and from nothing else.

Departures from the paper:

- What is not proved is not answered: the reply says what stayed unknown. Where nothing is proved, no model writes it.
- A message that asks nothing is replied to without a search, for there is nothing to prove.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conversations.core.responders.deltas import FAITHFUL, deltas, streamed
from conversations.core.responders.goal_mem.proving import grounds_of, not_known, proofs_of, questions_of
from conversations.core.responders.message import read_line, read_message
from conversations.core.responders.writing import UTTERANCE, Material, written
from conversations.core.tracing.proof import missing_in
from conversations.core.types import Query, ReplyPart, Stage
from memory.core.backward_chaining.prover import Prover, ProverConfig
from memory.core.backward_chaining.types import GoalDecomposer, Proof, SubgoalRefiner, SubgoalUnifier
from memory.core.english.telling_times import say_day
from memory.core.fact_lines import fact_line
from memory.core.ports import EntailmentModel, LanguageModel, Recall, SentenceReader
from memory.core.prompting import render_prompt
from memory.core.reasoning_tree.presentation import history_lines
from memory.core.types import Prompt

PROMPT = Path(__file__).parent / "prompts" / "answer.md.j2"


@dataclass(frozen=True, kw_only=True)
class PromptedGoalMem:
    """Implements `Responder`."""

    name: str = "goal_mem"
    recall: Recall
    memory: SentenceReader
    decompose_goal: GoalDecomposer
    unify_subgoals: SubgoalUnifier
    refine_subgoals: SubgoalRefiner
    write_answer: LanguageModel
    entailment: EntailmentModel | None
    config: ProverConfig = field(default_factory=ProverConfig)

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        pieces = read_message(query.text)
        yield Stage("read", read_line(pieces))
        questions = questions_of(query, pieces)
        if not questions:
            yield from written(query, Material(), write_answer=self.write_answer)
            return
        prover = Prover(
            memory=self.recall,
            decompose=self.decompose_goal,
            unify=self.unify_subgoals,
            refine=self.refine_subgoals,
            entailment=self.entailment,
            config=self.config,
        )
        proofs = yield from proofs_of(questions, query, prover=prover)
        if not any(proof.proved for proof in proofs):
            yield from deltas(not_known(proofs))
            return
        yield from grounds_of(proofs, self.memory)
        yield Stage("write", "writing the reply")
        yield from streamed(self.write_answer.stream(answer_prompt(query, proofs), config=FAITHFUL))


def answer_prompt(query: Query, proofs: Sequence[Proof]) -> Prompt:
    """Return the prompt for a reply from grounded goals and the facts that support them."""
    facts = {fact.id: fact for proof in proofs for fact in proof.facts}
    bridges = (one.bridge for proof in proofs if proof.proved for one in proof.proved.grounded if one.bridge)
    return render_prompt(
        PROMPT,
        today=say_day(query.asked_at),
        speaker=query.speaker or "the user",
        proved="\n".join(f"- {proof.goal.sentence}" for proof in proofs if proof.goal is not None),
        facts="\n".join(f"- {fact_line(fact)}" for fact in facts.values()),
        bridges="\n".join(f"- {one}" for one in dict.fromkeys(bridges)),
        missing="\n".join(f"- {one}" for proof in proofs for one in missing_in(proof)),
        history=history_lines(query.history, longest=UTTERANCE),
        message=query.text,
    )
