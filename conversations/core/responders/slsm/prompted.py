"""The responder `slsm` with a language model, which writes under the state, the plan and the constraints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conversations.core.responders.deltas import FAITHFUL, streamed
from conversations.core.responders.slsm.turning import TaskTurn, task_turn
from conversations.core.responders.slsm.wording import fallen_lines, question_about, state_lines
from conversations.core.responders.writing import UTTERANCE
from conversations.core.types import Query, ReplyPart, Stage
from memory.core.english.telling_times import say_day
from memory.core.ports import LanguageModel
from memory.core.prompting import render_prompt
from memory.core.reasoning_tree.presentation import history_lines
from memory.core.semantic_state.evidence import EvidenceExtractor
from memory.core.semantic_state.keeping import StateKeeper
from memory.core.types import Prompt

PROMPT = Path(__file__).parent / "prompts" / "answer.md.j2"


@dataclass(frozen=True, kw_only=True)
class PromptedSlsm:
    """Implements `Responder`."""

    name: str = "slsm"
    states: StateKeeper
    extract_evidence: EvidenceExtractor
    write_answer: LanguageModel

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        turn = yield from task_turn(query, states=self.states, extractor=self.extract_evidence)
        yield Stage("write", "writing the reply")
        yield from streamed(self.write_answer.stream(answer_prompt(query, turn), config=FAITHFUL))


def answer_prompt(query: Query, turn: TaskTurn) -> Prompt:
    """Return the prompt for a reply under a state."""
    return render_prompt(
        PROMPT,
        today=say_day(query.asked_at),
        speaker=query.speaker or "the user",
        state=state_lines(turn.update.state),
        fallen="\n".join(f"- {one}" for one in fallen_lines(turn.update)),
        question=question_about(turn.target) if turn.target is not None else "",
        history=history_lines(query.history, longest=UTTERANCE),
        message=query.text,
    )
