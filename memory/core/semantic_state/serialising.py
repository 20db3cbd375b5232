"""States, their pieces and evidence as JSON and back: the same value comes back, and nothing else is taken."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from types import MappingProxyType

from pydantic import TypeAdapter, ValidationError

from memory.core.semantic_state.elements import (
    Assumption,
    Constraint,
    Element,
    Fact,
    Plan,
    Refusal,
    SemanticState,
    StatusChange,
    Unknown,
)
from memory.core.semantic_state.evidence import (
    Asserted,
    Assumed,
    Evaluated,
    Evidence,
    Irrelevant,
    Missed,
    Required,
    Resolved,
    Ungrounded,
    Withdrawn,
)

Piece = Element | StatusChange | Refusal | Plan | Evidence

_TYPES: dict[str, type[Piece]] = {
    "fact": Fact,
    "unknown": Unknown,
    "assumption": Assumption,
    "constraint": Constraint,
    "change": StatusChange,
    "refusal": Refusal,
    "plan": Plan,
    "asserted": Asserted,
    "required": Required,
    "assumed": Assumed,
    "missed": Missed,
    "resolved": Resolved,
    "withdrawn": Withdrawn,
    "irrelevant": Irrelevant,
    "evaluated": Evaluated,
    "ungrounded": Ungrounded,
}
_NAMES = {kind: name for name, kind in _TYPES.items()}


def piece_as_json(piece: Piece) -> dict[str, object]:
    """Return an element, a change, a refusal, a plan or evidence: {"type": "fact", "id": "f1", ...}."""
    name = _NAMES[type(piece)]
    return {"type": name, **_adapter(name).dump_python(piece, mode="json")}


def piece_from_json(data: Mapping[str, object]) -> Piece:
    """Return what `piece_as_json` was given.

    Raises `ValueError` for another type, a field too many or too few, a value of another type, and a status that elements of
    the kind do not have.
    """
    kind = _TYPES.get(str(data.get("type")))
    if kind is None:
        raise ValueError(f"{data.get('type')!r} is no piece of a semantic state.")
    values = {name: value for name, value in data.items() if name != "type"}
    if strange := values.keys() - {one.name for one in fields(kind)}:
        raise ValueError(f"{data['type']} has no {', '.join(sorted(strange))}.")
    try:
        piece = _adapter(str(data["type"])).validate_json(json.dumps(values, allow_nan=False), strict=True)
    except ValidationError as error:
        raise ValueError(f"This is no {data['type']}: {error}") from None
    if isinstance(piece, Element) and piece.status not in piece.statuses:
        raise ValueError(f"{data['type']} {piece.id} cannot be {piece.status}.")
    return piece


def state_as_json(state: SemanticState) -> dict[str, object]:
    """Return a whole state, with its history."""
    return {
        "turn": state.turn,
        "issued": state.issued,
        "elements": [piece_as_json(one) for one in state.elements.values()],
        "plans": [piece_as_json(one) for one in state.plans],
        "history": [piece_as_json(one) for one in state.history],
        "refused": [piece_as_json(one) for one in state.refused],
    }


def state_from_json(data: Mapping[str, object]) -> SemanticState:
    """Return what `state_as_json` was given. Raises `ValueError` as `piece_from_json` does."""
    parts = ("elements", "plans", "history", "refused")
    if data.keys() != {"turn", "issued", *parts}:
        raise ValueError(f"A semantic state does not have the fields {', '.join(sorted(data))}.")
    elements, plans, history, refused = (_pieces(data[name], name) for name in parts)
    kept = {one.id: one for one in elements if isinstance(one, Element)}
    state = SemanticState(
        elements=MappingProxyType(kept),
        plans=tuple(one for one in plans if isinstance(one, Plan)),
        history=tuple(one for one in history if isinstance(one, StatusChange)),
        refused=tuple(one for one in refused if isinstance(one, Refusal)),
        turn=_number(data["turn"]),
        issued=_number(data["issued"]),
    )
    if state_as_json(state) != data:
        raise ValueError("The lists of the semantic state hold other things than theirs, or one id twice.")
    return state


def _pieces(value: object, name: str) -> Sequence[Piece]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ValueError(f"The {name} of a semantic state are no list of objects.")
    return [piece_from_json(one) for one in value]


def _number(value: object) -> int:
    return TypeAdapter(int).validate_python(value, strict=True)


@cache
def _adapter(name: str) -> TypeAdapter[Piece]:
    return TypeAdapter(_TYPES[name])
