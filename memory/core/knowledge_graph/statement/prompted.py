"""Distils rounds into statements with a language model (D-SMART, Structured Statement Generation; Appendix E, Figure 8).

Departures from the paper:
- A statement is a list of sentences, and each names the sentence of the round that it rests on. The paper's is one text,
  which leads back to nobody: whose word a fact is would be lost.
- The whole round is shown, not one question and one answer: rounds of people have several of both.
- The paper allows outside knowledge where concepts are complex. Here a sentence with a number or a name that the round
  does not have is dropped: what the model knows is not what was said.
- A round may assert nothing, and then has no statement.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from memory.core.errors import LanguageModelError
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.knowledge_graph.statement.grounding import Grounds
from memory.core.knowledge_graph.statement.speech_acts import is_courtesy
from memory.core.ports import LanguageModel
from memory.core.prompting import ask_many, parse_json, render_prompt
from memory.core.types import DialogueRound, Prompt, Role, SamplingConfig, Statement

LOGGER = logging.getLogger(__name__)
PROMPT = Path(__file__).parent / "prompts" / "write_statement.md.j2"


class WrittenSentence(BaseModel):
    """One sentence of a statement as the model writes it; `rests_on` counts the sentences of the round from 1."""

    sentence: str
    rests_on: int


class WrittenStatement(BaseModel):
    statement: list[WrittenSentence]


@dataclass(frozen=True)
class PromptedStatementConfig:
    """`longest` bounds a sentence in characters: what is longer is no sentence of a statement."""

    longest: int = 600
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=1024))


class PromptedStatementWriter:
    """A `StatementWriter` that asks a language model."""

    def __init__(
        self, language_model: LanguageModel, *, config: PromptedStatementConfig = PromptedStatementConfig()
    ) -> None:
        self._language_model = language_model
        self._config = config

    def write_many(self, rounds: Sequence[DialogueRound]) -> list[Statement]:
        """Return one statement a round. A round of courtesies alone is not asked about.

        Raises the `LanguageModelError` of the first round that failed: a round that was not read is not one without
        assertions.
        """
        asked = [place for place, one in enumerate(rounds) if _may_assert(one)]
        statements = [Statement() for _ in rounds]
        replies = ask_many(
            self._language_model,
            [_prompt(rounds[place]) for place in asked],
            partial(parse_json, reply_type=WrittenStatement),
            config=self._config.sampling,
        )
        for place, written in zip(asked, replies, strict=True):
            if isinstance(written, LanguageModelError):
                raise written
            statements[place] = statement_of(written, rounds[place], longest=self._config.longest)
        return statements


def statement_of(written: WrittenStatement, dialogue_round: DialogueRound, *, longest: int) -> Statement:
    """Return what a model wrote as a statement, without the sentences that the round does not bear out."""
    grounds = Grounds(dialogue_round)
    kept: dict[str, int] = {}
    for one in written.statement:
        sentence = " ".join(one.sentence.split())
        fault = _fault(sentence, one.rests_on, dialogue_round, grounds, longest)
        if fault:
            LOGGER.warning("Dropped a sentence of a statement, %s: %r", fault, sentence[:100])
            continue
        kept.setdefault(sentence, one.rests_on - 1)
    return Statement(tuple(kept), tuple(kept.values()))


def _fault(sentence: str, number: int, dialogue_round: DialogueRound, grounds: Grounds, longest: int) -> str:
    """Return why a sentence is no part of the statement, or the empty string."""
    if not any(character.isalnum() for character in sentence) or len(sentence) > longest:
        return f"which is empty or over {longest} characters"
    said = dialogue_round.sentences
    if not 1 <= number <= len(said):
        return f"which rests on line {number} of {len(said)}"
    if sentence.rstrip(" \"'”’)").endswith(("?", "？", "؟")):
        return "which asks"
    if said[number - 1].role is Role.USER and not own_words(said[:number])[-1]:
        return "which rests on code or on a pasted text"
    strangers = grounds.strangers(sentence)
    return f"whose {', '.join(strangers)} the round does not have" if strangers else ""


def _may_assert(dialogue_round: DialogueRound) -> bool:
    return any(
        any(character.isalnum() for character in said.text) and not is_courtesy(said.text)
        for said in dialogue_round.sentences
    )


def _prompt(dialogue_round: DialogueRound) -> Prompt:
    lines = [
        f"{number}. {_speaker(said.speaker, said.role)}: {' '.join(said.text.split())}"
        for number, said in enumerate(dialogue_round.sentences, start=1)
    ]
    return render_prompt(PROMPT, schema=WrittenStatement, sentences="\n".join(lines))


def _speaker(name: str, role: Role) -> str:
    return "assistant" if role is Role.ASSISTANT else f"{' '.join(name.split())} (user)"
