"""Reads rounds with a language model: facts (D-SMART, KGE) and a statement (Appendix E, Figure 8), in one call where both are
wanted.

Departures from the paper:
- The paper distils a round into a statement, which an AMR parser then takes apart (Algorithm 1); here a language model
  writes the facts themselves, bound to a schema: models write those far more surely than graphs in Penman or Turtle.
- Every fact quotes its line, and every sentence of a statement names the line that it rests on; the paper's statement is one
  text, which leads back to nobody. What its line does not bear out is dropped: it was made up, or belongs elsewhere.
- The whole round is shown, with what was said before and what is known of it, not one question and one answer.
- The paper allows outside knowledge where concepts are complex. Here a sentence with a number or a name that nobody said is
  dropped: what the model knows is not what was said.
- Of the assistant's words only what they tell about the world is read: recalled memory would come back as if it were news.
- One unreadable entry of a reply costs that entry; a reply without any costs its lines, and the rest of the round is kept.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TypeVar, get_args

from pydantic import BaseModel

from memory.core.english.claims import is_courtesy
from memory.core.english.telling_times import say_day
from memory.core.english.times import MONTHS, dates_in
from memory.core.errors import LanguageModelError
from memory.core.grounding import Grounds
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.knowledge_graph.round_reading.stated_facts import Kind, StatedFact, fact_of, predicate_table
from memory.core.knowledge_graph.statement.share import is_about_a_user
from memory.core.ports import LanguageModel
from memory.core.prompting import UnreadableReply, answer_of, ask_many, first_object, render_prompt, validated
from memory.core.types import (
    DialogueRound,
    Fact,
    GraphFragment,
    Prompt,
    ReadRound,
    Role,
    RoundToRead,
    SamplingConfig,
    Statement,
    Utterance,
)

LOGGER = logging.getLogger(__name__)
PROMPT = Path(__file__).parent / "prompts" / "read_round.md.j2"
_DATE = re.compile(
    rf"\b(?:\d{{1,2}} )?(?:{'|'.join(MONTHS)})(?: \d{{1,2}})?,?(?: \d{{4}})?\b"
    r"|\b\d{4}-\d\d(?:-\d\d)?\b|\b(?:in|since) \d{4}\b"
)
_HAS_TIME = re.compile(r"\b(?:\d{1,2}(?:st|nd|rd|th)|yet|now|still)\b", re.IGNORECASE)
EntryT = TypeVar("EntryT", bound=BaseModel)


class WrittenSentence(BaseModel):
    """One sentence of a statement as the model writes it; `rests_on` counts the lines from 1."""

    sentence: str
    rests_on: int


class FactsReply(BaseModel):
    facts: list[StatedFact]


class StatementReply(BaseModel):
    statement: list[WrittenSentence]


class RoundReply(BaseModel):
    facts: list[StatedFact]
    statement: list[WrittenSentence]


@dataclass(frozen=True)
class PromptedReadingConfig:
    """`lines` share one reading of the instructions; `lines_before` of at most `longest_before` characters come before them.

    `confidence` stands a little under what the paper reports for its own extraction (about 95%). `longest` bounds a sentence
    of a statement in characters.
    """

    lines: int = 24
    lines_before: int = 6
    longest_before: int = 300
    longest: int = 600
    confidence: float = 0.9
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=2048))


@dataclass(frozen=True)
class _Batch:
    """Lines that one prompt asks about: their places in the round, all of one day."""

    round: RoundToRead
    places: tuple[int, ...]

    @property
    def lines(self) -> list[Utterance]:
        return [self.round.sentences[place] for place in self.places]


class PromptedRoundReader:
    """A `RoundReader` that asks a language model."""

    def __init__(
        self,
        language_model: LanguageModel,
        *,
        reply_type: type[BaseModel] = RoundReply,
        config: PromptedReadingConfig = PromptedReadingConfig(),
    ) -> None:
        self._language_model = language_model
        self._reply_type = reply_type
        self._config = config

    def read_many(self, rounds: Sequence[RoundToRead]) -> list[ReadRound]:
        """Return what each round states. A round of courtesies alone is not asked about.

        Of a round whose lines were read in part the fault says what is missing. Raises the `LanguageModelError` of a round of
        which nothing could be read: it is not one that states nothing.
        """
        batches = [list(_batches(one, size=self._config.lines)) for one in rounds]
        asked = [batch for of_round in batches for batch in of_round]
        replies = iter(
            ask_many(
                self._language_model,
                [self._prompt(batch) for batch in asked],
                partial(_readable, wanted=tuple(self._reply_type.model_fields)),
                config=self._config.sampling,
            )
        )
        return [
            self._read(one, [(batch, next(replies)) for batch in of_round])
            for one, of_round in zip(rounds, batches, strict=True)
        ]

    def _read(
        self, one: RoundToRead, replies: Sequence[tuple[_Batch, dict[str, object] | LanguageModelError]]
    ) -> ReadRound:
        failed = [reply for _, reply in replies if isinstance(reply, LanguageModelError)]
        if failed and len(failed) == len(replies):
            raise failed[0]
        sieve = _Sieve(one, config=self._config)
        for batch, reply in replies:
            if not isinstance(reply, LanguageModelError):
                sieve.take(batch, reply)
        return sieve.kept(fault=str(failed[0]) if failed else "")

    def _prompt(self, batch: _Batch) -> Prompt:
        wanted = self._reply_type.model_fields
        said_on = batch.lines[0].said_at
        return render_prompt(
            PROMPT,
            schema=self._reply_type,
            wants_facts="facts" in wanted,
            wants_statement="statement" in wanted,
            kinds=", ".join(get_args(Kind)),
            predicates=predicate_table(),
            known="\n".join(batch.round.known),
            before="\n".join(self._lines_before(batch)),
            said_on=said_on.strftime("%Y-%m-%d (%A)"),
            lines="\n".join(f"{number}. {_line(said)}" for number, said in enumerate(batch.lines, start=1)),
        )

    def _lines_before(self, batch: _Batch) -> list[str]:
        """Return the last lines before a batch, the round's own among them; what another day brought bears its date."""
        before = [*batch.round.before, *batch.round.sentences[: batch.places[0]]]
        today = batch.lines[0].said_at.date()
        return [
            ("" if said.said_at.date() == today else f"({said.said_at:%Y-%m-%d}) ")
            + _line(replace(said, text=said.text[: self._config.longest_before]))
            for said in before[max(0, len(before) - self._config.lines_before) :]
        ]


