"""The words that the parser is given for an utterance: plain, out of their frame, a short answer spoken out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.core.knowledge_graph.extraction.accepted_names import accepted_name
from memory.core.knowledge_graph.extraction.chat_style import with_left_out
from memory.core.knowledge_graph.extraction.clause_lists import clauses_of
from memory.core.knowledge_graph.extraction.frames import frame_of
from memory.core.knowledge_graph.extraction.short_answers import question_before, spoken_out
from memory.core.knowledge_graph.extraction.wording import PlainText, plain_words
from memory.core.ports import SyntacticParser
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
    """What to parse, how all of it is put, and whose word it is.

    `righted` is set where `words` are what the other took for true: the words that put a value of it right.
    """

    words: PlainText
    modality: Modality = Modality.ASSERTED
    source: str = ""
    righted: PlainText | None = None

    def put(self, facts: Sequence[Fact]) -> list[Fact]:
        """Return the facts with the spans of the original and as the frame puts them."""
        return [
            replace(
                fact,
                span=(self.righted or self.words).original(fact.span),
                modality=self.modality if fact.modality is Modality.ASSERTED else fact.modality,
                attributed_to=fact.attributed_to or (self.source if fact.modality is Modality.ASSERTED else ""),
            )
            for fact in facts
        ]


def readings_of(utterance: Utterance, before: Sequence[Utterance], *, parser: SyntacticParser) -> list[Reading]:
    """Return the readings of an utterance after what was said before it; "No, I have a hammock" has two."""
    if _opens_turn(utterance, before):
        name = accepted_name(utterance.text, before)
        if name is not None:
            return [Reading(name)]
        asked = question_before(before)
        spoken = spoken_out(utterance.text, asked, parser=parser) if asked else None
        if spoken is not None:
            answer = Reading(spoken.words, righted=spoken.righted)
            return [answer, *(_plain(utterance, spoken.rest_from) if spoken.rest_from is not None else [])]
    return _plain(utterance)


def _plain(utterance: Utterance, start: int = 0) -> list[Reading]:
    """Return a reading for each clause that a sentence lists, all of them as its frame puts it."""
    plain = with_left_out(_with_copula(_moved(plain_words(utterance.text[start:]), start)))
    frame = frame_of(plain.text)
    inner = PlainText(
        plain.text[frame.start : frame.end], plain.starts[frame.start : frame.end], plain.ends[frame.start : frame.end]
    )
    source = _source(frame.source, utterance.speaker)
    return [Reading(clause, frame.modality, source) for clause in clauses_of(inner)]


def _moved(plain: PlainText, by: int) -> PlainText:
    return PlainText(plain.text, tuple(at + by for at in plain.starts), tuple(at + by for at in plain.ends))


def _with_copula(plain: PlainText) -> PlainText:
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


def _opens_turn(utterance: Utterance, before: Sequence[Utterance]) -> bool:
    return bool(before) and (before[-1].speaker, before[-1].role) != (utterance.speaker, utterance.role)


def _source(words: str, speaker: str) -> str:
    """Return the label of a source as written: "my doctor" is the speaker's doctor."""
    owned = re.match(r"(?:my|our)\s+(.+)", words, re.IGNORECASE)
    return f"{speaker}'s {owned[1]}" if owned is not None else words
