"""Reads facts out of sentences with a language model (D-SMART, KGE).

Departures from the paper:
- The paper distils a round into a statement, which an AMR parser then takes apart (Algorithm 1); here a language model
  writes the facts themselves, bound to a schema: models write those far more surely than graphs in Penman or Turtle.
- Every fact quotes its sentence. One that quotes other words than the sentence has is dropped: it was made up, or
  belongs elsewhere. So each triple leads back to the words that it rests on, which a statement would hide.
- Only what users say is read. Recalled memory in a reply would come back as if the user had said it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel

from memory.core.english.inflection import base_form, words_of_name
from memory.core.errors import LanguageModelError
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.knowledge_graph.extraction.modality import SOMEBODY
from memory.core.knowledge_graph.ontology import (
    FAVORITE,
    PREDICATES,
    favorite_of,
    minted,
    predicate_named,
    predicate_of_phrase,
    relation_of,
)
from memory.core.knowledge_graph.update import ANY
from memory.core.ports import LanguageModel
from memory.core.prompting import ask_many, parse_json, render_prompt
from memory.core.types import (
    Fact,
    GraphFragment,
    Modality,
    Node,
    Polarity,
    Prompt,
    SamplingConfig,
    Span,
    Tense,
    Utterance,
)

LOGGER = logging.getLogger(__name__)
PROMPT = Path(__file__).parent / "prompts" / "extract_facts.md.j2"
# What is longer is a sentence in the place of a name.
PREDICATE_LIMIT = 80
FIRST_PERSON = frozenset({"i", "me", "myself", "mine", "my", "speaker", "the speaker", "user", "the user"})
# The same character in the two ways that keyboards and models write it; one for one, so that offsets stay.
QUOTE_MARKS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})

Kind = Literal[
    "Person",
    "Organization",
    "Place",
    "Animal",
    "Event",
    "Food",
    "Object",
    "TimeSpan",
    "Occupation",
    "Language",
    "Value",
    "Other",
]


class StatedFact(BaseModel):
    """One fact as the model writes it. The quotation stands first: what is written after it rests on it."""

    sentence: int
    quote: str
    subject: str
    subject_kind: Kind
    predicate: str
    object: str | None
    object_kind: Kind
    polarity: Polarity
    modality: Modality
    reported_by: str | None = None
    tense: Tense
    valid_from: str | None
    valid_to: str | None


class StatedFacts(BaseModel):
    facts: list[StatedFact]


@dataclass(frozen=True)
class PromptedExtractionConfig:
    """`sentences_per_prompt` share one reading of the instructions; `lines_before` are shown for pronouns.

    `confidence` stands a little under what the paper reports for its own extraction (about 95%).
    """

    sentences_per_prompt: int = 8
    lines_before: int = 6
    confidence: float = 0.9
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=2048))


class PromptedExtractor:
    """A `KnowledgeExtractor` that asks a language model."""

    def __init__(
        self, language_model: LanguageModel, *, config: PromptedExtractionConfig = PromptedExtractionConfig()
    ) -> None:
        self._language_model = language_model
        self._config = config

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        """Return one fragment a sentence, empty for what is no speech of a user's.

        Raises the `LanguageModelError` of the first prompt that failed: a sentence that was not read is not one without
        facts.
        """
        said = [*context, *sentences]
        batches = list(_batches(said, len(context), self._config.sentences_per_prompt))
        prompts = [self._prompt(said, batch) for batch in batches]
        found: dict[int, list[Fact]] = {}
        for batch, stated in zip(
            batches,
            ask_many(
                self._language_model, prompts, partial(parse_json, reply_type=StatedFacts), config=self._config.sampling
            ),
            strict=True,
        ):
            if isinstance(stated, LanguageModelError):
                raise stated
            for one in stated.facts:
                if not 1 <= one.sentence <= len(batch):
                    LOGGER.warning("Dropped a fact about sentence %d of %d.", one.sentence, len(batch))
                    continue
                place = batch[one.sentence - 1]
                fact = fact_of(one, said[place], confidence=self._config.confidence)
                if fact is not None:
                    found.setdefault(place, []).append(fact)
        return [GraphFragment(tuple(dict.fromkeys(found.get(place, ())))) for place in range(len(context), len(said))]

    def _prompt(self, said: Sequence[Utterance], batch: Sequence[int]) -> Prompt:
        first = said[batch[0]]
        before = said[max(0, batch[0] - self._config.lines_before) : batch[0]]
        return render_prompt(
            PROMPT,
            schema=StatedFacts,
            kinds=", ".join(get_args(Kind)),
            predicates=_predicate_table(),
            before="\n".join(f"{line.speaker}: {_one_line(line.text)}" for line in before),
            said_on=first.said_at.strftime("%Y-%m-%d (%A)"),
            speaker=_one_line(first.speaker),
            sentences="\n".join(
                f"{number}. {_one_line(said[place].text)}" for number, place in enumerate(batch, start=1)
            ),
        )


def fact_of(stated: StatedFact, source: Utterance, *, confidence: float) -> Fact | None:
    """Return the fact that the model stated of a sentence, or None where the sentence does not bear it out."""
    span = find_quote(stated.quote, source.text)
    if span is None:
        LOGGER.warning("Dropped a fact whose quotation is not in its sentence: %r", stated.quote[:100])
        return None
    predicate = predicate_of(stated.predicate)
    subject = _node(stated.subject, stated.subject_kind, source.speaker)
    object_ = _object(stated, predicate, source.speaker) if predicate else None
    if subject is None or object_ is None or subject.is_literal:
        LOGGER.warning("Dropped a fact without a subject, a predicate or an object: %r", stated.quote[:100])
        return None
    valid_from = _start_of(stated.valid_from, source.said_at)
    valid_to = _start_of(stated.valid_to, source.said_at)
    if valid_from is not None and valid_to is not None and valid_to < valid_from:
        LOGGER.warning("Dropped the dates of a fact that would end before it begins: %r", stated.quote[:100])
        valid_from = valid_to = None
    return Fact(
        subject=subject,
        predicate=predicate,
        object=object_,
        span=span,
        polarity=stated.polarity,
        modality=stated.modality,
        tense=stated.tense,
        valid_from=valid_from,
        valid_to=valid_to,
        confidence=confidence,
        attributed_to=_reporter(stated, source.speaker),
    )


def find_quote(quote: str, text: str) -> Span | None:
    """Return where a quotation stands in the text, whatever its case, spacing and form of quotation marks; or None."""
    words = quote.translate(QUOTE_MARKS).strip(" \t\n.,;:!?\"'").split()
    if not words:
        return None
    pattern = r"(?<!\w)" + r"\s+".join(re.escape(word) for word in words) + r"(?!\w)"
    match = re.search(pattern, text.translate(QUOTE_MARKS), re.IGNORECASE)
    return None if match is None else Span(*match.span())


def predicate_of(name: str) -> str:
    """Return the ontology's name for a predicate that a model wrote, minted where the ontology has none; or nothing."""
    words = words_of_name("_".join(re.findall(r"[^\W_]+", name)))
    if not words or len(name) > PREDICATE_LIMIT:
        return ""
    known = _known_predicates().get("".join(words))
    if known:
        return known
    if words[:2] in (["has", "favorite"], ["has", "favourite"]) and len(words) > 2:
        return favorite_of(" ".join(words[2:]))
    if words[:1] in (["favorite"], ["favourite"]) and len(words) > 1:
        return favorite_of(" ".join(words[1:]))
    relation = relation_of(" ".join(words[1:] if words[0] in ("has", "have") else words))
    if relation:
        return relation
    if words[0] in ("has", "have"):
        return minted(" ".join(["has", *words[1:]]))
    phrase = " ".join([base_form(words[0]), *words[1:]])
    return predicate_of_phrase(phrase) or minted(phrase)


