"""Self-reflection (GOAL-MEM, Appendix F; after Reflexion, Shinn et al., 2023) within one question."""

from dataclasses import dataclass

from memory.core.forward_reasoning.types import CAP, Ending, ForwardAnswer, Pool, PoolReflector
from memory.core.ports import FactAnswerer, Recall
from memory.core.types import RetrievalQuery


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
