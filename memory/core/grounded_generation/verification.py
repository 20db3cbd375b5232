"""Verification of atomic facts by evidence and dialogue alone (section 3.4, Table 8).

Departures from the paper:
- The verdict names the passage or turn that decided it, so that a person can check it. A verdict without one is taken as "not
  enough information", as is one on a sentence that a number does not name.
- The facts of one reply share their evidence, and are judged in one call.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, Field

from memory.core.ports import LanguageModel
from memory.core.prompting import ask_many, parse_json, render_prompt, settled
from memory.core.types import SamplingConfig

PROMPT = Path(__file__).parent / "prompts" / "verify.md.j2"
# Characters of one passage or turn, and of all of them: the rest is cut, the earliest turns first.
PASSAGE, WHOLE = 2_000, 24_000


class FactStatus(StrEnum):
    TRUE = "true"
    FALSE = "false"
    NOT_ENOUGH = "not_enough_information"


@dataclass(frozen=True)
class Ground:
    """What a fact is held against: a passage with its title, or a turn with its speaker. `key` is the caller's own.

    `base_id` tells of which knowledge base a passage is, where it is stored.
    """

    text: str
    title: str = ""
    speaker: str = ""
    key: int | None = None
    base_id: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class FactsToVerify:
    """The facts of one reply, who said it, the turns before it (oldest first) and the passages found for it."""

    facts: tuple[str, ...]
    speaker: str
    dialogue: tuple[Ground, ...] = ()
    evidence: tuple[Ground, ...] = ()


@dataclass(frozen=True)
class FactVerdict:
    """What is known of a fact, and what decided it: None where there is not enough information."""

    status: FactStatus
    ground: Ground | None = None
    probability: float | None = None


NOTHING_KNOWN = FactVerdict(FactStatus.NOT_ENOUGH)


class FactVerifier(Protocol):
    """Verifies facts. `name` identifies the weights or the model."""

    @property
    def name(self) -> str: ...

    def verify_many(self, replies: Sequence[FactsToVerify]) -> list[list[FactVerdict]]:
        """Return a verdict a fact, reply by reply. Raises the `LanguageModelError` that a reply met."""


class VerdictReply(BaseModel):
    fact: int
    status: FactStatus
    source: int | None = None


class VerificationReply(BaseModel):
    verdicts: list[VerdictReply] = Field(min_length=1)


@dataclass(frozen=True)
class PromptedFactVerifier:
    """Implements `FactVerifier` with a language model, asked once for each reply, for all of them at once."""

    language_model: LanguageModel
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=1_024))

    @property
    def name(self) -> str:
        return self.language_model.name

    def verify_many(self, replies: Sequence[FactsToVerify]) -> list[list[FactVerdict]]:
        asked = [one for one in replies if one.facts]
        grounds = [grounds_within(one) for one in asked]
        prompts = [
            render_prompt(
                PROMPT, schema=VerificationReply, facts=one.facts, speaker=one.speaker, grounds=shown, most=PASSAGE
            )
            for one, shown in zip(asked, grounds, strict=True)
        ]
        outcomes = ask_many(self.language_model, prompts, read_verification, config=self.sampling)
        told = iter(zip(outcomes, grounds, strict=True))
        verdicts: list[list[FactVerdict]] = []
        for one in replies:
            if not one.facts:
                verdicts.append([])
                continue
            outcome, shown = next(told)
            by_number = {verdict.fact: verdict for verdict in reversed(settled(outcome))}
            verdicts.append([_verdict(by_number.get(number), shown) for number in range(1, len(one.facts) + 1)])
        return verdicts


def grounds_within(one: FactsToVerify, *, passage: int = PASSAGE, whole: int = WHOLE) -> list[Ground]:
    """Return the evidence, then the turns, as far as they fit: the passages found first and the latest turns."""
    left, kept, turns = whole, [], []
    for ground in one.evidence:
        left -= min(passage, len(ground.text))
        if left >= 0:
            kept.append(ground)
    for ground in reversed(one.dialogue):
        left -= min(passage, len(ground.text))
        if left < 0:
            break
        turns.append(ground)
    return [*kept, *reversed(turns)]


def read_verification(reply: str) -> list[VerdictReply]:
    return parse_json(reply, VerificationReply).verdicts


def _verdict(told: VerdictReply | None, grounds: Sequence[Ground]) -> FactVerdict:
    if told is None or told.status is FactStatus.NOT_ENOUGH or told.source not in range(1, len(grounds) + 1):
        return NOTHING_KNOWN
    return FactVerdict(told.status, grounds[(told.source or 0) - 1])


def dialogue_fact_score(statuses: Sequence[FactStatus]) -> float | None:
    """Return the share of the true facts among those that are true or false, in [0, 1]; None where none is either."""
    decided = [status for status in statuses if status is not FactStatus.NOT_ENOUGH]
    return sum(status is FactStatus.TRUE for status in decided) / len(decided) if decided else None


def not_enough_proportion(statuses: Sequence[FactStatus]) -> float:
    """Return the share of the facts for which there is not enough information (NEIP), in [0, 1]; 1 without any fact."""
    return sum(status is FactStatus.NOT_ENOUGH for status in statuses) / len(statuses) if statuses else 1.0
