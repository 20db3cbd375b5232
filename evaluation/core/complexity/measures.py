"""How complex dialogues are, by seven measures (D-SMART, Appendix C, Table 4).

A turn is a user's message with the reply to it: MT-Bench-101's 1,388 dialogues have 3.03 of these, as the table says.

Departures from the paper, which names the measures and not how they are taken:
- Entities are given from outside; a new one is one that no earlier turn names, so that the rate of new ones is that of unique
  ones by turn: 5.04 / 3.03 and 9.91 / 3.42 are the table's own figures.
- The type-token ratio of several dialogues is that of all their words together, which alone can be as low as the table's. It
  falls with the amount of text, so that a smaller set has a higher one by its size; that of a dialogue is its own.
- A condition and a negative constraint are told by the words of `markers.txt`.

The refined subset of a benchmark: neither trivial nor hopeless dialogues, the most complex first (D-SMART, Appendix C).

Stage 1 keeps dialogues whose score by the model alone is moderate. Stage 2 ranks those by complexity and takes the first, up
to a quarter of all dialogues.

Departure from the paper, which gives the seven measures no weights: a dialogue's place is the mean of its ranks by each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from importlib import resources

from evaluation.core.interval_rows import mean_row, ratio_row
from evaluation.core.report import Row

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
MARKERS = "markers.txt"


@dataclass(frozen=True)
class Turn:
    """The words of a round, and what it names."""

    text: str
    entities: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Complexity:
    """The seven measures of one dialogue, in the order of the table."""

    turns: float
    words_a_turn: float
    type_token_ratio: float
    unique_entities: float
    conditional_turns: float
    constraint_turns: float
    new_entities_a_turn: float


def complexity(dialogue: Sequence[Turn]) -> Complexity:
    """Return the measures of a dialogue. Raises `ValueError` where it has no turn."""
    if not dialogue:
        raise ValueError("a dialogue without a turn has no complexity")
    words = [words_of(turn.text) for turn in dialogue]
    spoken = [word for own in words for word in own]
    count = len(dialogue)
    return Complexity(
        turns=count,
        words_a_turn=len(spoken) / count,
        type_token_ratio=type_token_ratio(spoken),
        unique_entities=len(frozenset[str]().union(*(turn.entities for turn in dialogue))),
        conditional_turns=sum(has_marker(turn.text, "conditional") for turn in dialogue) / count,
        constraint_turns=sum(has_marker(turn.text, "constraint") for turn in dialogue) / count,
        new_entities_a_turn=sum(new_entities(dialogue)) / count,
    )


def words_of(text: str) -> list[str]:
    """Return the words and numbers of a text, without case."""
    return [found[0].lower() for found in _WORD.finditer(text)]


def type_token_ratio(words: Sequence[str]) -> float:
    return len(set(words)) / len(words) if words else 0.0


def new_entities(dialogue: Sequence[Turn]) -> Iterator[int]:
    """Yield how many entities each turn names that no earlier one did."""
    known: set[str] = set()
    for turn in dialogue:
        yield len(turn.entities - known)
        known |= turn.entities


def has_marker(text: str, kind: str) -> bool:
    return markers()[kind].search(text.replace("’", "'")) is not None


@cache
def markers() -> Mapping[str, re.Pattern[str]]:
    """Return a pattern for each kind of marker of the file beside this module."""
    kinds: dict[str, list[str]] = {}
    lines = resources.files(__package__).joinpath(MARKERS).read_text(encoding="utf-8").splitlines()
    for line in (line.strip() for line in lines if line.strip() and not line.startswith("#")):
        if line.startswith("["):
            kinds[line.strip("[]")] = []
        else:
            list(kinds.values())[-1].append(line)
    return {
        kind: re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})\b", re.IGNORECASE)
        for kind, phrases in kinds.items()
    }


def complexity_rows(name: str, dialogues: Mapping[str, Sequence[Turn]]) -> list[Row]:
    """Return the seven figures of a set of dialogues, as Table 4 has them; no value where the set is empty."""
    own = {key: complexity(dialogue) for key, dialogue in dialogues.items()}
    none = "there is no dialogue in the set"
    spoken = [word for dialogue in dialogues.values() for turn in dialogue for word in words_of(turn.text)]
    by_turn = {key: [float(len(words_of(turn.text))) for turn in dialogue] for key, dialogue in dialogues.items()}
    marked = {
        kind: {key: [has_marker(turn.text, kind) for turn in dialogue] for key, dialogue in dialogues.items()}
        for kind in markers()
    }
    new = {key: [float(count) for count in new_entities(dialogue)] for key, dialogue in dialogues.items()}
    return [
        mean_row(name, "turns", {key: [one.turns] for key, one in own.items()}, unit="turns", none=none),
        mean_row(name, "words_a_turn", by_turn, unit="words", none=none),
        Row(
            name,
            "type_token_ratio",
            type_token_ratio(spoken) if spoken else None,
            unit="ratio",
            n=len(spoken),
            why="" if spoken else none,
        ),
        mean_row(
            name,
            "unique_entities",
            {key: [one.unique_entities] for key, one in own.items()},
            unit="entities",
            none=none,
        ),
        ratio_row(name, "conditional_turns", marked["conditional"], none=none),
        ratio_row(name, "constraint_turns", marked["constraint"], none=none),
        mean_row(name, "new_entities_a_turn", new, unit="entities", none=none),
    ]


@dataclass(frozen=True)
class RefinementConfig:
    """The bounds of stage 1, both included, and the share of all dialogues that stage 2 ends with (Appendix C)."""

    low: float = 4.0
    high: float = 8.0
    share: float = 0.25


def refined_subset(
    dialogues: Mapping[str, Complexity],
    scores: Mapping[str, float] | None,
    *,
    config: RefinementConfig = RefinementConfig(),
) -> list[str]:
    """Return the keys of the refined subset, the most complex first. Without scores stage 1 is left out."""
    pool = list(dialogues) if scores is None else moderate(dialogues, scores, config=config)
    ranked = by_complexity({key: dialogues[key] for key in pool})
    return ranked[: round(config.share * len(dialogues))]


def moderate(
    dialogues: Mapping[str, Complexity], scores: Mapping[str, float], *, config: RefinementConfig = RefinementConfig()
) -> list[str]:
    """Return the keys of the dialogues whose score is within the bounds (stage 1); one without a score is left out."""
    return [key for key in dialogues if key in scores and config.low <= scores[key] <= config.high]


def by_complexity(dialogues: Mapping[str, Complexity]) -> list[str]:
    """Return the keys by the mean of their ranks by the seven measures, the most complex first (stage 2); ties as given."""
    keys = list(dialogues)
    measured = [astuple(dialogues[key]) for key in keys]
    ranks = [mean_ranks(column) for column in zip(*measured, strict=True)]
    means = {key: sum(own) / len(own) for key, own in zip(keys, zip(*ranks, strict=True), strict=True)}
    return sorted(keys, key=means.__getitem__)


def mean_ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value, 1 for the highest; equal values share the mean of their ranks."""
    return [
        sum(other > value for other in values) + (sum(other == value for other in values) + 1) / 2 for value in values
    ]
