"""Digests by a language model (SGMem, Appendices B.3 to B.5).

Departures from the paper:
- Each insight names the facts that it merges. The paper's are bare texts, which lead back to nobody, so that they could
  not be forgotten with what they came from. One that names no source is dropped.
- Facts (Appendix B.4) are not asked for: the statement of a round tells them already (`stated`).
- The time of an insight is taken from the facts that it merges, not from the model: a date is looked up, not written.
- A summary goes on from the one before it, so that a long session is never read again from its beginning.
- What names nobody of the conversation, or has hardly a word of it, is a model's chatter and is dropped.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from memory.core.grounding import Grounds
from memory.core.ports import LanguageModel
from memory.core.prompting import ask_many, parse_json, render_prompt, settled
from memory.core.sentence_graph.digests.types import DatedFact, Insight, SessionWords, Summary
from memory.core.types import Prompt, Role, SamplingConfig, Utterance

LOGGER = logging.getLogger(__name__)
PROMPTS = Path(__file__).parent / "prompts"
ReplyT = TypeVar("ReplyT", bound=BaseModel)
_LEANS = re.compile(
    r"^(?:i|we|you|he|she|it|they|my|our|your|his|her|its|their|this|that|these|those)\b", re.IGNORECASE
)
# What a model calls whom it was not told the name of.
_USERS = ("the user", "the speaker")
_LETTER = re.compile(r"[^\W_]")


class SummaryReply(BaseModel):
    summary: str


class InsightReply(BaseModel):
    """One insight as the model writes it; `merges` counts the facts that were shown from 1."""

    insight: str
    merges: list[int]


class InsightsReply(BaseModel):
    insights: list[InsightReply]


@dataclass(frozen=True)
class PromptedDigestConfig:
    """`longest` bounds an insight, `longest_summary` a summary, `shown` what is read of a session (characters).

    Of the content words of a summary or an insight at least `gist_share` has to be among what the model was shown.
    """

    gist_share: float = 0.25
    longest: int = 600
    longest_summary: int = 3_000
    shown: int = 24_000
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=1024))


class PromptedSummaryWriter:
    """A `SummaryWriter` that asks a language model."""

    def __init__(self, language_model: LanguageModel, *, config: PromptedDigestConfig = PromptedDigestConfig()) -> None:
        self._language_model = language_model
        self._config = config

    def write_many(self, sessions: Sequence[SessionWords]) -> list[Summary]:
        """Return one summary a session; a long session is summed up from its end and its earlier summary.

        Raises `LanguageModelError`.
        """
        shown = [_latest(session.sentences, limit=self._config.shown) for session in sessions]
        asked = [place for place, said in enumerate(shown) if said]
        prompts = [_summary_prompt(sessions[place], shown[place]) for place in asked]
        summaries = [Summary() for _ in sessions]
        for place, reply in zip(asked, _asked(self._language_model, prompts, SummaryReply, self._config), strict=True):
            text = _storable(reply.summary)[: self._config.longest_summary]
            session = sessions[place]
            ground = _Ground(session.sentences, session.earlier)
            if not _LETTER.search(text) or not ground.bears(text, share=self._config.gist_share):
                LOGGER.warning("Dropped a summary that is about nobody of its conversation: %r", text[:100])
            else:
                summaries[place] = Summary(text, tuple(shown[place]), goes_on=bool(session.earlier))
        return summaries


class PromptedInsightWriter:
    """An `InsightWriter` that asks a language model."""

    def __init__(self, language_model: LanguageModel, *, config: PromptedDigestConfig = PromptedDigestConfig()) -> None:
        self._language_model = language_model
        self._config = config

    def write_many(self, groups: Sequence[Sequence[DatedFact]]) -> list[list[Insight]]:
        """Return the insights over each group. Raises the `LanguageModelError` of the first group that failed."""
        asked = [place for place, facts in enumerate(groups) if len(facts) > 1]
        prompts = [_insights_prompt(groups[place]) for place in asked]
        insights: list[list[Insight]] = [[] for _ in groups]
        for place, reply in zip(asked, _asked(self._language_model, prompts, InsightsReply, self._config), strict=True):
            insights[place] = insights_of(reply, groups[place], config=self._config)
        return insights


@dataclass(frozen=True)
class _Ground:
    """What a digest may rest on: utterances, and other words that the model was shown."""

    said: Sequence[Utterance]
    others: str = ""

    def bears(self, text: str, *, share: float) -> bool:
        """Return whether a digest names somebody of the conversation and has this share of its words from it."""
        people = {*(one.speaker for one in self.said if one.role is Role.USER), *_USERS}
        return self._grounds.names_one_of(text, people) and self._grounds.share(text) >= share

    @cached_property
    def _grounds(self) -> Grounds:
        return Grounds([*(one.text for one in self.said), *(one.speaker for one in self.said), self.others])


def insights_of(reply: InsightsReply, facts: Sequence[DatedFact], *, config: PromptedDigestConfig) -> list[Insight]:
    """Return the insights of a reply, each once, that merge at least two facts and repeat none, with the latest time."""
    known = {fact.text for fact in facts}
    ground = _Ground((), " ".join(known))
    kept: dict[str, Insight] = {}
    for one in reply.insights:
        text = _storable(one.insight)
        merges = tuple(sorted({number - 1 for number in one.merges if 1 <= number <= len(facts)}))
        fault = _fault(text, config.longest) or ("which repeats a fact" if text in known else "")
        if not fault and not ground.bears(text, share=config.gist_share):
            fault = "which is about nobody of these facts"
        if not fault and len(merges) < 2:
            fault = "which merges less than two facts"
        if fault:
            LOGGER.warning("Dropped an insight, %s: %r", fault, text[:100])
            continue
        kept.setdefault(text, Insight(text, merges, max(facts[place].said_at for place in merges)))
    return list(kept.values())


def _storable(text: str) -> str:
    """Return a model's text on one line, without characters that PostgreSQL cannot store."""
    return " ".join(text.encode(errors="ignore").decode().replace("\x00", " ").split())


