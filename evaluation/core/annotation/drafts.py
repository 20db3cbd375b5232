"""An item before it is one: what fills a project gives of it, its identity in a file, and its place in the queue."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from evaluation.core.annotation.answers import answer_read
from evaluation.core.annotation.content import content_read
from evaluation.core.annotation.types import Answer, ProjectKind
from evaluation.core.errors import AnnotationRefused, MalformedAnnotation
from memory.core.plain_text import NOT_PLAIN, has_words, is_plain

# The longest of each, as the item's columns hold them.
LONGEST = {"key": 200, "dataset": 120, "stratum": 120, "cluster": 200, "machine_by": 200}


@dataclass(frozen=True)
class ItemDraft:
    """An item to be labelled. `key` is unique in its project. `machine` and `gold` are answers, None where there is none.

    `uncertainty` and `disagreement` are from 0 to 1: how unsure the machine is, and how far machines disagree. The ids
    name the run's item, the turn, the one before it, the fact and the conflict that it shows, and `source` whatever else
    tells where it is from.
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


def draft_read(kind: ProjectKind, draft: ItemDraft) -> ItemDraft:
    """Return the draft with content and answers as they are stored. Raises `AnnotationRefused`, which names what is wrong."""
    if not has_words(draft.key):
        raise AnnotationRefused("An item needs a key that tells it from the others of its project.")
    for name, longest in LONGEST.items():
        if len(getattr(draft, name)) > longest:
            raise AnnotationRefused(f"The {name} of an item has at most {longest} characters.")
    if not is_plain([getattr(draft, name) for name in LONGEST]) or not is_plain(draft.source):
        raise AnnotationRefused(NOT_PLAIN)
    try:
        json.dumps(draft.source, allow_nan=False)
    except ValueError as error:
        raise AnnotationRefused("The source of an item has a number that is none.") from error
    for name in ("uncertainty", "disagreement"):
        if not 0 <= getattr(draft, name) <= 1:
            raise AnnotationRefused(f"The {name} of an item is from 0 to 1, not {getattr(draft, name)}.")
    return replace(
        draft,
        content=content_read(kind, draft.content),
        machine=None if draft.machine is None else answer_read(kind, draft.machine),
        gold=None if draft.gold is None else answer_read(kind, draft.gold),
    )


RANDOM, STRATIFIED, UNCERTAIN, DISAGREEMENT = "random", "stratified", "uncertain", "disagreement"
# Items that are as unsure as one another come in the order of their draws.
AMONG_EQUALS = 1e-6


def drawn(seed: object, key: str) -> float:
    """Return a number in [0, 1) that looks random, always the same for a seed and a key."""
    digest = hashlib.sha256(f"{seed}/{key}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def places_of(drafts: Sequence[ItemDraft], *, order: str, seed: object, begun: Counter[str]) -> list[float]:
    """Return a place for each item.

    Stratified, the n-th items of all strata come before the next of any; `begun` counts those that each stratum has
    already, and is counted on.
    """
    draws = [drawn(seed, draft.key) for draft in drafts]
    if order == UNCERTAIN:
        return [place_of(draft.uncertainty, draw) for draft, draw in zip(drafts, draws, strict=True)]
    if order == DISAGREEMENT:
        return [place_of(draft.disagreement, draw) for draft, draw in zip(drafts, draws, strict=True)]
    if order != STRATIFIED:
        return draws
    places = [0.0] * len(drafts)
    for number in sorted(range(len(drafts)), key=draws.__getitem__):
        stratum = drafts[number].stratum
        places[number] = begun[stratum] + draws[number]
        begun[stratum] += 1
    return places


def place_of(degree: float, draw: float) -> float:
    """Return the place of an item by a degree in [0, 1], the highest first."""
    return 1 - degree + AMONG_EQUALS * draw


def first_of(drafts: Sequence[ItemDraft], *, order: str, seed: object, limit: int) -> list[ItemDraft]:
    """Return the drafts that come first, in their order."""
    places = places_of(drafts, order=order, seed=seed, begun=Counter())
    return [drafts[number] for number in sorted(range(len(drafts)), key=places.__getitem__)[:limit]]


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
    """An item with its labels and settlements, in the order in which they were given.

    `place` is kept where it has one; `withdrawn` says why it counts nowhere, None where it does. `where` is its place in a
    file.
    """

    draft: ItemDraft
    place: float | None = None
    labels: tuple[GivenLabel, ...] = ()
    settlements: tuple[GivenSettlement, ...] = ()
    withdrawn: str | None = None
    where: str = ""


def record_read(kind: ProjectKind, record: ItemRecord) -> ItemRecord:
    """Return the record with its draft as it is stored. What is raised names its place in a file, or its key."""
    try:
        return replace(record, draft=draft_read(kind, record.draft))
    except AnnotationRefused as error:
        if record.where:
            raise MalformedAnnotation(f"{record.where}: {error}") from error
        raise AnnotationRefused(f"Item {record.draft.key!r}: {error}") from error
