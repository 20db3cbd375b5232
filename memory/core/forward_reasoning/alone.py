"""A memory backbone alone (GOAL-MEM, section 5): one retrieval by the question's own words, one answer."""

from memory.core.forward_reasoning.types import CAP, Ending, ForwardAnswer, Pool
from memory.core.ports import FactAnswerer, Recall
from memory.core.types import RetrievalQuery


def alone(question: RetrievalQuery, *, memory: Recall, answerer: FactAnswerer) -> ForwardAnswer:
    """Return the answer from the k = 60 units that the question itself finds."""
    pool = Pool(question).widened([question.text], memory=memory, fan_out=CAP)
    return ForwardAnswer(answerer.answer(question, pool.units), pool, Ending.AT_ONCE, calls=1)
