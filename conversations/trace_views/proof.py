"""Shows a search for a proof: what had to be known, the words that tell it, what was not taken, what stayed unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conversations.core.tracing.proof import (
    Outcome,
    ProofAttempt,
    ProofSearch,
    RejectionShape,
    RejectionWords,
    SubgoalShape,
    SubgoalWords,
)
from memory.core.backward_chaining.types import Ending, Fault
from memory.core.types import Role
from memory.models import SentenceRecord
from memory.selectors.tracing import NumberedStep
from memory.trace_views.base import Reading, StepView

ENDINGS = {
    Ending.PROVED: "All of it was found.",
    Ending.NOTHING_NEW: "I stopped here: looking on brought nothing new.",
    Ending.DEPTH: "I stopped here: this is as far as a search may go.",
    Ending.STOPPED: "I stopped here: there was nothing more to look for.",
    Ending.STOPPED_ASKING: "There was no other way to try.",
    Ending.CIRCULAR: "I stopped here: what I needed next was what I was looking for already.",
    Ending.REPEATED: "This way had been tried before.",
    Ending.NOTHING_TO_PROVE: "This way named nothing that I could look for.",
    Ending.NO_LOGIC: "This way contradicted itself and could not be followed.",
    Ending.UNREADABLE: "The language model's reply could not be used.",
}
FAULTS = {
    Fault.NO_SUBGOAL: "it answers nothing that was still open",
    Fault.NO_FACT: "it does not name the words that it rests on",
    Fault.NO_VARIABLE: "it tells something that was not asked",
    Fault.UNBOUND: "a part of it stays unknown",
    Fault.NOT_SAID: "the words do not say it",
    Fault.WRONG_TYPE: "it is another kind of thing",
    Fault.OTHER_VALUE: "something else is known already",
    Fault.CONTRADICTORY: "two different things were found at once",
    Fault.CONTRADICTED: "the words say otherwise",
}
FIRST = "For this I first needed to know:"


@dataclass(frozen=True)
class Rejection:
    """What was proposed for a subgoal and not taken, with the sentences that were cited for it."""

    shape: RejectionShape
    words: RejectionWords
    sentences: Sequence[SentenceRecord]

    @property
    def because(self) -> str:
        return FAULTS[Fault(self.shape.fault)]


@dataclass(frozen=True)
class Needed:
    """A subgoal as it is shown; `is_settled` where what it serves was found without it."""

    shape: SubgoalShape
    words: SubgoalWords
    sentences: Sequence[SentenceRecord]
    more: int
    rejected: Sequence[Rejection]
    is_settled: bool
    first: Sequence[Needed]

    @property
    def is_found(self) -> bool:
        return self.shape.grounds is not None


@dataclass(frozen=True)
class AttemptShown:
    """An attempt: its subgoals, each above what it needed first, and all of them in order; `stray` are of none of them."""

    number: int
    attempt: ProofAttempt
    roots: Sequence[Needed]
    needed: Sequence[Needed]
    stray: Sequence[Rejection]
    is_main: bool
    is_ended: bool

    @property
    def ending(self) -> str:
        if self.attempt.ending:
            return ENDINGS[Ending(self.attempt.ending)]
        return "" if self.is_ended else "I am still looking for it."

    @property
    def lead(self) -> str:
        if not self.roots:
            return "Another way was looked for." if self.attempt.breadth > 1 else "I looked for a way to an answer."
        way = "To answer this" if self.attempt.breadth == 1 else f"To answer it another way ({self.attempt.breadth})"
        return f"{way} I needed to know:"


@dataclass(frozen=True)
class ProofShown:
    """A search on one page, its attempts in order; the main one led to the proof, or came furthest."""

    search: ProofSearch | None
    attempts: Sequence[AttemptShown]
    reader: str
    is_ended: bool

    @property
    def ending(self) -> str:
        """A sentence that says what the search came to, or that it has not ended."""
        if self.search is None:
            return ""
        match self.search.outcome:
            case Outcome.PROVED:
                return "The answer is proved by what was said."
            case Outcome.UNKNOWN:
                return "The answer could not be proved by what was said."
            case Outcome.UNREADABLE:
                return "I could not look for the answer."
            case _:
                return "This search was cut short." if self.is_ended else "I am still looking."


class ProofView(StepView[ProofSearch]):
    kind = ProofSearch
    with_kinds = (ProofAttempt,)

    def shown_many(self, groups: Sequence[Sequence[NumberedStep]], reading: Reading) -> list[Any]:
        attempts = [one.step for group in groups for one in group if isinstance(one.step, ProofAttempt)]
        cited = {one for attempt in attempts for shape in attempt.subgoals for one in shape.grounds or ()}
        cited |= {one for attempt in attempts for shape in attempt.rejected for one in shape.cited}
        rows = SentenceRecord.objects.filter(space=reading.space_id).select_related("turn")
        sentences = rows.defer("embedding", "search", "turn__search").in_bulk(cited)
        return [proof_shown(group, reading, sentences) for group in groups]

    def lines(self, shown: ProofShown) -> list[str]:
        asked = f' for: "{shown.search.question}"' if shown.search is not None and shown.search.question else ""
        lines = [f"Looked for a proof{asked}. {shown.ending}".rstrip()]
        if shown.search is not None and shown.search.goal:
            lines.append(f"  Proved: {shown.search.goal}")
        for attempt in shown.attempts:
            lines.append(f"  {attempt.lead}")
            for one in attempt.roots:
                lines += needed_lines(one, reader=shown.reader, indent="    ")
            for rejected in attempt.stray:
                lines += rejected_lines(rejected, reader=shown.reader, indent="    ")
            if attempt.ending:
                lines.append(f"    {attempt.ending} {attempt.attempt.detail}".rstrip())
        return lines


def proof_shown(group: Sequence[NumberedStep], reading: Reading, sentences: Mapping[int, SentenceRecord]) -> ProofShown:
    """Return one search with its attempts."""
    search = next((one.step for one in group if isinstance(one.step, ProofSearch)), None)
    tried = sorted(
        ((one.step, one.number) for one in group if isinstance(one.step, ProofAttempt)), key=lambda one: one[0].breadth
    )
    best = search.best if search is not None and search.outcome else None
    main = best or (tried[-1][0].breadth if tried else None)
    shown = [attempt_shown(attempt, number, reading, sentences, main=main) for attempt, number in tried]
    return ProofShown(search, shown, reading.reader, reading.is_ended)


def attempt_shown(
    attempt: ProofAttempt,
    number: int,
    reading: Reading,
    sentences: Mapping[int, SentenceRecord],
    *,
    main: int | None,
) -> AttemptShown:
    """Return one attempt, each subgoal with what was needed for it first, and what was not taken for it."""

    def said(ids: Sequence[int], words: str) -> list[SentenceRecord]:
        return telling([sentences[one] for one in ids if one in sentences], words)

    rejected = [
        Rejection(shape, words, said(shape.cited, words.proposed)[: reading.facts])
        for shape, words in attempt.worded_rejections
    ]
    found = {shape.number for shape in attempt.subgoals if shape.grounds is not None}
    needed: dict[int, Needed] = {}
    # A subgoal comes after the one that it serves, so what is needed first is made before it is.
    for shape, words in reversed(attempt.worded_subgoals):
        told = said(shape.grounds or (), words.found)
        needed[shape.number] = Needed(
            shape,
            words,
            told[: reading.facts],
            len(told[reading.facts :]),
            [one for one in rejected if one.shape.subgoal == shape.number],
            shape.serves in found and shape.number not in found,
            [one for one in reversed(needed.values()) if one.shape.serves == shape.number],
        )
    in_order = list(reversed(needed.values()))
    return AttemptShown(
        number,
        attempt,
        [one for one in in_order if one.shape.serves not in needed],
        in_order,
        [one for one in rejected if one.shape.subgoal not in needed],
        attempt.breadth == main,
        reading.is_ended,
    )


def telling(sentences: Sequence[SentenceRecord], words: str) -> list[SentenceRecord]:
    """Return sentences, those first that share most words with others: of a turn, the one that tells it."""
    wanted = _words_in(words)
    return sorted(sentences, key=lambda one: -len(wanted & _words_in(one.text)))


def _words_in(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def needed_lines(one: Needed, *, reader: str, indent: str) -> Iterator[str]:
    """Yield a subgoal with what was needed for it first, each level further indented."""
    yield f"{indent}- {one.words.asked or '(forgotten since)'}"
    within = f"{indent}  "
    if one.is_found:
        yield f"{within}Found: {one.words.found or '(forgotten since)'}"
        yield from said_lines(one.sentences, reader=reader, indent=within)
        if one.words.bridge:
            yield f"{within}As is commonly known: {one.words.bridge}"
    elif one.is_settled:
        yield f"{within}Not needed any more."
    else:
        yield f"{within}Nobody has said it. {one.words.why_open}".rstrip()
    for rejected in one.rejected:
        yield from rejected_lines(rejected, reader=reader, indent=within)
    if one.first:
        yield f"{within}{FIRST}"
        for antecedent in one.first:
            yield from needed_lines(antecedent, reader=reader, indent=f"{within}  ")


def rejected_lines(one: Rejection, *, reader: str, indent: str) -> Iterator[str]:
    yield f"{indent}Not taken: {one.words.proposed or 'a proposal'}, because {one.because}. {one.words.detail}".rstrip()
    yield from said_lines(one.sentences, reader=reader, indent=indent)


def said_lines(sentences: Sequence[SentenceRecord], *, reader: str, indent: str) -> Iterator[str]:
    for one in sentences:
        speaker = one.turn.speaker
        who = "you" if speaker == reader else "D-SMART" if speaker == Role.ASSISTANT else speaker
        words = one.shown if one.turn.by_hand else f'{who}, {one.turn.said_at:%Y-%m-%d}: "{one.text}"'
        yield f"{indent}  {words}"