def _fault(text: str, longest: int) -> str:
    """Return why a sentence cannot be read alone, or ""."""
    if not _LETTER.search(text) or len(text) > longest:
        return f"which is empty or over {longest} characters"
    if _LEANS.match(text):
        return "which opens with a pronoun"
    return "which asks" if text.endswith("?") else ""


def _asked(
    model: LanguageModel, prompts: Sequence[Prompt], reply_type: type[ReplyT], config: PromptedDigestConfig
) -> list[ReplyT]:
    """Return the parsed replies. Raises the first `LanguageModelError`: an empty list would read as "nothing to tell"."""
    read = partial(parse_json, reply_type=reply_type)
    return [settled(reply) for reply in ask_many(model, prompts, read, config=config.sampling)]


def _latest(sentences: Sequence[Utterance], *, limit: int) -> list[int]:
    """Return the indices of the last sentences that fit `limit` characters."""
    kept: list[int] = []
    for place in range(len(sentences) - 1, -1, -1):
        limit -= len(sentences[place].text) + len(sentences[place].speaker)
        if limit < 0:
            break
        kept.insert(0, place)
    return kept if any(_LETTER.search(sentences[place].text) for place in kept) else []


def _summary_prompt(session: SessionWords, shown: Sequence[int]) -> Prompt:
    said = [session.sentences[place] for place in shown]
    return render_prompt(
        PROMPTS / "summary.md.j2",
        schema=SummaryReply,
        earlier=session.earlier,
        said_on=_day(said[-1].said_at),
        lines="\n".join(_line(one) for one in said),
    )


def _insights_prompt(facts: Sequence[DatedFact]) -> Prompt:
    lines = [
        f"{number}. ({fact.said_at.day} {fact.said_at:%B} {fact.said_at.year}) {' '.join(fact.text.split())}"
        for number, fact in enumerate(facts, start=1)
    ]
    return render_prompt(PROMPTS / "insights.md.j2", schema=InsightsReply, facts="\n".join(lines))


def _line(said: Utterance) -> str:
    who = (
        said.speaker if said.role is Role.USER or said.speaker.lower() == "assistant" else f"{said.speaker} (assistant)"
    )
    return f"{who}: {' '.join(said.text.split())}"


def _day(moment: datetime) -> str:
    return f"{moment:%A}, {moment.day} {moment:%B} {moment.year}"
