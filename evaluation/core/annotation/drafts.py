"""An item before it is one: what whoever fills a project gives of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from evaluation.core.annotation.answers import answer_read
from evaluation.core.annotation.content import content_read
from evaluation.core.annotation.types import Answer, ProjectKind
from evaluation.core.errors import AnnotationRefused
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
