"""The baselines that reason forwards over a memory (GOAL-MEM, section 5 and Appendix F).

- A memory backbone alone: one retrieval by the question's own words, one answer.
- Query reformulation (after Ma et al., 2023): the question is rewritten, and all versions retrieve. The paper gives five
  rewrites in its text and three in Equation 8; ADR 31 tells why five are taken.
- Self-reflection (after Reflexion, Shinn et al., 2023) within one question.
- ReAct (after Yao et al., 2023): thoughts alternate with `Retrieve` and `Finish`. A malformed thought or action is asked for
  once more with a reminder, by the player (`prompting.ask_many`).
"""

from dataclasses import dataclass

from memory.core.forward_reasoning.types import (
    CAP,
    Ending,
    ForwardAnswer,
    MemoryActor,
    Pool,
    PoolReflector,
    QueryRewriter,
    TakenStep,
)
from memory.core.ports import FactAnswerer, Recall
from memory.core.types import RetrievalQuery


@dataclass(frozen=True)
class QueryReformulationConfig:
    """`rewrites` is n_qr; the cap is shared among these and the question."""

    rewrites: int = 5

    @property
    def fan_out(self) -> int:
        return CAP // (1 + self.rewrites)


def query_reformulation(
    question: RetrievalQuery,
    *,
    memory: Recall,
    rewriter: QueryRewriter,
    answerer: FactAnswerer,
    config: QueryReformulationConfig = QueryReformulationConfig(),
) -> ForwardAnswer:
    """Return the answer from what Q = {u_t} ∪ Rewrite(u_t) finds (Equation 8)."""
    rewrites = rewriter.rewrite(question, number=config.rewrites)
    queries = Pool(question).unasked([question.text, *rewrites])
    pool = Pool(question).widened(queries, memory=memory, fan_out=config.fan_out)
    return ForwardAnswer(answerer.answer(question, pool.units), pool, Ending.AT_ONCE, calls=2)


def alone(question: RetrievalQuery, *, memory: Recall, answerer: FactAnswerer) -> ForwardAnswer:
    """Return the answer from the k = 60 units that the question itself finds."""
    pool = Pool(question).widened([question.text], memory=memory, fan_out=CAP)
    return ForwardAnswer(answerer.answer(question, pool.units), pool, Ending.AT_ONCE, calls=1)


@dataclass(frozen=True)
class SelfReflectionConfig:
    """`turns` is T_max^sr; the cap is shared among the question and a query of each turn."""

    turns: int = 5

    @property
    def fan_out(self) -> int:
        return CAP // (1 + self.turns)


def self_reflection(
    question: RetrievalQuery,
    *,
    memory: Recall,
    reflector: PoolReflector,
    answerer: FactAnswerer,
    config: SelfReflectionConfig = SelfReflectionConfig(),
) -> ForwardAnswer:
    """Return the answer from a pool that grows by a query a turn, until it suffices or nothing makes it grow."""
    pool = Pool(question).widened([question.text], memory=memory, fan_out=config.fan_out)
    ending = Ending.LIMIT
    turn = 0
    while turn < config.turns and ending is Ending.LIMIT:
        turn += 1
        reflection = reflector.reflect(pool)
        queries = pool.unasked([reflection.next_query] if reflection.next_query else [])
        if reflection.is_sufficient:
            ending = Ending.SUFFICIENT
        elif not queries:
            ending = Ending.NO_QUERY
        else:
            wider = pool.widened(queries, memory=memory, fan_out=config.fan_out)
            ending = ending if len(wider.units) > len(pool.units) else Ending.NOTHING_NEW
            pool = wider
    return ForwardAnswer(answerer.answer(question, pool.units), pool, ending, calls=turn + 1)


@dataclass(frozen=True)
class ReactConfig:
    """`steps` is S_max^react; the cap is shared among a retrieval of each step."""

    steps: int = 5

    @property
    def fan_out(self) -> int:
        return CAP // self.steps


def react(
    question: RetrievalQuery, *, memory: Recall, actor: MemoryActor, config: ReactConfig = ReactConfig()
) -> ForwardAnswer:
    """Return the answer that the trajectory finishes with; at the step limit it has to finish from what was observed."""
    pool = Pool(question)
    trajectory: tuple[TakenStep, ...] = ()
    while len(trajectory) < config.steps:
        move = actor.act(question, trajectory)
        if move.finishes:
            return ForwardAnswer(move.words, pool, Ending.FINISHED, calls=len(trajectory) + 1)
        wider = pool.widened([move.words], memory=memory, fan_out=config.fan_out)
        trajectory = (*trajectory, TakenStep(move, wider.units[len(pool.units) :]))
        pool = wider
    forced = actor.act(question, trajectory, must_finish=True)
    return ForwardAnswer(forced.words, pool, Ending.LIMIT, calls=len(trajectory) + 1)
