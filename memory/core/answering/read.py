"""Answers from facts without a language model: the answer reader finds the words of a fact that answer best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.core.english.telling_times import tell
from memory.core.english.times import dates_across
from memory.core.fact_lines import on_one_line
from memory.core.ports import AnswerReader
from memory.core.types import MemoryUnit, QuestionOnTurns, ReadAnswer, RetrievalQuery, SaidTurn

NOT_KNOWN = "I don't know"
_ASKS_WHEN = re.compile(r"\bwhen\b", re.IGNORECASE)


@dataclass(frozen=True)
class ReadingFactAnswerer:
    """A `FactAnswerer` by an `AnswerReader`, which reads the first `facts` in the order in which they were said.

    What was proved is not read: it is in the facts. A time that answers "when" is told as the day that its words mean.
    """

    reader: AnswerReader
    facts: int = 20

    def answer(self, query: RetrievalQuery, facts: Sequence[MemoryUnit], *, goal: str = "") -> str:
        read = sorted(facts[: self.facts], key=lambda fact: fact.said_at)
        turns = tuple(SaidTurn(fact.text, fact.speaker) for fact in read)
        [answers] = self.reader.read_many([QuestionOnTurns(query.text, turns)]) if turns else [[]]
        told = zip(read, answers, strict=True)
        fact, best = max(told, key=lambda one: one[1].probability, default=(None, None))
        if fact is None or best is None or best.probability < self.reader.threshold or not best.words.text:
            return NOT_KNOWN
        return (_day(fact, best) if _ASKS_WHEN.search(query.text) else "") or on_one_line(best.words.text)


def _day(fact: MemoryUnit, answer: ReadAnswer) -> str:
    """Return the time that an answer's words mean; "" where they mean none."""
    times = dates_across(fact.text, answer.words.span, said_at=fact.said_at)
    return tell(times[0]) if times else ""
