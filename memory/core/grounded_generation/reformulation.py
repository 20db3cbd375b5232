"""Reasoning-guided dialogue reformulation (equation 1, Table 6): every turn of a dialogue said in full, with its reasoning.

Departures from the paper:
- The reply is an object with the turns by number, so that no turn can be lost or answered.
- A turn is taken only where it keeps the words of what was said, and what came in was said in the dialogue: else it stays as
  it was, with the reason. The paper takes what the model writes.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, Field

from memory.core.english.references import Replacement, in_full
from memory.core.english.stop_words import STOP_WORDS
from memory.core.english.words import word_places
from memory.core.errors import LanguageModelError
from memory.core.ports import LanguageModel, ReferenceReader
from memory.core.prompting import UnreadableReply, ask_many, parse_json, render_prompt, settled
from memory.core.types import Message, MessageRole, Prompt, SamplingConfig, Span, UtteranceInDialogue

PROMPT = Path(__file__).parent / "prompts" / "reformulate.md.j2"
# Of what was said, at least this share of the words stays.
KEPT = 0.5
LONGEST = 2_000


@dataclass(frozen=True)
class ReformulatedTurn:
    """A turn said in full, where which words gave way to which, why, and, where it stays as it was, why not otherwise."""

    said: str
    full: str
    replacements: tuple[Replacement, ...] = ()
    reasoning: str = ""
    refused: str = ""


class Reformulator(Protocol):
    """Says dialogues in full (f_ref)."""

    def reformulate(self, turns: Sequence[str]) -> list[ReformulatedTurn]:
        """Return every turn, in order. Raises `LanguageModelError` where nothing of a reply is of use."""


class TurnReply(BaseModel):
    turn: int
    reasoning: str = ""
    full: str


class ReformulationReply(BaseModel):
    turns: list[TurnReply] = Field(min_length=1)


@dataclass(frozen=True)
class PromptedReformulator:
    """Implements `Reformulator` with a language model."""

    language_model: LanguageModel
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=4_096))

    def reformulate(self, turns: Sequence[str]) -> list[ReformulatedTurn]:
        if not turns:
            return []
        [found] = self.reformulate_many([turns])
        return settled(found)

    def reformulate_many(self, dialogues: Sequence[Sequence[str]]) -> list[list[ReformulatedTurn] | LanguageModelError]:
        """Return every turn of each dialogue, or the error that the dialogue met; all are asked for at once."""
        outcomes = ask_many(self.language_model, list(map(prompt, dialogues)), read_reply, config=self.sampling)
        found: list[list[ReformulatedTurn] | LanguageModelError] = []
        for turns, outcome in zip(dialogues, outcomes, strict=True):
            if isinstance(outcome, LanguageModelError):
                found.append(outcome)
                continue
            told = {one.turn: one for one in reversed(outcome)}
            found.append([taken(turns, place, told.get(place + 1)) for place in range(len(turns))])
        return found


@dataclass(frozen=True)
class LearnedReformulator:
    """Implements `Reformulator` with the reference reader."""

    reader: ReferenceReader

    def reformulate(self, turns: Sequence[str]) -> list[ReformulatedTurn]:
        said = [UtteranceInDialogue(text, tuple(turns[:place])) for place, text in enumerate(turns)]
        made = [
            in_full(one, references, threshold=self.reader.threshold)
            for one, references in zip(said, self.reader.resolve_many(said), strict=True)
        ]
        return [ReformulatedTurn(text, one.text, one.replacements) for text, one in zip(turns, made, strict=True)]


def reformulation_lesson(turns: Sequence[ReformulatedTurn]) -> list[Message]:
    """Return the chat that teaches to reply to the prompt with these turns and their reasoning (Table 11)."""
    told = [TurnReply(turn=number, reasoning=one.reasoning, full=one.full) for number, one in enumerate(turns, start=1)]
    reply = ReformulationReply(turns=told).model_dump_json()
    return [*prompt([one.said for one in turns]).messages, Message(MessageRole.ASSISTANT, reply)]


def prompt(turns: Sequence[str]) -> Prompt:
    return render_prompt(PROMPT, schema=ReformulationReply, turns=[text[:LONGEST] for text in turns])


def read_reply(reply: str) -> list[TurnReply]:
    found = parse_json(reply, ReformulationReply).turns
    if not any(one.full.strip() for one in found):
        raise UnreadableReply("no turn is written.")
    return found


def taken(turns: Sequence[str], place: int, reply: TurnReply | None) -> ReformulatedTurn:
    """Return a turn as a reply says it in full, or as it was with the reason why."""
    said = turns[place]
    if reply is None or not reply.full.strip():
        return ReformulatedTurn(said, said, refused="The turn was left out.")
    full, reasoning = reply.full.strip(), reply.reasoning.strip()
    words, written = ([text[start:end].casefold() for start, end in word_places(text)] for text in (said, full))
    kept = (Counter(words) & Counter(written)).total()
    if kept < KEPT * len(words):
        return ReformulatedTurn(said, said, reasoning=reasoning, refused="It does not keep what was said.")
    known = {text[start:end].casefold() for text in turns[: place + 1] for start, end in word_places(text)}
    strange = [word for word in written if word[:1].isalnum() and word not in known and word not in STOP_WORDS]
    if strange:
        return ReformulatedTurn(said, said, reasoning=reasoning, refused=f"Nobody said “{strange[0]}”.")
    return ReformulatedTurn(said, full, tuple(aligned(said, full)), reasoning)


def aligned(said: str, full: str) -> list[Replacement]:
    """Return where words of a text gave way to others of another, word by word."""
    places = word_places(said), word_places(full)
    before, after = ([text[start:end].casefold() for start, end in word_places(text)] for text in (said, full))
    found = []
    for change, *bounds in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if change != "equal":
            first, last, begins, ends = bounds
            found.append(
                Replacement(_span(places[0], first, last, len(said)), _span(places[1], begins, ends, len(full)))
            )
    return found


def _span(places: Sequence[tuple[int, int]], first: int, last: int, length: int) -> Span:
    start = places[first][0] if first < len(places) else length
    return Span(start, places[last - 1][1] if last > first else start)
