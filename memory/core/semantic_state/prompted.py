"""Evidence extraction by a language model (SLSM, section 3.2, equation 7).

Departures from the paper:
- The model names elements by their ids, and copies the words that say each piece; what it cannot show in the turn is kept as
  refused, and the rest counts.
- An entry tells which unknowns it answers. That it resolves them is evidence of its own here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, TypedDict

from pydantic import BaseModel, field_validator

from memory.core.fact_lines import on_one_line
from memory.core.ports import LanguageModel
from memory.core.prompting import UnreadableReply, ask_many, parse_json, render_prompt, settled, validated
from memory.core.semantic_state.elements import Assumption, Element, SemanticState
from memory.core.semantic_state.evidence import (
    Asserted,
    Assumed,
    Evidence,
    Irrelevant,
    Missed,
    Required,
    Resolved,
    StateTurn,
    Ungrounded,
    Withdrawn,
)
from memory.core.types import Prompt, SamplingConfig

EXTRACT_EVIDENCE = Path(__file__).parent / "prompts" / "extract_evidence.md.j2"
# Of one text of a reply, in characters.
TEXT_LIMIT = 600


class _Links(TypedDict):
    replaces: tuple[str, ...]
    basis: tuple[str, ...]
    against: tuple[str, ...]


class EntryReply(BaseModel):
    """One piece of evidence; `ends`, `rests_on`, `against` and `answers` are ids, or names of other entries."""

    kind: Literal["fact", "unknown", "assumption", "constraint", "withdrawn", "irrelevant"]
    words: str
    says: str
    name: str
    question: str
    strength: float
    ends: list[str]
    rests_on: list[str]
    against: list[str]
    answers: list[str]

    @field_validator("says", "name", "question")
    @classmethod
    def _plain(cls, text: str) -> str:
        return on_one_line(text)[:TEXT_LIMIT]

    @field_validator("ends", "rests_on", "against", "answers")
    @classmethod
    def _ids(cls, names: list[str]) -> list[str]:
        return [on_one_line(name)[:TEXT_LIMIT] for name in names]


class EvidenceReply(BaseModel):
    evidence: list[EntryReply]


class _Entries(BaseModel):
    evidence: list[dict[str, object]]


_BLANK: dict[str, object] = {
    **dict.fromkeys(("words", "says", "name", "question"), ""),
    **dict.fromkeys(("ends", "rests_on", "against", "answers"), ()),
    "strength": 1.0,
}


@dataclass(frozen=True)
class PromptedEvidenceConfig:
    """The newest `elements` that count are shown, and the last `utterances`, each cut to `longest_utterance` characters."""

    elements: int = 80
    utterances: int = 4
    longest_utterance: int = 600
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=2048))


@dataclass(frozen=True)
class PromptedEvidenceExtractor:
    """An `EvidenceExtractor` that asks a language model."""

    language_model: LanguageModel
    config: PromptedEvidenceConfig = PromptedEvidenceConfig()

    def extract(self, turn: StateTurn) -> Sequence[Evidence]:
        """Return the evidence of a turn in the order of the reply, with what nobody said as `Ungrounded`.

        Raises `LanguageModelError`.
        """
        read = partial(evidence_of, text=turn.said.text)
        [found] = ask_many(self.language_model, [self.prompt(turn)], read, config=self.config.sampling)
        return settled(found)

    def prompt(self, turn: StateTurn) -> Prompt:
        """Return the prompt for a turn, without any word of a plan."""
        before = turn.before[-self.config.utterances :]
        return render_prompt(
            EXTRACT_EVIDENCE,
            schema=EvidenceReply,
            state=state_lines(turn.state, limit=self.config.elements),
            before="\n".join(
                f"{on_one_line(one.speaker)}: {on_one_line(one.text)[: self.config.longest_utterance]}"
                for one in before
            ),
            message=turn.said.text,
        )


def state_lines(state: SemanticState, *, limit: int) -> str:
    """Return the newest elements that count, one a line, oldest first: "c2 (constraint): At most 600. (rests on f1)".

    That a fact is taken for the answer to an unknown is left out: the fact says it.
    """
    shown = [
        one
        for one in state.elements.values()
        if one.is_current and not (isinstance(one, Assumption) and one.answers and one.basis)
    ]
    return "\n".join(map(_line, shown[-limit:]))


def _line(element: Element) -> str:
    rests = f" (rests on {', '.join(element.basis)})" if element.basis else ""
    return f"{element.id} ({element.kind}): {on_one_line(element.description)[:TEXT_LIMIT]}{rests}"


def evidence_of(reply: str, *, text: str) -> tuple[Evidence, ...]:
    """Return the evidence of a reply about a turn's text. Raises `UnreadableReply` where no entry can be read."""
    entries = parse_json(reply, _Entries).evidence
    found: list[Evidence] = []
    faults: list[str] = []
    for entry in entries:
        try:
            filled = _BLANK | {name: value for name, value in entry.items() if value is not None}
            found += _evidence(validated(filled, EntryReply), text)
        except UnreadableReply as error:
            faults.append(str(error))
            proposed = on_one_line(str(entry.get("says") or entry.get("kind") or "something"))[:TEXT_LIMIT]
            found.append(
                Ungrounded(proposed=proposed, because=f"The entry could not be read: {on_one_line(faults[-1])}")
            )
    if entries and len(faults) == len(entries):
        raise UnreadableReply(f"no entry could be read: {faults[0]}")
    return tuple(found)


def _evidence(entry: EntryReply, text: str) -> Iterator[Evidence]:
    words = said_in(text, entry.words)
    if words is None:
        because = f'The message does not say "{on_one_line(entry.words)[:TEXT_LIMIT]}".'
        yield Ungrounded(proposed=f"{entry.kind}: {entry.says}", because=because)
        return
    if entry.kind == "withdrawn":
        yield from (Withdrawn(element=one, words=words) for one in entry.ends)
        return
    if entry.kind == "irrelevant":
        yield from (Irrelevant(element=one, words=words) for one in entry.ends)
        return
    links: _Links = {"replaces": tuple(entry.ends), "basis": tuple(entry.rests_on), "against": tuple(entry.against)}
    match entry.kind:
        case "fact":
            yield Asserted(words=words, description=entry.says, ref=entry.name, **links)
        case "unknown":
            yield Missed(
                words=words,
                description=entry.says,
                ref=entry.name,
                question=entry.question,
                priority=entry.strength,
                **links,
            )
        case "assumption":
            yield Assumed(words=words, description=entry.says, ref=entry.name, confidence=entry.strength, **links)
        case "constraint":
            yield Required(words=words, description=entry.says, ref=entry.name, weight=entry.strength, **links)
    if entry.kind != "unknown":
        yield from (Resolved(unknown=one, by=entry.name, words=words) for one in entry.answers)


def said_in(text: str, words: str) -> str | None:
    """Return words as they stand in a text, whatever their case and blanks; None where they do not, and "" for none."""
    pattern = r"\s+".join(re.escape(word) for word in words.split())
    found = re.search(re.sub("['’]", "['’]", pattern), text, re.IGNORECASE)
    return found[0] if found else None
