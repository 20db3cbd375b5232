"""The words of a frozen case that evidence points at: turns by their keys, sessions as a whole."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.core.naming import KEY_LIMIT, fitted


@dataclass(frozen=True)
class EvidenceWords:
    """A piece of evidence that the file names, and whether the system rests on it. Without words it is not in the case."""

    key: str
    is_found: bool
    speaker: str = ""
    text: str = ""
    said_at: str = ""


def evidence_words(content: Mapping[str, Any], evidence: Sequence[str], found: Collection[str]) -> list[EvidenceWords]:
    """Return the evidence in the order of the file, with its words. A session is found where one of its turns is."""
    sessions = {fitted(session["key"], KEY_LIMIT): session for session in content.get("sessions", ())}
    turns = {fitted(turn["key"], KEY_LIMIT): turn for session in sessions.values() for turn in session["turns"]}
    pieces = []
    for key in evidence:
        if key in turns:
            turn = turns[key]
            pieces.append(EvidenceWords(key, key in found, turn["speaker"], turn["text"], turn["said_at"]))
        elif key in sessions:
            inside = {fitted(turn["key"], KEY_LIMIT) for turn in sessions[key]["turns"]}
            is_found = key in found or not inside.isdisjoint(found)
            pieces.append(EvidenceWords(key, is_found, said_at=sessions[key]["started_at"]))
        else:
            pieces.append(EvidenceWords(key, key in found))
    return pieces
