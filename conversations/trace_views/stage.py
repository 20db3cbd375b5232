"""Shows the stages of the pipeline: those of one name together once they have ended; the running one in words."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from conversations.core.tracing.stage import Stage
from memory.selectors.tracing import NumberedStep
from memory.trace_views.base import Reading, StepView

NAMES = {
    "memory": "Waited for what you said before to be learnt",
    "read": "Read your message",
    "understand": "Noted what you said",
    "recall": "Looked up what is known",
    "resolve": "Read the question in full",
    "reason": "Went from fact to fact",
    "prove": "Looked for a proof",
    "retrieve": "Looked through what was said",
    "state": "Read what your message changes",
    "write": "Wrote the reply",
    "repair": "Mended the reply, which broke a requirement",
}


@dataclass(frozen=True)
class StageShown:
    """A stage in plain words, the number of times that it ran, and its last detail while that is shown."""

    name: str
    count: int
    detail: str


class StageView(StepView[Stage]):
    kind = Stage

    def group(self, one: NumberedStep) -> Hashable:
        return getattr(one.step, "name", "")

    def shown_many(self, groups: Sequence[Sequence[NumberedStep]], reading: Reading) -> list[Any]:
        return [stage_shown([one.step for one in group]) for group in groups]  # type: ignore[misc]

    def lines(self, shown: StageShown) -> list[str]:
        times = f" ({shown.count} times)" if shown.count > 1 else ""
        return [f"{shown.name}{times}{f': {shown.detail}' if shown.detail else ''}"]


def stage_shown(stages: Sequence[Stage]) -> StageShown:
    last = stages[-1]
    return StageShown(NAMES.get(last.name, last.name.replace("_", " ").capitalize()), len(stages), last.detail)
