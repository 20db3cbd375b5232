"""MemGuide over any memory (GOAL-MEM, Appendix F; after Du et al., 2026): intent first, then missing slots, then a filter.

Departures from the paper:
- Candidates and selected units have one cap, so that the filter, as printed, drops nothing: it orders.
- The judge scores the units of a pool in one call, and leaves out those that bear on nothing; they score 0.
- How the cap is distributed is not told: half of it goes to the intent's queries, half to the rounds (ADR 31).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.core.forward_reasoning.types import CAP, Ending, ForwardAnswer, MemoryGuide, Pool
from memory.core.ports import FactAnswerer, Recall
from memory.core.types import MemoryUnit, RetrievalQuery


@dataclass(frozen=True)
class MemGuideConfig:
    """n_intent, F_max^mg, R_max^mg and λ of Appendix F."""

    intent_queries: int = 5
    follow_ups: int = 5
    rounds: int = 3
    weight: float = 0.7

    @property
    def fan_out(self) -> int:
        """How many units a query of the intent finds."""
        return CAP // 2 // (1 + self.intent_queries)

    @property
    def follow_up_fan_out(self) -> int:
        return CAP // 2 // (self.follow_ups * self.rounds)


def memguide(
    question: RetrievalQuery,
    *,
    memory: Recall,
    guide: MemoryGuide,
    answerer: FactAnswerer,
    config: MemGuideConfig = MemGuideConfig(),
) -> ForwardAnswer:
    """Return the answer from what intent and missing slots led to, in the order of the slot-guided filter."""
    intent = guide.capture_intent(question, number=config.intent_queries)
    queries = Pool(question).unasked([question.text, *intent.queries])
    pool = Pool(question).widened(queries, memory=memory, fan_out=config.fan_out)
    slots: tuple[str, ...] = ()
    ending = Ending.LIMIT
    rounds = 0
    while rounds < config.rounds and ending is Ending.LIMIT:
        rounds += 1
        gap = guide.find_gap(intent, pool, number=config.follow_ups)
        slots = tuple(dict.fromkeys([*slots, *gap.slots]))
        follow_ups = pool.unasked(gap.queries)
        if gap.is_sufficient:
            ending = Ending.SUFFICIENT
        elif not follow_ups:
            ending = Ending.NO_QUERY
        else:
            wider = pool.widened(follow_ups, memory=memory, fan_out=config.follow_up_fan_out)
            ending = ending if len(wider.units) > len(pool.units) else Ending.NOTHING_NEW
            pool = wider
    selected = slot_guided(pool.units, guide.score(pool, slots) if pool.units else {}, weight=config.weight)
    calls = 2 + rounds + bool(pool.units)
    return ForwardAnswer(answerer.answer(question, selected), pool, ending, calls=calls)


def slot_guided(units: Sequence[MemoryUnit], scores: Mapping[str, float], *, weight: float) -> tuple[MemoryUnit, ...]:
    """Return units by s(f) = λ s_LLM(f) + (1 - λ) s_ret(f), best first (Equation 10).

    s_ret falls evenly from 1 for the unit that was found first.
    """
    combined = {
        unit.id: weight * scores.get(unit.id, 0.0) + (1 - weight) * (1 - place / len(units))
        for place, unit in enumerate(units)
    }
    return tuple(sorted(units, key=lambda unit: -combined[unit.id]))
