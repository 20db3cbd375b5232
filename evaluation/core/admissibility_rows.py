"""How often semantic states allow to go on, and what stands against it where they do not (SLSM, section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluation.core.interval_rows import ratio_row
from evaluation.core.report import Row
from memory.core.semantic_state.admissibility import Condition

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
