"""The responder `slsm` without a language model: says what a message changed, asks what is missing, and tells what holds.

A question about what is remembered is answered as `graph` answers it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from conversations.core.responders.deltas import deltas
from conversations.core.responders.graph.rule_based import RuleBasedGraph
from conversations.core.responders.message import questions_in, read_message
from conversations.core.responders.slsm.turning import TaskTurn, task_turn
from conversations.core.responders.slsm.wording import question_about, what_changed, what_holds
from conversations.core.types import Delta, Query, ReplyPart
from memory.core.semantic_state.evidence import EvidenceExtractor
from memory.core.semantic_state.keeping import StateKeeper


@dataclass(frozen=True, kw_only=True)
class RuleBasedSlsm(RuleBasedGraph):
    """Implements `Responder`."""

    name: str = "slsm"
    states: StateKeeper
    extract_evidence: EvidenceExtractor

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        turn = yield from task_turn(query, states=self.states, extractor=self.extract_evidence)
        questions = questions_in(read_message(query.text))
        if not turn.update.changes:
            yield from super().reply(query)
            return
        yield from deltas(standing(turn))
        if questions and turn.target is None:
            yield Delta("\n\n")
            yield from super().reply(replace(query, text=" ".join(questions)))


def standing(turn: TaskTurn) -> str:
    """Return what a message changed, and the one question, or what holds where the message settled something.

    A message that only adds is not answered with everything that is known: the panel shows it.
    """
    changed = what_changed(turn.update)
    if turn.target is not None:
        return f"{changed} {question_about(turn.target)}".strip()
    is_settled = any(change.before is not None for change in turn.update.changes)
    holds = what_holds(turn.update.state) if is_settled else ""
    return f"{changed} Nothing is open. {holds}".strip()
