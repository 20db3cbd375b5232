"""Query reformulation (GOAL-MEM, Appendix F; after Ma et al., 2023): the question is rewritten, and all versions retrieve.

The paper gives five rewrites in its text and three in Equation 8; ADR 31 tells why five are taken.
"""

from dataclasses import dataclass

from memory.core.forward_reasoning.types import CAP, Ending, ForwardAnswer, Pool, QueryRewriter
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
