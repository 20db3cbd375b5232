"""How a retrieval came about, for a person: what was found at first, what the graph added, how each part ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conversations.core.types import Retrieved
from memory.core.types import Passage, ScoredUnit, Unit

SHOWN = 10
_QUOTED = 100
_HEADS = {
    Unit.SESSION: "Conversations",
    Unit.ROUND: "Rounds",
    Unit.TURN: "Turns",
    Unit.SENTENCE: "Sentences",
    Unit.WINDOW: "Turns with what was said before them",
    Unit.SUMMARY: "Summaries",
    Unit.FACT: "Facts",
    Unit.INSIGHT: "Insights",
}

Words = Mapping[tuple[Unit, int], Passage]


@dataclass(frozen=True)
class Part:
    """One step of a retrieval: a name for machines, a line that explains it, and what it had, best first."""

    name: str
    explanation: str
    units: tuple[ScoredUnit, ...]


def parts_of(found: Retrieved) -> list[Part]:
    """Return the steps of a retrieval in the order in which they were taken; steps that it does not have are left out."""
    retrieval, trace = found.retrieval, found.retrieval.trace
    chunks = tuple(ScoredUnit(one.unit, one.id, one.score) for ranked in retrieval.chunks.values() for one in ranked)
    steps = [
        Part("candidates", "Sentences found at first, by their nearness to the question", trace.candidates),
        Part("expansion", "Sentences that the graph added: the nearest ones to those", trace.expansion),
        *(Part(name, _ranked_by(name, units), units) for name, units in trace.rankings.items() if units),
        Part("chunks", "What the answer is read from, by score", chunks),
        Part("digests", "What was noted before and fits", retrieval.digests),
        Part("sentences", "Sentences that speak for it", retrieval.sentences),
    ]
    return [step for step in steps if step.units]


def units_of(found: Sequence[Retrieved]) -> dict[Unit, list[int]]:
    """Return the ids of all that the steps show, by kind, each once."""
    ids: dict[Unit, dict[int, None]] = {}
    for one in found:
        for part in parts_of(one):
            for unit in part.units[:SHOWN]:
                ids.setdefault(unit.unit, {}).setdefault(unit.id)
    return {unit: list(known) for unit, known in ids.items()}


def trace_lines(found: Retrieved, words: Words) -> list[str]:
    """Return the steps as lines to read."""
    lines = [f'Looked for: "{found.question}"']
    if found.retrieval.is_empty:
        lines.append(f"  Nothing was found. {found.retrieval.reason}".rstrip())
    for part in parts_of(found):
        lines.append(f"  {part.explanation} ({len(part.units)}):")
        lines += [f"    {unit.score:7.3f}  {_line(words.get((unit.unit, unit.id)))}" for unit in part.units[:SHOWN]]
        if len(part.units) > SHOWN:
            lines.append(f"             ... and {len(part.units) - SHOWN} more")
    return lines


def trace_data(found: Retrieved, words: Words) -> dict[str, object]:
    """Return the steps as data; of what each ranked only as much as is shown has its words."""
    return {
        "question": found.question,
        "reason": found.retrieval.reason,
        "steps": [
            {
                "name": part.name,
                "explanation": part.explanation,
                "units": [_unit_data(unit, words.get((unit.unit, unit.id))) for unit in part.units],
            }
            for part in parts_of(found)
        ],
        "chunks": [
            {"unit": one.unit.value, "id": one.id, "score": one.score, "sentence_ids": list(one.sentence_ids)}
            for ranked in found.retrieval.chunks.values()
            for one in ranked
        ],
    }


def _ranked_by(name: str, units: Sequence[ScoredUnit]) -> str:
    kind = _HEADS[units[0].unit]
    return f"{kind} ranked by score" if name in set(Unit) else f"{kind} ranked by {name.replace('_', ' ')}"


def _line(passage: Passage | None) -> str:
    if passage is None:
        return "(gone)"
    text = " ".join(passage.text.split())
    cut = text if len(text) <= _QUOTED else f"{text[:_QUOTED].rstrip()} ..."
    who = f", {passage.speaker}" if passage.speaker else ""
    return f'{passage.unit.value} {passage.id}, {passage.said_at:%Y-%m-%d %H:%M}{who}: "{cut}"'


def _unit_data(unit: ScoredUnit, passage: Passage | None) -> dict[str, object]:
    data: dict[str, object] = {"unit": unit.unit.value, "id": unit.id, "score": unit.score}
    if passage is not None:
        data |= {"text": passage.text, "speaker": passage.speaker, "said_at": passage.said_at.isoformat()}
    return data
