"""The words that the parser is given for an utterance: plain, and out of their frame."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.core.knowledge_graph.extraction.frames import Frame
from memory.core.knowledge_graph.extraction.rules import RuleSet
from memory.core.knowledge_graph.extraction.wording import PlainText, unchanged
from memory.core.types import Fact, Modality, Utterance

_LISTED = re.compile(
    r"^\W*(?P<owned>(?:my|our) (?:[\w'-]+ ){0,2}[\w'-]+)(?P<colon>\s*[:=])\s+(?!.*\b(?:i|i'm|we|is|are|was|were|"
    r"am|has|have|do|he|she|they)\b)",
    re.IGNORECASE,
)


_VERBLESS = re.compile(
    r"^\W*(?:(?:so|thus|and|but|still|well|sadly|luckily|"
    r"unfortunately)\b[\s,]*)*(?P<lack>no (?:more )?(?:allerg(?:y|ies)|pets?|kids|children|"
    r"siblings|brothers|sisters|car|dogs?|cats?|job)\b(?: (?:to|of|and|or|for|at) [\w' -]+)?(?: (?:here|yet|"
    r"anymore|for me))?)\s*[.!]*$",
    re.IGNORECASE,
)


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


def reading_of(utterance: Utterance, rules: RuleSet) -> Reading:
    """Return what an utterance says once its frame is taken off, in plain words."""
    plain = unchanged(utterance.text)
    for wording in rules.wordings:
        plain = wording(plain)
    frame = next((frame_of(plain.text) for frame_of in rules.framings), Frame(0, len(plain.text)))
    inner = PlainText(
        plain.text[frame.start : frame.end], plain.starts[frame.start : frame.end], plain.ends[frame.start : frame.end]
    )
    return Reading(inner, frame.modality, _source(frame.source, utterance.speaker))


def with_copula(plain: PlainText) -> PlainText:
    """Return "My hobbies: chess, tennis" as "My hobbies are chess, tennis", and "So no pets." as "I have no pets."."""
    lacking = _VERBLESS.match(plain.text)
    if lacking is not None:
        at, words = lacking.start("lack"), "I have "
        return PlainText(
            words + plain.text[at:],
            (*[plain.starts[at]] * len(words), *plain.starts[at:]),
            (*[plain.ends[at]] * len(words), *plain.ends[at:]),
        )
    found = _LISTED.match(plain.text)
    if found is None:
        return plain
    at, verb = found.end("owned"), " are" if found["owned"].endswith("s") else " is"
    return PlainText(
        plain.text[:at] + verb + plain.text[found.end("colon") :],
        (*plain.starts[:at], *[plain.starts[at]] * len(verb), *plain.starts[found.end("colon") :]),
        (*plain.ends[:at], *[plain.ends[at]] * len(verb), *plain.ends[found.end("colon") :]),
    )


def _source(words: str, speaker: str) -> str:
    """Return the label of a source as written: "my doctor" is the speaker's doctor."""
    owned = re.match(r"(?:my|our)\s+(.+)", words, re.IGNORECASE)
    return f"{speaker}'s {owned[1]}" if owned is not None else words
