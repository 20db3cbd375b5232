"""ReAct over a memory (GOAL-MEM, Appendix F; after Yao et al., 2023): thoughts alternate with `Retrieve` and `Finish`.

A malformed thought or action is asked for once more with a reminder, by the player (`prompting.ask_many`).
"""

from dataclasses import dataclass

from memory.core.forward_reasoning.types import CAP, Ending, ForwardAnswer, MemoryActor, Pool, TakenStep
from memory.core.ports import Recall
from memory.core.types import RetrievalQuery


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
