"""Shows the check of what a reply states: every fact with its verdict, and the words that decided."""

from collections.abc import Hashable, Sequence
from typing import Any

from conversations.core.tracing.fact_check import FactChecked
from memory.selectors.tracing import NumberedStep
from memory.trace_views.base import Reading, StepView

NOTHING = "It states nothing that could be checked."
VERDICTS = {
    "true": "supported",
    "false": "contradicted",
    "not_enough_information": "nothing that I know says so",
    "not_a_claim": "no claim",
}


class FactCheckView(StepView[FactChecked]):
    kind = FactChecked

    def group(self, one: NumberedStep) -> Hashable:
        return "the check"

    def shown_many(self, groups: Sequence[Sequence[NumberedStep]], reading: Reading) -> list[Any]:
        return [[(one.step, VERDICTS.get(getattr(one.step, "verdict", ""), "")) for one in group] for group in groups]

    def lines(self, shown: Sequence[tuple[FactChecked, str]]) -> list[str]:
        lines = ["Checked what the reply states"]
        for step, verdict in shown:
            by = f', by "{step.words}"' if step.words else ""
            lines.append(f"  {step.fact}: {verdict}{by}" if verdict else f"  {NOTHING} {step.why}".rstrip())
        return lines
