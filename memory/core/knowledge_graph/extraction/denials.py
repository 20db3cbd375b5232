"""Denials that leave out what they deny: "Tom says that Maya lives in Rome." "That's not true."."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.core.knowledge_graph.extraction.clauses import Scene
from memory.core.knowledge_graph.extraction.rules import SaidBefore
from memory.core.types import Fact, Modality, Polarity, Span, Tense

_DENIAL = re.compile(
    r"^\W*(?:(?:but|and|well|actually|no|of course)\b[\s,]*)*(?:(?:that|it|this)(?:'s| is| was) )?(?:all |just |simply )?"
    r"(?:not true|untrue|wrong|false|a lie|nonsense|not the case|incorrect|made up)\W*$",
    re.IGNORECASE,
)


def denied(scene: Scene, facts: list[Fact], before: SaidBefore) -> list[Fact]:
    """Return the facts of a sentence with the denials of what was reported in the one before it."""
    if not _DENIAL.match(scene.reading.words.text):
        return facts
    reported = [fact for fact in before.previous if fact.modality is Modality.REPORTED and not fact.object.is_any]
    return [
        *facts,
        *(
            replace(
                fact,
                polarity=Polarity.NEGATIVE if fact.polarity is Polarity.POSITIVE else Polarity.POSITIVE,
                modality=Modality.ASSERTED,
                tense=Tense.PRESENT,
                valid_from=None,
                valid_to=None,
                span=Span(0, len(scene.utterance.text)),
                attributed_to="",
            )
            for fact in reported
        ),
    ]