class _Sieve:
    """Keeps what a round's own words bear out of what a model wrote of it."""

    def __init__(self, one: RoundToRead, *, config: PromptedReadingConfig) -> None:
        self._round = one
        self._config = config
        self._grounds = Grounds(_shown(one))
        self._users = {said.speaker for said in (*one.before, *one.sentences) if said.role is Role.USER}
        shown = (*one.before, *one.sentences)
        self._has_time = any(_HAS_TIME.search(said.text) or dates_in(said.text, said_at=said.said_at) for said in shown)
        self._facts: dict[int, list[Fact]] = {}
        self._sentences: dict[str, int] = {}

    def take(self, batch: _Batch, reply: Mapping[str, object]) -> None:
        """Keep what is fit of the reply about a batch; the rest is logged."""
        for stated in _entries(reply.get("facts"), StatedFact):
            fault = self._take_fact(stated, batch)
            if fault:
                LOGGER.warning("Dropped a fact %s: %r", fault, stated.quote[:100])
        for written in _entries(reply.get("statement"), WrittenSentence):
            fault = self._take_sentence(written, batch)
            if fault:
                LOGGER.warning("Dropped a sentence of a statement, %s: %r", fault, written.sentence[:100])

    def kept(self, *, fault: str) -> ReadRound:
        places = range(len(self._round.sentences))
        return ReadRound(
            tuple(GraphFragment(tuple(dict.fromkeys(self._facts.get(place, ())))) for place in places),
            Statement(tuple(self._sentences), tuple(self._sentences.values())),
            fault=fault,
        )

    def _take_fact(self, stated: StatedFact, batch: _Batch) -> str:
        """Keep a fact, or return why it is dropped."""
        if not 1 <= stated.sentence <= len(batch.places):
            return f"about line {stated.sentence} of {len(batch.places)}"
        place = batch.places[stated.sentence - 1]
        said = self._round.sentences[place]
        fact = fact_of(stated, said, self._grounds, confidence=self._config.confidence)
        if isinstance(fact, str):
            return fact
        if said.role is Role.ASSISTANT and self._is_of_a_user(fact, said):
            return "that is not the speaker's to tell"
        self._facts.setdefault(place, []).append(fact)
        return ""

    def _take_sentence(self, written: WrittenSentence, batch: _Batch) -> str:
        """Keep a sentence of the statement, or return why it is dropped."""
        text, number = " ".join(written.sentence.split()), written.rests_on
        if not any(character.isalnum() for character in text) or len(text) > self._config.longest:
            return f"which is empty or over {self._config.longest} characters"
        if not 1 <= number <= len(batch.places):
            return f"which rests on line {number} of {len(batch.places)}"
        if text.rstrip(" \"'”’)").endswith(("?", "？", "؟")):
            return "which asks"
        place = batch.places[number - 1]
        said = self._round.sentences[place]
        # "Yesterday" becomes a date, whose numbers nobody said, and "not yet" gets the day of its line.
        bare = _DATE.sub("", text) if self._has_time else text.replace(say_day(said.said_at), "")
        strangers = self._grounds.strangers(bare)
        if strangers:
            return f"whose {', '.join(strangers)} nobody said"
        self._sentences.setdefault(text, place)
        return ""

    def _is_of_a_user(self, fact: Fact, said: Utterance) -> bool:
        told = f"{fact.subject.label} {said.text[fact.span.start : fact.span.end]} {fact.object.label}"
        return fact.subject.is_speaker or is_about_a_user(told, self._users)


