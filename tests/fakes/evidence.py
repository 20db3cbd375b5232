"""An extractor that knows what each turn brings, and two dialogues to try it on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from memory.core.semantic_state.elements import SemanticState
from memory.core.semantic_state.evidence import (
    Asserted,
    Assumed,
    Evidence,
    Missed,
    Required,
    Resolved,
    StateTurn,
    Withdrawn,
)

Brought = Sequence[Evidence] | Callable[[SemanticState], Sequence[Evidence]]


@dataclass
class KnownEvidence:
    """Implements `EvidenceExtractor` by the text of a turn; others bring nothing. `read` are the texts it was given."""

    brought: Mapping[str, Brought]
    read: list[str] = field(default_factory=list)

    def extract(self, turn: StateTurn) -> Sequence[Evidence]:
        self.read.append(turn.said.text)
        brought = self.brought.get(turn.said.text, ())
        return brought(turn.state) if callable(brought) else brought


def called(state: SemanticState, words: str) -> str:
    """Return the id of the current element whose description begins so."""
    [found] = [one.id for one in state.elements.values() if one.description.startswith(words) and one.is_current]
    return found


PLAN, BUDGET, ALLERGY, GUESTS, CHATTER = (
    "Help me plan a dinner on Saturday.",
    "At most 200 euros. We will be six.",
    "My sister cannot eat nuts, so nothing with nuts.",
    "It turns out that we are eight.",
    "Thanks, lovely weather today.",
)


def dinner() -> KnownEvidence:
    """A dinner: a question that is answered, an assumption on the number of guests, an allergy, a number that changes."""
    return KnownEvidence(
        {
            PLAN: [
                Asserted(description="The dinner is on Saturday.", words="on Saturday"),
                Missed(description="the number of guests", question="How many guests will there be?", priority=2),
            ],
            BUDGET: lambda state: [
                Required(description="It costs at most 200 euros.", words="At most 200 euros"),
                Asserted(description="There are six guests.", words="We will be six", ref="six"),
                Resolved(unknown=called(state, "the number of guests"), by="six", words="six", confidence=0.9),
                Assumed(description="Six plates are enough.", basis=("six",), confidence=0.8, words="six"),
            ],
            ALLERGY: [
                Asserted(description="The sister cannot eat nuts.", words="My sister cannot eat nuts", ref="nuts"),
                Required(description="Nothing with nuts.", words="nothing with nuts", basis=("nuts",)),
            ],
            GUESTS: lambda state: [
                Asserted(
                    description="There are eight guests.",
                    words="we are eight",
                    replaces=(called(state, "There are six guests"),),
                )
            ],
            "She is not coming.": lambda state: [
                Withdrawn(element=called(state, "The sister cannot"), words="She is not coming")
            ],
        }
    )
