"""Holds a semantic state against what people say that it should be: checks of single elements and plans, and whole states."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.core.interval_rows import ratio_row
from evaluation.core.message_match import Match
from evaluation.core.report import Row
from memory.core.semantic_state.admissibility import Condition
from memory.core.semantic_state.elements import Element, ElementKind, PlanMode, SemanticState


@dataclass(frozen=True)
class WantedElement:
    """Elements of a kind whose description has one of each group of words."""

    kind: ElementKind
    words: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class StateCheck:
    """What is to be current after the user's turn at the place `after`, what is not, and the plan where it is clear."""

    after: int
    holds: tuple[WantedElement, ...]
    absent: tuple[WantedElement, ...] = ()
    plan: PlanMode | None = None


def failings(check: StateCheck, state: SemanticState) -> tuple[str, ...]:
    """Return what of a check does not hold, in words; nothing where all of it does."""
    current = [element for element in state.elements.values() if element.is_current]
    modes = {plan.mode for plan in state.plans}
    planned = PlanMode.VERIFY if PlanMode.VERIFY in modes else PlanMode.PROCEED
    return (
        *(f"lacks {shown(wanted)}" for wanted in check.holds if not any(is_meant(wanted, one) for one in current)),
        *(f"has {shown(wanted)}" for wanted in check.absent if any(is_meant(wanted, one) for one in current)),
        *([f"plans to {planned}"] if check.plan not in (None, planned) else []),
    )


def state_match(wanted: Sequence[WantedElement], current: Iterable[Element]) -> Match:
    """Return how many elements were wanted and are there; right is the harmonic middle of those met on either side.

    One element may meet several entries, as one entry may be met by several elements.
    """
    there = list(current)
    met = sum(any(is_meant(one, element) for element in there) for one in wanted)
    meant = sum(any(is_meant(one, element) for one in wanted) for element in there)
    return Match(len(wanted), len(there), min(met, meant))


def is_meant(wanted: WantedElement, element: Element) -> bool:
    return wanted.kind is element.kind and all(
        any(has_word(element.description, word) for word in either) for either in wanted.words
    )


def has_word(text: str, word: str) -> bool:
    """Return whether a text has a word, or one that begins with it; numbers only whole. Case and accents do not count."""
    end = r"(?!\w)" if word[-1:].isdigit() else ""
    return re.search(rf"(?<!\w){re.escape(folded(word))}{end}", folded(text)) is not None


def folded(text: str) -> str:
    bare = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return "".join(character for character in bare if not unicodedata.combining(character))


def shown(wanted: WantedElement) -> str:
    return f"{wanted.kind} {' + '.join('|'.join(either) for either in wanted.words)}"


# What stands against going on in one state, each condition once; nothing where the state is admissible.
Objections = frozenset[Condition]


def admissibility_rows(name: str, histories: Mapping[str, Sequence[Objections]], *, group: str = "") -> list[Row]:
    """Return the share of admissible states over histories, and of those that break each condition of the paper."""
    none = "there are no states"
    admissible = {key: [not one for one in states] for key, states in histories.items()}
    return [
        ratio_row(name, "admissible", admissible, group=group, none=none),
        *(
            ratio_row(
                name,
                condition.value,
                {key: [condition in one for one in states] for key, states in histories.items()},
                group=group,
                none=none,
            )
            for condition in Condition
        ),
    ]