class PromptedExtractor:
    """A `KnowledgeExtractor` that asks a language model for facts alone."""

    def __init__(
        self, language_model: LanguageModel, *, config: PromptedReadingConfig = PromptedReadingConfig()
    ) -> None:
        self._reader = PromptedRoundReader(language_model, reply_type=FactsReply, config=config)

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        """Return one fragment a sentence, empty for what is no speech of a user's. Raises a `LanguageModelError`."""
        users = [place for place, said in enumerate(sentences) if said.role is Role.USER]
        [read] = self._reader.read_many([RoundToRead(tuple(sentences[place] for place in users), tuple(context))])
        found = dict(zip(users, read.fragments, strict=True))
        return [found.get(place, GraphFragment()) for place in range(len(sentences))]


class PromptedStatementWriter:
    """A `StatementWriter` that asks a language model for the statement alone."""

    def __init__(
        self, language_model: LanguageModel, *, config: PromptedReadingConfig = PromptedReadingConfig()
    ) -> None:
        self._reader = PromptedRoundReader(language_model, reply_type=StatementReply, config=config)

    def write_many(self, rounds: Sequence[DialogueRound]) -> list[Statement]:
        """Return one statement a round. Raises the `LanguageModelError` of the first round that failed."""
        return [read.statement for read in self._reader.read_many([RoundToRead(one.sentences) for one in rounds])]


def _batches(one: RoundToRead, *, size: int) -> Iterator[_Batch]:
    """Yield the lines to read together: of one day, in order, a bounded number; none where nothing is asserted.

    Code and what is pasted, quoted or played is nobody's word, and is not shown.
    """
    own = own_words([*one.before, *one.sentences])[len(one.before) :]
    shown = [place for place, said in enumerate(one.sentences) if said.role is Role.ASSISTANT or own[place]]
    if not any(_may_assert(one.sentences[place].text) for place in shown):
        return
    for _, group in groupby(shown, key=lambda place: one.sentences[place].said_at.date()):
        places = tuple(group)
        for first in range(0, len(places), size):
            yield _Batch(one, places[first : first + size])


def _may_assert(text: str) -> bool:
    return any(character.isalnum() for character in text) and not is_courtesy(text)


def _readable(text: str, *, wanted: Sequence[str]) -> dict[str, object]:
    """Return the object of a reply that has at least one list of what was wanted. Raises `UnreadableReply`."""
    found = first_object(answer_of(text))
    lists = [name for name in wanted if isinstance(found.get(name), list)]
    if not lists:
        raise UnreadableReply(f'the object has no list "{wanted[0]}".')
    read = [*_entries(found.get("facts"), StatedFact), *_entries(found.get("statement"), WrittenSentence)]
    if any(found[name] for name in lists) and not read:
        raise UnreadableReply("no entry of the lists has the asked fields.")
    return found


def _entries(found: object, entry_type: type[EntryT]) -> list[EntryT]:
    """Return the entries of a list that can be read; the others are logged."""
    entries = []
    for one in found if isinstance(found, list) else []:
        try:
            entries.append(validated(one, entry_type))
        except UnreadableReply as error:
            LOGGER.warning("Passed over an entry of a reply: %s", error)
    return entries


def _shown(one: RoundToRead) -> Iterator[str]:
    for said in (*one.before, *one.sentences):
        yield said.text
        yield said.speaker
    yield from one.known


def _line(said: Utterance) -> str:
    who = "assistant" if said.role is Role.ASSISTANT else " ".join(said.speaker.split())
    return f"{who}: {' '.join(said.text.split())}"
