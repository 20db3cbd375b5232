"""Items before they are stored, with the labels that a file brings along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from evaluation.core.annotation.types import Answer


@dataclass(frozen=True)
class ItemDraft:
    """What is to be labelled, and what decides how soon: how unsure the machine is, and how far machines disagree, in [0, 1].

    `run_item`, `turn`, `before`, `fact` and `conflict` are the ids of what it shows.
    """

    key: str
    content: Mapping[str, Any]
    dataset: str = ""
    stratum: str = ""
    cluster: str = ""
    machine: Answer | None = None
    machine_by: str = ""
    gold: Answer | None = None
    uncertainty: float = 0.0
    disagreement: float = 0.0
    source: Mapping[str, Any] = field(default_factory=dict)
    run_item: int | None = None
    turn: int | None = None
    before: int | None = None
    fact: int | None = None
    conflict: int | None = None


@dataclass(frozen=True)
class GivenLabel:
    """A label of a file: who gave it, under which version of the guideline, and when. One that was taken back says when."""

    name: str
    answer: Answer
    guideline: int = 1
    comment: str = ""
    milliseconds: int | None = None
    at: datetime | None = None
    undone_at: datetime | None = None


@dataclass(frozen=True)
class GivenSettlement:
    name: str
    answer: Answer
    reason: str
    at: datetime | None = None


@dataclass(frozen=True)
class ItemRecord:
    """An item of a file with its labels and settlements. `place` is kept where it has one; `withdrawn` says why it counts
    nowhere, None where it does.
    """

    draft: ItemDraft
    place: float | None = None
    labels: tuple[GivenLabel, ...] = ()
    settlements: tuple[GivenSettlement, ...] = ()
    withdrawn: str | None = None
