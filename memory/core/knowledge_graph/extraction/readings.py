"""The words that the parser is given for an utterance: plain, and out of their frame."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.core.knowledge_graph.extraction.frames import frame_of
from memory.core.knowledge_graph.extraction.wording import PlainText, plain_words
from memory.core.types import Fact, Modality, Utterance


@dataclass(frozen=True)
class Reading:
    """What to parse, how all of it is put, and whose word it is."""

    words: PlainText
    modality: Modality = Modality.ASSERTED
    source: str = ""

    def put(self, facts: Sequence[Fact]) -> list[Fact]:
        """Return the facts with the spans of the original and as the frame puts them."""
        return [
            replace(
                fact,
                span=self.words.original(fact.span),
                modality=self.modality if fact.modality is Modality.ASSERTED else fact.modality,
                attributed_to=fact.attributed_to or (self.source if fact.modality is Modality.ASSERTED else ""),
            )
            for fact in facts
        ]


def reading_of(utterance: Utterance) -> Reading:
    """Return what an utterance says once its frame is taken off, in plain words."""
    plain = plain_words(utterance.text)
    frame = frame_of(plain.text)
    inner = PlainText(
        plain.text[frame.start : frame.end], plain.starts[frame.start : frame.end], plain.ends[frame.start : frame.end]
    )
    return Reading(inner, frame.modality, _source(frame.source, utterance.speaker))


def _source(words: str, speaker: str) -> str:
    """Return the label of a source as written: "my doctor" is the speaker's doctor."""
    owned = re.match(r"(?:my|our)\s+(.+)", words, re.IGNORECASE)
    return f"{speaker}'s {owned[1]}" if owned is not None else words
