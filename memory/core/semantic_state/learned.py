"""The built-in player of the role `extract_evidence`: words marked by the evidence reader, linked to what is known.

What a task needs and nobody said comes from schemas of everyday tasks (tasks.json): the request is held against the requests
of each by meaning, and each of its questions is put to what the user said, by the answer reader.

Departure from the paper: of a state with many elements only the newest that count are held against a turn, so that a turn
costs the same however long the conversation is.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memory.core.ports import AnswerReader, Embedder
from memory.core.semantic_state.elements import Constraint, Element, ElementKind, Unknown
from memory.core.semantic_state.evidence import (
    Asserted,
    Assumed,
    Evidence,
    Irrelevant,
    Missed,
    Required,
    Resolved,
    StateTurn,
    Withdrawn,
)
from memory.core.semantic_state.ports import Bearing, EvidencePair, EvidenceReader, Fate, FatePair, Marked, MarkedWords
from memory.core.types import MessageInContext, QuestionOnTurns, Role, SaidTurn

TASKS = Path(__file__).with_name("tasks.json")
CONSIDERED = 32
WISH = 0.5
GUESSED = 0.6
IS_LINKED = 0.5
IS_TASK = 0.5
NEW = frozenset({Marked.ASSERT, Marked.REQUIRE, Marked.FORBID, Marked.PREFER, Marked.GUESS, Marked.MISSING})
LINKING = NEW | {Marked.RETRACT, Marked.SWITCH}
ANSWERING = NEW - {Marked.MISSING, Marked.GUESS}
BEARINGS_OF = {Fate.REPLACED: Bearing.REPLACES, Fate.ENDED: Bearing.ENDS, Fate.ANSWERED: Bearing.ANSWERS}
# How a piece bears on elements and on other pieces of its turn, by their ids and refs.
Links = dict[str, dict[Bearing, float]]
OF_ELEMENTS: Mapping[ElementKind, Marked] = {
    ElementKind.FACT: Marked.ASSERT,
    ElementKind.CONSTRAINT: Marked.REQUIRE,
    ElementKind.ASSUMPTION: Marked.GUESS,
    ElementKind.UNKNOWN: Marked.MISSING,
}


@dataclass(frozen=True)
class Need:
    """What a task needs: in a word what it is about, and the question that asks for it."""

    about: str
    question: str


@dataclass(frozen=True)
class TaskSchema:
    """A kind of task: how people ask for it, and what it needs."""

    name: str
    asked: tuple[str, ...]
    needs: tuple[Need, ...]


@dataclass(frozen=True)
class Fallen:
    """A known element that a message fells, how, and the place of the marked piece that does it, if any does."""

    element: Element
    fate: Fate
    by: int | None


@dataclass(frozen=True, kw_only=True)
class LearnedEvidenceExtractor:
    """Implements `EvidenceExtractor` without a language model."""

    reader: EvidenceReader
    answers: AnswerReader | None
    embedder: Embedder

    def extract(self, turn: StateTurn) -> Sequence[Evidence]:
        before = turn.before[-1].text if turn.before else ""
        message = MessageInContext(turn.said.text, before)
        [marks] = self.reader.mark_many([message])
        known = considered(turn)
        links = self._links(marks, known, message)
        fallen = self._fallen(marks, known, links, message)
        found = [one for place in in_order(links) for one in evidence_of(place, marks, links[place], fallen)]
        found += [said for one in fallen if (said := felled(one, marks, turn.said.text)) is not None]
        return [*found, *self._missing(turn, found)]

    def _links(self, marks: Sequence[MarkedWords], known: Sequence[Element], message: MessageInContext) -> list[Links]:
        """Return how each new piece bears on what is known and on the other pieces of its turn."""
        pairs: list[tuple[int, str, EvidencePair]] = []
        for place, new in enumerate(marks):
            if new.kind not in LINKING:
                continue
            pairs += [(place, one.id, EvidencePair(asked_or_said(one), kind_of(one), message, new)) for one in known]
            pairs += [
                (place, ref_of(other), EvidencePair(mark.text, mark.kind, message, new))
                for other, mark in enumerate(marks)
                if other != place and mark.kind in NEW
            ]
        found: list[Links] = [{} for _ in marks]
        for (place, name, _), shares in zip(pairs, self.reader.link_many([pair for *_, pair in pairs]), strict=True):
            found[place][name] = shares
        return found

    def _fallen(
        self,
        marks: Sequence[MarkedWords],
        known: Sequence[Element],
        links: Sequence[Links],
        message: MessageInContext,
    ) -> list[Fallen]:
        """Return the known elements that the message fells, each with the piece that bears on it most in that way."""
        asked = [FatePair(asked_or_said(one), kind_of(one), message) for one in known]
        found = []
        for element, fates in zip(known, self.reader.fates_many(asked), strict=True):
            fate = max(fates, key=lambda one: fates[one])
            if fate is Fate.STANDS:
                continue
            bearing = BEARINGS_OF[fate]
            linked = [place for place, of_piece in enumerate(links) if element.id in of_piece]
            by = max(linked, key=lambda place: links[place][element.id][bearing], default=None)
            found.append(Fallen(element, fate, by))
        return without_dependants(found)

    def _missing(self, turn: StateTurn, found: Sequence[Evidence]) -> Iterator[Missed]:
        """Yield what a new task needs and the user did not say."""
        is_left = any(isinstance(one, Irrelevant) for one in found)
        if self.answers is None or (turn.state.elements and not is_left):
            return
        task = self._task(turn.said.text)
        if task is None:
            return
        said = (*(one for one in turn.before if one.role is Role.USER and not is_left), turn.said)
        turns = tuple(SaidTurn(one.text, one.speaker) for one in said)
        answered = self.answers.read_many([QuestionOnTurns(need.question, turns) for need in task.needs])
        for need, answers in zip(task.needs, answered, strict=True):
            if all(answer.probability < self.answers.threshold for answer in answers):
                yield Missed(description=need.about, question=need.question, words="")

    def _task(self, text: str) -> TaskSchema | None:
        tasks = task_schemas()
        asked = [(task, example) for task in tasks for example in task.asked]
        vectors = self.embedder.embed([text, *(example for _, example in asked)])
        nearness = vectors[1:] @ vectors[0]
        best = int(nearness.argmax())
        return asked[best][0] if nearness[best] >= IS_TASK else None


@cache
def task_schemas() -> tuple[TaskSchema, ...]:
    content = json.loads(TASKS.read_text(encoding="utf-8"))
    return tuple(
        TaskSchema(name, tuple(task["asked"]), tuple(Need(need["about"], need["question"]) for need in task["needs"]))
        for name, task in content.items()
    )


def considered(turn: StateTurn) -> list[Element]:
    """Return the newest elements that count, the oldest first."""
    return [one for one in turn.state.elements.values() if one.is_current][-CONSIDERED:]


def kind_of(element: Element) -> Marked:
    if isinstance(element, Constraint) and element.weight < 1:
        return Marked.PREFER
    return OF_ELEMENTS[element.kind]


def asked_or_said(element: Element) -> str:
    return element.question if isinstance(element, Unknown) else element.words or element.description


def ref_of(place: int) -> str:
    return f"e{place + 1}"


def in_order(links: Sequence[Links]) -> Iterator[int]:
    """Yield the places of the pieces of a turn, each behind those that it is linked to; a circle is broken anywhere."""
    waiting = {
        place: {other for other in range(len(links)) if other != place and is_linked(links[place], ref_of(other))}
        for place in range(len(links))
    }
    while waiting:
        place = next((one for one, others in waiting.items() if not others), next(iter(waiting)))
        for other in waiting.pop(place):
            # It has to be told before what it waits for is there.
            del links[place][ref_of(other)]
        for others in waiting.values():
            others.discard(place)
        yield place


def is_linked(links: Links, name: str) -> bool:
    shares = links.get(name)
    return shares is not None and max(shares[Bearing.RESTS_ON], shares[Bearing.AGAINST]) >= IS_LINKED


def without_dependants(fallen: Sequence[Fallen]) -> list[Fallen]:
    """Return what falls but for what rests on something that falls: that goes with it."""
    names = {one.element.id for one in fallen}
    return [one for one in fallen if not names & set(one.element.basis)]


def evidence_of(place: int, marks: Sequence[MarkedWords], links: Links, fallen: Sequence[Fallen]) -> Iterator[Evidence]:
    """Yield the element that a marked piece brings, if any, with what it rests on, replaces and cannot hold beside."""
    mark, gone = marks[place], {one.element.id for one in fallen}
    standing = {name: shares for name, shares in links.items() if name not in gone}
    told: dict[str, Any] = {
        "description": " ".join(mark.text.split()).strip(" ,;"),
        "ref": ref_of(place),
        "words": mark.text,
        "replaces": tuple(one.element.id for one in fallen if one.by == place and is_replaced(one, mark)),
        "basis": tuple(name for name, shares in standing.items() if shares[Bearing.RESTS_ON] >= IS_LINKED),
        "against": tuple(name for name, shares in standing.items() if shares[Bearing.AGAINST] >= IS_LINKED),
    }
    match mark.kind:
        case Marked.ASSERT:
            yield Asserted(**told)
        case Marked.REQUIRE | Marked.FORBID:
            yield Required(**told)
        case Marked.PREFER:
            yield Required(**told, weight=WISH)
        case Marked.GUESS:
            yield Assumed(**told, confidence=GUESSED)
        case Marked.MISSING:
            yield Missed(**told, question=f"You said “{mark.text}”. What shall it be?")


def is_replaced(fallen: Fallen, mark: MarkedWords) -> bool:
    return fallen.fate is Fate.REPLACED and mark.kind in NEW


def felled(fallen: Fallen, marks: Sequence[MarkedWords], said: str) -> Evidence | None:
    """Return the evidence that an element falls; None where the piece that takes its place says so."""
    element = fallen.element
    if fallen.by is None:
        return Withdrawn(element=element.id, words=said)
    mark = marks[fallen.by]
    if isinstance(element, Unknown) and mark.kind in ANSWERING:
        return Resolved(unknown=element.id, by=ref_of(fallen.by), confidence=mark.probability, words=mark.text)
    if is_replaced(fallen, mark):
        return None
    kind = Irrelevant if mark.kind is Marked.SWITCH else Withdrawn
    return kind(element=element.id, words=mark.text)
