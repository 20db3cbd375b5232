"""The responder `slsm` with a language model, which writes under the state, the plan and the constraints.

The paper gives the loop and no reply. Here a reply is shown sentence by sentence where code can check a requirement. A
sentence that breaks one is not shown: the model goes on from there once more, and where that breaks one too, the reply says
so and ends.
"""

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conversations.core.responders.deltas import FAITHFUL, streamed
from conversations.core.responders.slsm.turning import TaskTurn, task_turn
from conversations.core.responders.slsm.wording import fallen_lines, question_about, state_lines
from conversations.core.responders.writing import UTTERANCE
from conversations.core.types import Delta, Query, ReplyPart, Stage
from memory.core.english.telling_times import say_day
from memory.core.ports import LanguageModel
from memory.core.prompting import render_prompt
from memory.core.reasoning_tree.presentation import history_lines
from memory.core.semantic_state.checking import check_text, is_checkable
from memory.core.semantic_state.elements import Constraint, ElementKind, Status
from memory.core.semantic_state.evidence import EvidenceExtractor
from memory.core.semantic_state.keeping import StateKeeper
from memory.core.types import Prompt

PROMPT = Path(__file__).parent / "prompts" / "answer.md.j2"
# A sentence ends before a space or a line break, which goes with it.
_ENDED = re.compile(r"(?<=[.!?])\s+|\n+")
NOT_KEPT = "I stop here: I could not go on without breaking “{}”."


@dataclass(frozen=True)
class Unshown:
    """A sentence that was written and not shown, and the constraint that it violates."""

    sentence: str
    constraint: Constraint


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
        constraints = turn.update.state.current(ElementKind.CONSTRAINT)
        required = [one for one in constraints if isinstance(one, Constraint) and one.weight == 1 and is_checkable(one)]
        if not required:
            yield from streamed(self.write_answer.stream(answer_prompt(query, turn), config=FAITHFUL))
            return
        today = query.asked_at.date().isoformat()
        shown, unshown = yield from self._shown(answer_prompt(query, turn), required, today)
        if unshown is None:
            return
        yield Stage("repair", f"going on without breaking “{_bare(unshown.constraint)}”")
        again = answer_prompt(query, turn, shown=shown, unshown=unshown)
        more, still = yield from self._shown(again, required, today, behind=shown)
        if still is not None:
            yield Delta(f"{_gap(shown + more)}{NOT_KEPT.format(_bare(still.constraint))}")

    def _shown(
        self, prompt: Prompt, required: Sequence[Constraint], today: str, *, behind: str = ""
    ) -> Generator[Delta, None, tuple[str, Unshown | None]]:
        """Yield what is written up to the first sentence that violates a constraint; return it, and that sentence."""
        shown = ""
        for sentence in sentences(streamed(self.write_answer.stream(prompt, config=FAITHFUL))):
            checked = ((one, check_text(one, sentence, said_on=today)) for one in required)
            broken = next((one for one, status in checked if status is Status.VIOLATED), None)
            if broken is not None:
                return shown, Unshown(sentence.strip(), broken)
            gap = "" if shown else _gap(behind)
            shown += sentence
            yield Delta(gap + sentence)
        return shown, None


def sentences(deltas: Iterator[Delta]) -> Iterator[str]:
    """Yield the sentences of a text that comes in pieces, each with the space behind it, as soon as it has ended."""
    waiting = ""
    for delta in deltas:
        waiting += delta.text
        while ended := _ENDED.search(waiting):
            yield waiting[: ended.end()]
            waiting = waiting[ended.end() :]
    if waiting:
        yield waiting


def _gap(before: str) -> str:
    return " " if before and not before[-1].isspace() else ""


def _bare(constraint: Constraint) -> str:
    return constraint.description.rstrip(". ")


def answer_prompt(query: Query, turn: TaskTurn, *, shown: str = "", unshown: Unshown | None = None) -> Prompt:
    """Return the prompt for a reply under a state, or for what takes the place of a sentence behind what was `shown`."""
    return render_prompt(
        PROMPT,
        today=say_day(query.asked_at),
        speaker=query.speaker or "the user",
        state=state_lines(turn.update.state),
        fallen="\n".join(f"- {one}" for one in fallen_lines(turn.update)),
        question=question_about(turn.target) if turn.target is not None else "",
        history=history_lines(query.history, longest=UTTERANCE),
        message=query.text,
        shown=shown,
        unshown=unshown.sentence if unshown is not None else "",
        broken=unshown.constraint.description if unshown is not None else "",
    )
