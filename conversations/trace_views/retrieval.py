"""Shows a retrieval: the first sentences, what the graph added, and each part's ranking, with present words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conversations.core.tracing.retrieval import Retrieved
from memory import bootstrap
from memory.core.types import Passage, Retrieval, ScoredUnit, Unit
from memory.selectors.tracing import NumberedStep
from memory.trace_views.base import Reading, StepView

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


@dataclass(frozen=True)
class Part:
    """One step of a retrieval: a name for machines, a line that explains it, and its units, best first."""

    name: str
    explanation: str
    units: tuple[ScoredUnit, ...]


@dataclass(frozen=True)
class Found:
    """A unit with its score, and its words if they still exist."""

    unit: ScoredUnit
    passage: Passage | None

    @property
    def kind(self) -> str:
        return self.unit.unit.value

    @property
    def line(self) -> str:
        if self.passage is None:
            return f"{self.kind} {self.unit.id} (forgotten since)"
        text = " ".join(self.passage.text.split())
        cut = text if len(text) <= _QUOTED else f"{text[:_QUOTED].rstrip()} ..."
        who = f", {self.passage.speaker}" if self.passage.speaker else ""
        return f'{self.kind} {self.unit.id}, {self.passage.said_at:%Y-%m-%d %H:%M}{who}: "{cut}"'


@dataclass(frozen=True)
class PartShown:
    """A part of a retrieval as it is shown: its first units, and the number of the others."""

    part: Part
    found: Sequence[Found]

    @property
    def more(self) -> int:
        return len(self.part.units) - len(self.found)


@dataclass(frozen=True)
class RetrievalShown:
    step: Retrieved
    parts: Sequence[PartShown]


class RetrievalView(StepView[Retrieved]):
    kind = Retrieved

    def shown_many(self, groups: Sequence[Sequence[NumberedStep]], reading: Reading) -> list[Any]:
        steps: list[Retrieved] = [group[0].step for group in groups]  # type: ignore[misc]
        parts = [parts_of(step.retrieval) for step in steps]
        words = words_of([unit for some in parts for part in some for unit in part.units[:SHOWN]], reading.space_id)
        return [
            RetrievalShown(
                step,
                [
                    PartShown(part, [Found(unit, words.get((unit.unit, unit.id))) for unit in part.units[:SHOWN]])
                    for part in some
                ],
            )
            for step, some in zip(steps, parts, strict=True)
        ]

    def lines(self, shown: RetrievalShown) -> list[str]:
        asked = f' for: "{shown.step.question}"' if shown.step.question else ""
        lines = [f"Looked through what was said{asked}"]
        if shown.step.retrieval.is_empty:
            lines.append(f"  Nothing was found. {shown.step.retrieval.reason}".rstrip())
        for one in shown.parts:
            lines.append(f"  {one.part.explanation} ({len(one.part.units)}):")
            lines += [f"    {found.unit.score:7.3f}  {found.line}" for found in one.found]
            if one.more:
                lines.append(f"             ... and {one.more} more")
        return lines


def parts_of(retrieval: Retrieval) -> list[Part]:
    """Return the steps of a retrieval in order, without those that it lacks."""
    trace = retrieval.trace
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


def words_of(units: Sequence[ScoredUnit], space_id: int) -> Mapping[tuple[Unit, int], Passage]:
    """Return the words of those of the units that still exist, in one or two queries for each kind."""
    ids: dict[Unit, dict[int, None]] = {}
    for unit in units:
        ids.setdefault(unit.unit, {}).setdefault(unit.id)
    index = bootstrap.dialogue_index(space_id)
    return {
        (unit, passage.id): passage for unit, known in ids.items() for passage in index.passages_of(unit, list(known))
    }


def _ranked_by(name: str, units: Sequence[ScoredUnit]) -> str:
    kind = _HEADS[units[0].unit]
    return f"{kind} ranked by score" if name in set(Unit) else f"{kind} ranked by {name.replace('_', ' ')}"