def _batches(said: Sequence[Utterance], start: int, size: int) -> Iterator[list[int]]:
    """Yield the places of sentences to read together: one speaker's, of one day, in order."""
    places = [place for place, is_own in enumerate(own_words(said)) if is_own and place >= start]
    for _, group in groupby(places, key=lambda place: (said[place].speaker, said[place].said_at.date())):
        together = list(group)
        for first in range(0, len(together), size):
            yield together[first : first + size]


def _reporter(stated: StatedFact, speaker: str) -> str:
    """Return whose word a reported fact is: as the model names them, or somebody where it names nobody else."""
    if stated.modality is not Modality.REPORTED:
        return ""
    name = _one_line(stated.reported_by or "")
    is_speaker = name.casefold() in FIRST_PERSON or name.casefold() == speaker.casefold()
    return SOMEBODY if not name or is_speaker else name[:PREDICATE_LIMIT]


def _object(stated: StatedFact, predicate: str, speaker: str) -> Node | None:
    if stated.object is None or not stated.object.strip():
        return ANY if stated.polarity is Polarity.NEGATIVE else None
    if predicate_named(predicate).range == "Literal":
        return Node(_one_line(stated.object), is_literal=True)
    return _node(stated.object, stated.object_kind, speaker)


def _node(label: str, kind: Kind, speaker: str) -> Node | None:
    name = _one_line(label)
    if not name:
        return None
    if name.casefold() in FIRST_PERSON or name.casefold() == speaker.casefold():
        return Node(speaker, kind="Person", is_speaker=True)
    if kind == "Value":
        return Node(name, is_literal=True)
    return Node(name, kind="" if kind == "Other" else kind)


def _start_of(written: str | None, said_at: datetime) -> datetime | None:
    """Return the beginning of a date, month or year in the time zone of the sentence, or None where it is no date."""
    match = re.match(r"\s*(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?(?!\d)", written or "")
    if match is None:
        if written:
            LOGGER.warning("Passed over a date that is none: %r", written[:40])
        return None
    year, month, day = (int(part) if part else 1 for part in match.groups())
    try:
        at = date(year, month, day)
    except ValueError:
        LOGGER.warning("Passed over a date that is not in the calendar: %r", (written or "")[:40])
        return None
    # Farther out, a conversion between time zones leaves the calendar.
    if not timedelta(days=2) < at - date.min < date.max - date.min - timedelta(days=2):
        return None
    return datetime(at.year, at.month, at.day, tzinfo=said_at.tzinfo)


def _one_line(text: str) -> str:
    return " ".join(text.split())


@cache
def _known_predicates() -> dict[str, str]:
    return {"".join(words_of_name(name)): name for name in PREDICATES}


@cache
def _predicate_table() -> str:
    """Return one line a predicate: its name and the kinds that it joins, so far as they are bound."""
    lines = [
        f"{name} ({known.domain or 'anything'} -> {known.range.replace('Literal', 'Value') or 'anything'})"
        for name, known in PREDICATES.items()
    ]
    return "\n".join([*lines, f"{FAVORITE}<Thing> (Person -> anything), such as {favorite_of('colour')}"])
