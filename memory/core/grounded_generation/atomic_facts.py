"""Atomic facts: a reply split into sentences that claim one thing each (section 3.4, Table 7).

Only complete sentences are split, and nothing is added: a fact that has words which its sentence has not is not taken, and a
sentence of which nothing was taken is a fact as it stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel

from memory.core.english.inflection import base_form
from memory.core.english.stop_words import STOP_WORDS
from memory.core.english.words import word_places
from memory.core.ports import LanguageModel, SentenceSegmenter
from memory.core.prompting import UnreadableReply, ask_many, parse_json, render_prompt, settled
from memory.core.types import SamplingConfig, SentenceSpan, Span

PROMPT = Path(__file__).parent / "prompts" / "split.md.j2"
# Facts of one sentence: more are the loop of a model that does not end.
MOST = 12


@dataclass(frozen=True)
class AtomicFact:
    """A fact in words, and the place in the reply of the sentence that claims it."""

    text: str
    sentence: Span


class FactSplitter(Protocol):
    """Splits replies. `name` identifies the rules or the model."""

    @property
    def name(self) -> str: ...

    def split_many(self, replies: Sequence[str]) -> list[list[AtomicFact]]:
        """Return the atomic facts of each reply, in the order of its sentences; none of an empty reply.

        Raises the `LanguageModelError` that a reply met.
        """


class FactReply(BaseModel):
    sentence: int
    fact: str


class SplitReply(BaseModel):
    facts: list[FactReply]


@dataclass(frozen=True)
class PromptedFactSplitter:
    """Implements `FactSplitter` with a language model, which is asked once for each reply, for all of them at once."""

    language_model: LanguageModel
    segmenter: SentenceSegmenter
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=2_048))

    @property
    def name(self) -> str:
        return self.language_model.name

    def split_many(self, replies: Sequence[str]) -> list[list[AtomicFact]]:
        sentences = self.segmenter.segment_many(replies)
        asked = [place for place, found in enumerate(sentences) if found]
        prompts = [
            render_prompt(PROMPT, schema=SplitReply, sentences=[one.text for one in sentences[place]])
            for place in asked
        ]
        told = dict(zip(asked, ask_many(self.language_model, prompts, read_split, config=self.sampling), strict=True))
        facts = []
        for place, found in enumerate(sentences):
            written = settled(told.get(place, []))
            facts.append([fact for number, one in enumerate(found, start=1) for fact in _taken(one, number, written)])
        return facts


def read_split(reply: str) -> list[FactReply]:
    found = parse_json(reply, SplitReply).facts
    if not any(one.fact.strip() for one in found):
        raise UnreadableReply("no fact is written.")
    return found


def _taken(sentence: SentenceSpan, number: int, written: Sequence[FactReply]) -> list[AtomicFact]:
    facts = dict.fromkeys(one.fact.strip() for one in written if one.sentence == number and one.fact.strip())
    kept = [text for text in facts if not adds_words(text, sentence.text)][:MOST]
    return [AtomicFact(text, sentence.span) for text in kept or [sentence.text]]


def adds_words(fact: str, sentence: str) -> bool:
    """Return whether a fact has a word that its sentence has not, but for inflection and words such as "is"."""
    return not _stems(fact) <= _stems(sentence) | STOP_WORDS


def _stems(text: str) -> set[str]:
    words = (text[start:end].casefold() for start, end in word_places(text))
    return {base_form(word) for word in words if word[:1].isalnum()}
