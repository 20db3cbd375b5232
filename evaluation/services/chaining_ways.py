"""The ways of reasoning that are compared over the same memories: GOAL-MEM, its baselines, and a memory alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from evaluation.core.errors import UnknownName
from memory import bootstrap
from memory.bootstrap import Engine
from memory.bootstrap.roles import (
    ACT_ON_MEMORY,
    ANSWER_FROM_FACTS,
    DECOMPOSE_GOAL,
    GUIDE_MEMORY,
    REFINE_SUBGOALS,
    REFLECT,
    REWRITE_QUERY,
    UNIFY_SUBGOALS,
)
from memory.core.answering.read import NOT_KNOWN
from memory.core.backward_chaining.prover import Prover, proof_of
from memory.core.backward_chaining.types import Ending, GoalDecomposer, ProofQuestion, SubgoalRefiner, SubgoalUnifier
from memory.core.errors import UnparsableReply
from memory.core.forward_reasoning.baselines import alone, query_reformulation, react, self_reflection
from memory.core.forward_reasoning.memguide import memguide
from memory.core.forward_reasoning.types import ForwardAnswer
from memory.core.ports import EntailmentModel, FactAnswerer, Recall
from memory.core.types import RetrievalQuery


@dataclass(frozen=True)
class Reached:
    """What a way came to: an answer, and what it took by metric."""

    answer: str
    took: dict[str, float | None] = field(default_factory=dict)


Way = Callable[[RetrievalQuery, Recall], Reached]


def forward(run: Callable[..., ForwardAnswer], **players: object) -> Way:
    """Return a forward method as a way, played by its roles' players."""

    def reason(question: RetrievalQuery, memory: Recall) -> Reached:
        found = run(question, memory=memory, **players)
        return Reached(found.answer, {"retrievals": found.retrievals, "units": len(found.pool.units)})

    return reason


def backward(
    *,
    decompose: GoalDecomposer,
    unify: SubgoalUnifier,
    refine: SubgoalRefiner,
    answerer: FactAnswerer,
    entailment: EntailmentModel | None = None,
) -> Way:
    """Return GOAL-MEM as a way; what is not proved is not known."""

    def reason(question: RetrievalQuery, memory: Recall) -> Reached:
        asked = ProofQuestion(question.text, question.asked_by, question.asked_at)
        prover = Prover(memory=memory, decompose=decompose, unify=unify, refine=refine, entailment=entailment)
        proof = proof_of(asked, prover)
        if all(one.ending is Ending.UNREADABLE for one in proof.attempts):
            raise UnparsableReply(proof.attempts[-1].detail, reply="")
        answer = answerer.answer(question, proof.facts, goal=proof.goal.sentence) if proof.goal else NOT_KNOWN
        took = asdict(proof.statistics)
        return Reached(answer, {name: took[name] for name in ("retrievals", "units", "breadth", "depth", "subgoals")})

    return reason


# Makers raise `RoleUnplayed` where the engine has nobody for a role.
WAYS: Mapping[str, Callable[[Engine], Way]] = {
    "alone": lambda engine: forward(alone, answerer=engine.player(ANSWER_FROM_FACTS)),
    "query_reformulation": lambda engine: forward(
        query_reformulation, rewriter=engine.player(REWRITE_QUERY), answerer=engine.player(ANSWER_FROM_FACTS)
    ),
    "self_reflection": lambda engine: forward(
        self_reflection, reflector=engine.player(REFLECT), answerer=engine.player(ANSWER_FROM_FACTS)
    ),
    "react": lambda engine: forward(react, actor=engine.player(ACT_ON_MEMORY)),
    "memguide": lambda engine: forward(
        memguide, guide=engine.player(GUIDE_MEMORY), answerer=engine.player(ANSWER_FROM_FACTS)
    ),
    "goal_mem": lambda engine: backward(
        decompose=engine.player(DECOMPOSE_GOAL),
        unify=engine.player(UNIFY_SUBGOALS),
        refine=engine.player(REFINE_SUBGOALS),
        answerer=engine.player(ANSWER_FROM_FACTS),
        entailment=bootstrap.entailment_model(),
    ),
}


def ways_check(names: Sequence[str]) -> None:
    """Raise `UnknownName` unless every name is a way's, and named once."""
    for name in names:
        if name not in WAYS:
            raise UnknownName(f"There is no method {name!r}. Methods: {', '.join(WAYS)}.")
    if len(set(names)) < len(names):
        raise UnknownName("A method is named twice.")
